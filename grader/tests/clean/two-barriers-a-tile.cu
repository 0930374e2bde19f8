// The tile arrives in halves, each on a barrier of its own: work on the first half begins before the second
// has landed.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[2][CORPUS_TILE / 2];
  __shared__ uint64_t bars[2];
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x < 2) init_barrier(&bars[threadIdx.x], 1);
  __syncthreads();
  if (threadIdx.x < 2) { // two issuers
    expect_bytes_and_arrive(&bars[threadIdx.x], sizeof tile[0]);
    cp_async_bulk_global_to_shared(tile[threadIdx.x], in + first + threadIdx.x * CORPUS_TILE / 2,
                                   sizeof tile[0], &bars[threadIdx.x]);
  }
  for (uint32_t h = 0; h < 2; h++) {
    wait(&bars[h], 0);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE / 2; i += blockDim.x)
      out[first + h * CORPUS_TILE / 2 + i] = tile[h][i] + 1;
  }
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
