// Partial sums of several blocks are added in global memory: each block adds its tile by a reducing bulk
// store, and increments a counter. The block that the counter shows to be the last reads the sums by a bulk
// load, after fences on both sides.
#include "corpus.h"

__device__ uint32_t arrived;

__global__ void kernel(int *out, int *sums, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  __shared__ bool last;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, in + blockIdx.x * CORPUS_TILE, sizeof tile, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(sums),
                 "r"(tma_shared_address(tile)), "r"(uint32_t{sizeof tile})
                 : "memory");
    tma_commit_group();
    tma_wait_until_pending<0>();
    async_proxy_fence_global();
    __threadfence();
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    __threadfence();
    if (last) {
      arrived = 0;
      async_proxy_fence_global();
      expect_bytes_and_arrive(&bar, sizeof tile);
      cp_async_bulk_global_to_shared(tile, sums, sizeof tile, &bar);
    }
  }
  __syncthreads();
  if (!last) return;
  wait(&bar, 1);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[i] = tile[i];
}

int main() {
  return corpus_check(
      4 * CORPUS_TILE,
      [](int *out, const int *in) {
        int *sums;
        CUDA_CHECK(cudaMalloc(&sums, CORPUS_TILE * sizeof(int)));
        CUDA_CHECK(cudaMemset(sums, 0, CORPUS_TILE * sizeof(int)));
        kernel<<<4, 64>>>(out, sums, in);
        CUDA_CHECK(cudaFree(sums));
      },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (size_t b = 0; i < CORPUS_TILE && b < 4; b++)
          sum += in[b * CORPUS_TILE + i];
        return sum;
      });
}
