// In: an array. Out: the sum of its tiles, element by element. One barrier, one buffer, many phases.
#include "sample.h"
#include "tma-interface.cuh"

constexpr uint32_t TILE = 128;

__global__ void sum_tiles(int *sums, const int *tiles, uint32_t count) {
  __shared__ alignas(16) int tile[TILE];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
  }
  __syncthreads();

  // [loop]
  int sum = 0;
  for (uint32_t turn = 0; turn < count; turn++) {
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&full, sizeof tile);
      cp_async_bulk_global_to_shared(tile, tiles + turn * TILE, sizeof tile, &full);
    }
    wait(&full, turn % 2); // turn n is phase n
    sum += tile[threadIdx.x];
    __syncthreads(); // nobody loads over what somebody still reads
  }
  // [/loop]
  sums[threadIdx.x] = sum;
}

int main() {
  constexpr uint32_t count = 7;
  int *tiles = managed_array<int>(count * TILE), *sums = managed_array<int>(TILE);
  for (uint32_t i = 0; i < count * TILE; i++)
    tiles[i] = static_cast<int>(i * i % 1009);
  sum_tiles<<<1, TILE>>>(sums, tiles, count);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < TILE; i++) {
    int expected = 0;
    for (uint32_t turn = 0; turn < count; turn++)
      expected += tiles[turn * TILE + i];
    EXPECT_EQUAL(sums[i], expected, i);
  }
  puts("ok");
}
