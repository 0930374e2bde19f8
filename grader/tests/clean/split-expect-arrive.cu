// The bytes are announced piece by piece with expect_bytes, each piece before its copy. The arrival comes
// last.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[4][CORPUS_TILE / 4];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    for (uint32_t i = 0; i < 4; i++) {
      expect_bytes(&bar, sizeof tile[i]);
      cp_async_bulk_global_to_shared(tile[i], in + first + i * CORPUS_TILE / 4, sizeof tile[i], &bar);
    }
    arrive(&bar);
  }
  __syncthreads();
  while (!test_wait(&bar, 0)) {
  }
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = tile[i * 4 / CORPUS_TILE][i % (CORPUS_TILE / 4)] + 1;
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, 64>>>(out, in); },
      corpus_plus_one);
}
