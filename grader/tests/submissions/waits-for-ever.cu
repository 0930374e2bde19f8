// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule deadlock
#include "lab9.h"
#include "tma-interface.cuh"

__global__ void kernel() {
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) init_barrier(&barrier, 2);
  __syncthreads();
  if (threadIdx.x == 0) arrive(&barrier);
  wait(&barrier, 0);
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<1, 32, 0, stream>>>();
  return cudaGetLastError();
}
