// A barrier is invalidated, its eight bytes hold data, and then become a barrier again.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ alignas(8) uint64_t memory;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  for (int life = 0; life < 2; life++) {
    if (threadIdx.x == 0) {
      init_barrier(&memory, 1);
      async_proxy_fence();
      expect_bytes_and_arrive(&memory, sizeof tile / 2);
      cp_async_bulk_global_to_shared(tile + life * CORPUS_TILE / 2, in + first + life * CORPUS_TILE / 2,
                                     sizeof tile / 2, &memory);
    }
    __syncthreads();
    wait(&memory, 0);
    __syncthreads();
    if (threadIdx.x == 0) {
      inval_barrier(&memory);
      memory = 1;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE / 2; i += blockDim.x)
      out[first + life * CORPUS_TILE / 2 + i] = tile[life * CORPUS_TILE / 2 + i] + static_cast<int>(memory);
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
