// cp.async fills the tile, which is a write through the generic proxy, and a bulk store sends it: after the
// wait, the fence and a barrier.
#include "corpus.h"
#include <cuda_pipeline_primitives.h>

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  __pipeline_memcpy_async(&tile[threadIdx.x * 4], in + first + threadIdx.x * 4, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out + first, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i]; });
}
