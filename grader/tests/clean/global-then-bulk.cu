// Threads write global memory, and a bulk load of the same kernel reads it, with a proxy fence for global
// memory in between.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = in[first + i] + 1;
  async_proxy_fence_global();
  __syncthreads();
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, out + first, sizeof tile, &bar);
  }
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = tile[CORPUS_TILE - 1 - i];
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return in[i / CORPUS_TILE * CORPUS_TILE + CORPUS_TILE - 1 - i % CORPUS_TILE] + 1;
      });
}
