// One block writes with ordinary stores and sets a flag in global memory. Another block reads the flag,
// fences, and bulk-loads the tile.
#include "corpus.h"

__device__ unsigned ready_flags[2];

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const uint32_t pair = blockIdx.x / 2;
  int *const between = out + (2 + pair) * CORPUS_TILE;
  if (blockIdx.x % 2 == 0) {
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      between[i] = in[pair * CORPUS_TILE + i] + 1;
    async_proxy_fence_all();
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&ready_flags[pair], 1);
    return;
  }
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    while (atomicAdd(&ready_flags[pair], 0) == 0)
      __nanosleep(100);
    __threadfence();
    async_proxy_fence_all();
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, between, sizeof tile, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[pair * CORPUS_TILE + i] = tile[i] + 1;
}

int main() {
  return corpus_check(
      4 * CORPUS_TILE,
      [](int *out, const int *in) {
        const unsigned none[2] = {0, 0};
        CUDA_CHECK(cudaMemcpyToSymbol(ready_flags, none, sizeof none));
        kernel<<<4, 64>>>(out, in);
      },
      [](const std::vector<int> &in, size_t i) {
        return i < 2 * CORPUS_TILE ? in[i] + 2 : in[i - 2 * CORPUS_TILE] + 1;
      });
}
