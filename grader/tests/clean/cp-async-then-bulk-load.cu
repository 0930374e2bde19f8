// A tile comes by cp.async, is used, and a bulk load brings the next one into the same memory: cp.async
// counts as an ordinary write, so its threads fence.
#include "corpus.h"
#include <cuda_pipeline.h>

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * 2 * CORPUS_TILE;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  __pipeline_memcpy_async(&tile[threadIdx.x * 4], in + first + threadIdx.x * 4, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  async_proxy_fence(); // what cp.async brought
  __syncthreads();
  const int one = tile[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, in + first + CORPUS_TILE, sizeof tile, &bar);
  }
  wait(&bar, 0);
  out[first + threadIdx.x] = one + tile[threadIdx.x];
}

int main() {
  return corpus_check(
      4 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return i % (2 * CORPUS_TILE) < 64 ? in[i] + in[i + CORPUS_TILE] : 0;
      });
}
