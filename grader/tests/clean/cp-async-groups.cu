// cp.async loads the tiles, two groups deep, and a bulk store writes them back.
#include "corpus.h"
#include <cuda_pipeline.h>

constexpr uint32_t TILES = 4;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int stages[2][256];
  __shared__ alignas(16) int result[256];
  const size_t first = size_t{blockIdx.x} * TILES * 256;
  const auto load = [&](uint32_t t) {
    if (t < TILES)
      __pipeline_memcpy_async(&stages[t % 2][threadIdx.x * 4], in + first + t * 256 + threadIdx.x * 4, 16);
    __pipeline_commit();
  };
  load(0);
  load(1);
  for (uint32_t t = 0; t < TILES; t++) {
    __pipeline_wait_prior(1);
    if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x)
      result[i] = stages[t % 2][255 - i];
    async_proxy_fence();
    __syncthreads();
    load(t + 2);
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + first + t * 256, result, sizeof result);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_pending<0>();
}

int main() {
  return corpus_check(
      2 * TILES * 256, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i / 256 * 256 + 255 - i % 256]; });
}
