// Plain loads, and bulk stores from two buffers in turn: each wait lets the store from the other buffer go on
// reading.
#include "corpus.h"

constexpr uint32_t TILES = 7;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int buffers[2][CORPUS_TILE];
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  for (uint32_t t = 0; t < TILES; t++) {
    int *buffer = buffers[t % 2];
    if (threadIdx.x == 0) tma_wait_until_read_pending<1>(); // the store of tile t - 2 has read
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      buffer[i] = in[first + t * CORPUS_TILE + i] + 1;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + first + t * CORPUS_TILE, buffer, sizeof buffers[0]);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
