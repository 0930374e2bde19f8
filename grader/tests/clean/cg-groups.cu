// Cooperative groups: invoke_one elects the issuing thread, a tile of two warps meets, reduces and votes, a
// group's memcpy_async with wait_prior, and a split barrier of the block.
#include "corpus.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE], second[CORPUS_TILE];
  __shared__ uint64_t bar;
  const auto block = cg::this_thread_block();
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  cg::invoke_one(block, [&] {
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &bar);
  });
  block.sync();
  cg::memcpy_async(block, second, in + first, sizeof second);
  cg::memcpy_async(block, second, in + first, 0);
  cg::wait_prior<1>(block);
  cg::wait(block);
  wait(&bar, 0);
  const auto warp = cg::tiled_partition<32>(block);
  int most = 0;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    most += tile[i] - second[i];
  most = cg::reduce(warp, most, cg::plus<int>());
  const auto odd = cg::binary_partition(warp, threadIdx.x % 2 == 1);
  const int count = static_cast<int>(odd.size());
  // The block's 64 threads are two warps, whose tile meets in shared memory that the system keeps.
  const auto pair = cg::tiled_partition<64>(block);
  most += cg::reduce(pair, static_cast<int>(pair.thread_rank()), cg::plus<int>()) - 64 * 63 / 2;
  pair.sync();
  most += pair.shfl(most, 40) + !pair.any(pair.thread_rank() == 33);
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = tile[i] + most + count - 15;
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
