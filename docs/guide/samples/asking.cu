// In: an array. Out: the sum of each tile. While a tile is under way, the threads do other work and ask now
// and then; one elected lane of the first warp starts the copy.
#include "sample.h"
#include "tma-interface.cuh"

constexpr uint32_t TILE = 512, THREADS = 64;

__global__ void sum_tiles(int *sums, const int *tiles) {
  __shared__ alignas(16) int tile[TILE];
  __shared__ uint64_t loaded;
  // [elect]
  if (threadIdx.x < 32) { // a whole warp, so that all 32 lanes take part in the election
    if (elect_one()) {
      init_barrier(&loaded, 1);
      async_proxy_fence();
      expect_bytes_and_arrive(&loaded, sizeof tile);
      cp_async_bulk_global_to_shared(tile, tiles + blockIdx.x * TILE, sizeof tile, &loaded);
    }
  }
  __syncthreads();
  // [/elect]
  // [ask]
  uint32_t rounds = 0;
  while (!test_wait(&loaded, 0)) // asks, and goes on at once
    rounds++;                    // work that doesn't need the tile
  // [/ask]
  int sum = 0;
  for (uint32_t i = threadIdx.x; i < TILE; i += THREADS)
    sum += tile[i];
  atomicAdd(&sums[blockIdx.x], sum);
  if (rounds == 0xffffffff)
    sums[blockIdx.x] = 0; // the work is used, so the compiler keeps it
}

int main() {
  constexpr uint32_t blocks = 3;
  int *tiles = managed_array<int>(blocks * TILE), *sums = managed_array<int>(blocks);
  for (uint32_t i = 0; i < blocks * TILE; i++)
    tiles[i] = static_cast<int>(i % 10);
  for (uint32_t block = 0; block < blocks; block++)
    sums[block] = 0;
  sum_tiles<<<blocks, THREADS>>>(sums, tiles);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t block = 0; block < blocks; block++) {
    int expected = 0;
    for (uint32_t i = 0; i < TILE; i++)
      expected += tiles[block * TILE + i];
    EXPECT_EQUAL(sums[block], expected, block);
  }
  puts("ok");
}
