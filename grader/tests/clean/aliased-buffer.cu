// The same memory is first the tile of a load, and then an array for scratch values.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int memory[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof memory);
    cp_async_bulk_global_to_shared(memory, in + first, sizeof memory, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  int sum = 0;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    sum += memory[i];
  __syncthreads();
  memory[threadIdx.x] = sum;
  __syncthreads();
  for (uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) memory[threadIdx.x] += memory[threadIdx.x + half];
    __syncthreads();
  }
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = memory[0];
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (size_t j = 0; j < CORPUS_TILE; j++)
          sum += in[i / CORPUS_TILE * CORPUS_TILE + j];
        return sum;
      });
}
