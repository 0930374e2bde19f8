// Two groups of consumers take turns by named barriers. Each group stores its tile in bulk, from a thread of
// its own.
#include "corpus.h"

constexpr uint32_t TILES = 6, GROUP = 64;

__device__ static void turn_sync(uint32_t id) {
  asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory");
}
__device__ static void turn_arrive(uint32_t id) {
  asm volatile("bar.arrive %0, 128;" ::"r"(id) : "memory");
}
__device__ static void group_sync(uint32_t id) {
  asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tiles[2][CORPUS_TILE];
  __shared__ uint64_t full[2];
  __shared__ int order; // written in turns
  const uint32_t group = threadIdx.x / GROUP, lane = threadIdx.x % GROUP;
  if (threadIdx.x == 0) {
    init_barrier(&full[0], 1);
    init_barrier(&full[1], 1);
    order = 0;
    async_proxy_fence();
  }
  __syncthreads();
  if (group == 1) turn_arrive(1); // the first turn is group 0's
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  for (uint32_t t = group; t < TILES; t += 2) {
    if (lane == 0) {
      tma_wait_until_read_pending<0>();
      expect_bytes_and_arrive(&full[group], sizeof tiles[0]);
      cp_async_bulk_global_to_shared(tiles[group], in + first + t * CORPUS_TILE, sizeof tiles[0],
                                     &full[group]);
    }
    wait(&full[group], t / 2 & 1);
    turn_sync(1 + group);
    const int seen = order;
    group_sync(3 + group);
    if (lane == 0) order = seen + 1;
    if (t + 1 < TILES) turn_arrive(1 + (group ^ 1));
    for (uint32_t i = lane; i < CORPUS_TILE; i += GROUP)
      tiles[group][i] += seen == static_cast<int>(t) ? 1 : 1000;
    async_proxy_fence();
    group_sync(3 + group);
    if (lane == 0) {
      cp_async_bulk_shared_to_global(out + first + t * CORPUS_TILE, tiles[group], sizeof tiles[0]);
      tma_commit_group();
    }
  }
  if (lane == 0) tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 2 * GROUP>>>(out, in); },
      corpus_plus_one);
}
