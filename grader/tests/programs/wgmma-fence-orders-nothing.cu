// expect: fault shared-race
// target: sm_90a
// wgmma.fence brings the lanes of a warp together, and does not order what they write and read.
#include <cstdint>

#include "tma-interface.cuh"

__global__ void kernel(uint32_t *out) {
  __shared__ uint32_t tile[32];
  tile[threadIdx.x] = threadIdx.x;
  wgmma_fence();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
  uint32_t *out;
  if (cudaMalloc(&out, 32 * sizeof *out) != cudaSuccess) return 1;
  kernel<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
