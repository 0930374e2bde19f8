// Stored data is read back in the same kernel: after the full wait, and for the other threads after a
// barrier.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] = in[first + i] + 1;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out + first, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] = out[first + CORPUS_TILE - 1 - i];
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = tile[i];
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return in[i / CORPUS_TILE * CORPUS_TILE + CORPUS_TILE - 1 - i % CORPUS_TILE] + 1;
      });
}
