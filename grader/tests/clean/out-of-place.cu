// One buffer for input, another for output. The second tile is loaded while the first is stored.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int from[2][CORPUS_TILE], to[2][CORPUS_TILE];
  __shared__ uint64_t bars[2];
  const size_t first = size_t{blockIdx.x} * 2 * CORPUS_TILE;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; i++)
      init_barrier(&bars[i], 1);
    async_proxy_fence();
    for (int i = 0; i < 2; i++) {
      expect_bytes_and_arrive(&bars[i], sizeof from[i]);
      cp_async_bulk_global_to_shared(from[i], in + first + i * CORPUS_TILE, sizeof from[i], &bars[i]);
    }
  }
  __syncthreads();
  for (int t = 0; t < 2; t++) {
    wait(&bars[t], 0);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      to[t][i] = from[t][i] + 1;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + first + t * CORPUS_TILE, to[t], sizeof to[t]);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * 2 * CORPUS_TILE,
      [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, 64>>>(out, in); }, corpus_plus_one);
}
