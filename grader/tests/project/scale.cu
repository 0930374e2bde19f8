// Two kernels: `scale_tile` lacks its proxy fence, which this project has lived with; `shift_tile` is right
// unless NEW_FAULT is defined.
#include "scale.h"

#include <cuda_runtime.h>

#include "tma-interface.cuh"

enum { TILE = 256 };

__global__ void scale_tile(int *out, const int *in) {
  __shared__ alignas(16) int tile[TILE];
  tile[threadIdx.x] = 2 * in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
}

__global__ void shift_tile(int *data) {
  __shared__ alignas(16) int tile[TILE];
  tile[threadIdx.x] = 2 * data[threadIdx.x];
#ifndef NEW_FAULT
  async_proxy_fence();
#endif
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(data, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
}

// One tile alone, as in the sample.
int scale(int *out, const int *in, int count) {
  int *from = nullptr, *to = nullptr;
  const size_t bytes = TILE * sizeof(int);
  if (count != TILE) return cudaErrorInvalidValue;
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess)
    return cudaGetLastError();
  cudaMemcpy(from, in, bytes, cudaMemcpyHostToDevice);
  scale_tile<<<1, TILE>>>(to, from);
  cudaMemcpy(out, to, bytes, cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  return cudaGetLastError();
}

int scale_in_place(int *data, int count) {
  int *there = nullptr;
  const size_t bytes = TILE * sizeof(int);
  if (count != TILE) return cudaErrorInvalidValue;
  if (cudaMalloc(&there, bytes) != cudaSuccess) return cudaGetLastError();
  cudaMemcpy(there, data, bytes, cudaMemcpyHostToDevice);
  shift_tile<<<1, TILE>>>(there);
  cudaMemcpy(data, there, bytes, cudaMemcpyDeviceToHost);
  cudaFree(there);
  return cudaGetLastError();
}
