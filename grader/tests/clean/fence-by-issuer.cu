// The issuing thread fences for all writers after __syncthreads(). This is as legal as a fence by each
// writer.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] = in[first + i] + 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    async_proxy_fence();
    cp_async_bulk_shared_to_global(out + first, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, 64>>>(out, in); },
      corpus_plus_one);
}
