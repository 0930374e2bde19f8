// In: nothing. Out: `ok` if cuda::memcpy_async brings every element over a cuda::barrier, by a group and by
// single threads. The idea: blocks scale runs of any length through two tiles that take turns; the next tile
// is asked for before this one is used.
// expect: seeds 5
#include "self-check.h"

#include <cooperative_groups.h>
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr size_t TILE = 192;

// The whole block asks: out = 3 * in, any length.
__global__ void scale_by_group(int *out, const int *in, size_t count) {
  __shared__ alignas(16) int tiles[2][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier barriers[2];
  const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0)
    for (block_barrier &barrier : barriers)
      init(&barrier, block.size());
  block.sync();

  const size_t stride = gridDim.x * TILE;
  const auto fetch = [&](int *tile, size_t first, block_barrier &barrier) {
    const size_t length = first < count ? min(TILE, count - first) : 0;
    cuda::memcpy_async(block, tile, in + first, length * sizeof(int), barrier);
  };
  size_t first = blockIdx.x * TILE;
  fetch(tiles[0], first, barriers[0]);
  for (unsigned turn = 0; first < count; first += stride, turn ^= 1) {
    fetch(tiles[turn ^ 1], first + stride < count ? first + stride : count, barriers[turn ^ 1]);
    barriers[turn].arrive_and_wait();
    for (size_t i = block.thread_rank(); i < TILE && first + i < count; i += block.size())
      out[first + i] = 3 * tiles[turn][i];
    block.sync(); // nobody reads the tile any more
  }
}

struct alignas(16) four {
  int value[4];
};

// Every thread asks for its own element, and reads its neighbour's once all have come.
__global__ void rotate_by_thread(four *out, const four *in) {
  __shared__ four tile[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  const size_t first = blockIdx.x * blockDim.x;
  cuda::memcpy_async(&tile[threadIdx.x], &in[first + threadIdx.x], cuda::aligned_size_t<16>(sizeof(four)),
                     barrier);
  block_barrier::arrival_token token = barrier.arrive();
  barrier.wait(cuda::std::move(token));
  out[first + threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];
}

static void check_group(size_t count) {
  random_numbers random = {count + 1};
  std::vector<int> values(count);
  for (int &value : values)
    value = static_cast<int>(random.next() >> 4);
  guarded<int> in(count), out(count);
  in.set(values);
  scale_by_group<<<3, 64>>>(out.data(), in.data(), count);
  const std::vector<int> got = out.get();
  for (size_t i = 0; i < count; i++)
    check_that(got[i] == 3 * values[i], "%zu elements: [%zu] is %d, not %d", count, i, got[i], 3 * values[i]);
  out.check_bands("out");
}

static void check_threads() {
  constexpr size_t count = 4 * 64;
  std::vector<four> values(count);
  for (size_t i = 0; i < count; i++)
    for (int j = 0; j < 4; j++)
      values[i].value[j] = static_cast<int>(10 * i) + j;
  guarded<four> in(count), out(count);
  in.set(values);
  rotate_by_thread<<<4, 64>>>(out.data(), in.data());
  const std::vector<four> got = out.get();
  for (size_t i = 0; i < count; i++) {
    const four &expected = values[i / 64 * 64 + (i + 1) % 64];
    check_that(memcmp(&got[i], &expected, sizeof expected) == 0, "element %zu is that of %d, not %zu", i,
               got[i].value[0] / 10, i / 64 * 64 + (i + 1) % 64);
  }
  out.check_bands("out");
}

int main() {
  for (size_t count : {1, 191, 192, 193, 1000, 5000})
    check_group(count);
  check_threads();
  return self_check_result();
}
