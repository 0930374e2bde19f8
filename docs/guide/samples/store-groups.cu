// In: nothing. Out: an array of numbers, written tile by tile from two buffers in turn. Store groups, and the
// wait that lets a buffer be used again.
#include "sample.h"
#include "tma-interface.cuh"

constexpr uint32_t TILE = 512, THREADS = 128;

__global__ void count_up(int *out, uint32_t tiles) {
  __shared__ alignas(16) int buffer[2][TILE];
  // [loop]
  for (uint32_t n = 0; n < tiles; n++) {
    int *mine = buffer[n % 2];
    if (threadIdx.x == 0)
      tma_wait_until_read_pending<1>(); // the store of tile n - 2 has read its buffer
    __syncthreads();                    // .. and everybody knows
    for (uint32_t i = threadIdx.x; i < TILE; i += THREADS)
      mine[i] = static_cast<int>(n * TILE + i);
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + n * TILE, mine, sizeof buffer[0]);
      tma_commit_group(); // one group for each tile
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
  // [/loop]
}

int main() {
  constexpr uint32_t tiles = 9;
  int *out = managed_array<int>(tiles * TILE);
  count_up<<<1, THREADS>>>(out, tiles);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < tiles * TILE; i++)
    EXPECT_EQUAL(out[i], i, i);
  puts("ok");
}
