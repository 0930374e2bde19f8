// Every thread commits and waits, though only one thread has issued a store. The groups of the others are
// empty.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  for (uint32_t t = 0; t < 2; t++) {
    const size_t first = (size_t{blockIdx.x} * 2 + t) * CORPUS_TILE;
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      tile[i] = in[first + i] + 1;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) cp_async_bulk_shared_to_global(out + first, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      2 * 2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
