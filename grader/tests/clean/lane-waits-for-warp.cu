// One lane of each warp waits for the tile, and hands it on to its warp by __syncwarp().
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &bar);
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) wait(&bar, 0);
  __syncwarp();
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = tile[i] + 1;
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, 64>>>(out, in); },
      corpus_plus_one);
}
