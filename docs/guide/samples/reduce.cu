// In: an array. Out: the element-wise sum of its tiles, added up beside the memory by bulk reductions. Loads
// have a cache hint, and the tile after next is prefetched.
#include "sample.h"
#include "tma-interface.cuh"

constexpr uint32_t TILE = 256;

__global__ void sum_tiles(int *sums, const int *tiles) {
  __shared__ alignas(16) int tile[TILE];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
    // [hint]
    const uint64_t policy = create_policy_evict_first(); // used once: drop it early
    expect_bytes_and_arrive(&loaded, sizeof tile);
    cp_async_bulk_global_to_shared_hint(tile, tiles + blockIdx.x * TILE, sizeof tile,
                                        &loaded, policy);
    if (blockIdx.x + 2 < gridDim.x)
      cp_async_bulk_prefetch(tiles + (blockIdx.x + 2) * TILE, sizeof tile);
    // [/hint]
    // [reduce]
    // A copy wrote the tile, so the reduction may read it without a fence, once this thread
    // has waited.
    wait(&loaded, 0);
    // sums[i] += tile[i]
    cp_reduce_async_bulk_shared_to_global_add(sums, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
    // [/reduce]
  }
}

int main() {
  constexpr uint32_t blocks = 6;
  int *tiles = managed_array<int>(blocks * TILE), *sums = managed_array<int>(TILE);
  for (uint32_t i = 0; i < blocks * TILE; i++)
    tiles[i] = static_cast<int>(i);
  for (uint32_t i = 0; i < TILE; i++)
    sums[i] = 1000;
  sum_tiles<<<blocks, 32>>>(sums, tiles);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < TILE; i++)
    EXPECT_EQUAL(sums[i], 1000 + blocks * i + TILE * (blocks * (blocks - 1) / 2), i);
  puts("ok");
}
