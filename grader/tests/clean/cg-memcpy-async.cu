// Cooperative groups: a tile of 32 threads copies with memcpy_async and waits for its own group. Then the
// tiles shuffle, and the block synchronises.
#include "corpus.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[4][64];
  __shared__ int totals[4];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int *own = tile[warp.meta_group_rank()];
  cg::memcpy_async(warp, own, in + (size_t{blockIdx.x} * 4 + warp.meta_group_rank()) * 64, sizeof tile[0]);
  cg::wait(warp);
  const int sum = cg::reduce(warp, own[63 - warp.thread_rank()] + own[warp.thread_rank()], cg::plus<int>());
  if (warp.thread_rank() == 0) totals[warp.meta_group_rank()] = sum;
  block.sync();
  for (uint32_t i = block.thread_rank(); i < 256; i += block.size())
    out[size_t{blockIdx.x} * 256 + i] = totals[0] + totals[1] + totals[2] + totals[3];
}

int main() {
  return corpus_check(
      512, [](int *out, const int *in) { kernel<<<2, 128>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (size_t k = i / 256 * 256; k < i / 256 * 256 + 256; k++)
          sum += in[k];
        return sum;
      });
}
