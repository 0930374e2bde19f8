// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule
// expect: says 1-bulk-copy-1d.cu:8
#include "lab9.h"

__global__ void kernel(int32_t *data, const int32_t *nothing) {
  data[threadIdx.x] = nothing[threadIdx.x];
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<1, 4, 0, stream>>>(data, nullptr);
  return cudaGetLastError();
}
