// Persistent blocks take tiles from a counter in global memory. The number is passed on through shared
// memory.
#include "corpus.h"

constexpr uint32_t TILES = 9;
__device__ unsigned int next_tile;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint32_t number;
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
  }
  for (uint32_t turn = 0;; turn++) {
    __syncthreads(); // the number and the tile have been read
    if (threadIdx.x == 0) {
      tma_wait_until_read_pending<0>();
      number = atomicAdd(&next_tile, 1);
      if (number < TILES) {
        expect_bytes_and_arrive(&bar, sizeof tile);
        cp_async_bulk_global_to_shared(tile, in + number * CORPUS_TILE, sizeof tile, &bar);
      }
    }
    __syncthreads();
    if (number >= TILES) break;
    wait(&bar, turn & 1);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      tile[i] += 1;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + number * CORPUS_TILE, tile, sizeof tile);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<3, 64>>>(out, in); }, corpus_plus_one);
}
