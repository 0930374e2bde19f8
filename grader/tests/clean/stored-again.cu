// A block stores to the same bytes twice: what it has read, then by another thread the results, when the
// first store is complete. Where the bytes are equal, either store may land first.
#include "corpus.h"

__device__ alignas(128) int copies[CORPUS_BLOCKS * CORPUS_TILE];

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int first[CORPUS_TILE], second[CORPUS_TILE];
  int *own = out + size_t{blockIdx.x} * CORPUS_TILE;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x) {
    first[i] = in[blockIdx.x * CORPUS_TILE + i];
    second[i] = first[i] + 1;
  }
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(own, first, sizeof first);
    tma_commit_group();
    for (int i = 0; i < 2; i++) {
      cp_async_bulk_shared_to_global(copies + size_t{blockIdx.x} * CORPUS_TILE, first, sizeof first);
      tma_commit_group();
    }
    tma_wait_until_pending<0>();
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    cp_async_bulk_shared_to_global(own, second, sizeof second);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, 64>>>(out, in); },
      corpus_plus_one);
}
