// The barrier counts the whole block: one thread arrives with the bytes, the other threads arrive without.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ int factor;
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) init_barrier(&bar, blockDim.x);
  __syncthreads();
  for (uint32_t round = 0; round < 3; round++) {
    const size_t first = (size_t{blockIdx.x} * 3 + round) * CORPUS_TILE;
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&bar, sizeof tile);
      cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &bar);
    } else {
      if (threadIdx.x == 1) factor = static_cast<int>(round) + 1; // published by its arrival
      arrive(&bar);
    }
    wait(&bar, round & 1);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + i] = tile[i] * factor;
    __syncthreads(); // all have read before the next load
  }
}

int main() {
  return corpus_check(
      2 * 3 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i] * static_cast<int>(i / CORPUS_TILE % 3 + 1); });
}
