// Some threads write an array with ordinary stores, and another thread writes it with bulk stores, next to
// each other but never to the same bytes.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  const size_t first = size_t{blockIdx.x} * 2 * CORPUS_TILE;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x) {
    tile[i] = in[first + i] + 1;
    out[first + CORPUS_TILE + i] = in[first + CORPUS_TILE + i] + 1;
  }
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out + first, tile, sizeof tile);
    tma_commit_group();
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      2 * 2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
