// The whole grid synchronises (a cooperative launch). Then each block bulk-loads what another block wrote
// with ordinary stores. Also by the letter of the PTX ISA: the last block to arrive acquires from its own
// atomic.
// options: --strict
#include "corpus.h"
#include <cooperative_groups.h>

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t half = size_t{gridDim.x} * CORPUS_TILE, own = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[half + own + i] = in[own + i] + 1;
  async_proxy_fence_all();
  cooperative_groups::this_grid().sync();
  const size_t next = size_t{(blockIdx.x + 1) % gridDim.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    async_proxy_fence_all();
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, out + half + next, sizeof tile, &bar);
  }
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[next + i] = tile[i] + 1;
}

int main() {
  return corpus_check(
      6 * CORPUS_TILE,
      [](int *out, const int *in) {
        void *arguments[] = {&out, &in};
        CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), dim3(3), dim3(64),
                                               arguments, 0, 0));
      },
      [](const std::vector<int> &in, size_t i) {
        return i < 3 * CORPUS_TILE ? in[i] + 2 : in[i - 3 * CORPUS_TILE] + 1;
      });
}
