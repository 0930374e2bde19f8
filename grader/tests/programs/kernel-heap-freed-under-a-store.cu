// expect: fault out-of-bounds
// A kernel frees memory to which a bulk store is still writing.
#include "tma-interface.cuh"
#include <cstdio>

__global__ void free_under_a_store() {
  __shared__ alignas(128) int tile[256];
  tile[threadIdx.x] = threadIdx.x;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    void *to = malloc(sizeof tile);
    cp_async_bulk_shared_to_global(to, tile, sizeof tile);
    tma_commit_group();
    free(to);
    tma_wait_until_pending<0>();
  }
}

int main() {
  free_under_a_store<<<1, 256>>>();
  cudaError_t error = cudaDeviceSynchronize();
  puts(error == cudaErrorIllegalAddress ? "ok" : cudaGetErrorString(error));
}
