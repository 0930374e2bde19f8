// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule
// expect: says 1-bulk-copy-1d.cu:10
// expect: says data
#include "lab9.h"

// The last block writes past the end: the comparison of i with count is missing.
__global__ void kernel(int32_t *data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<(count + 127) / 128, 128, 0, stream>>>(data);
  return cudaGetLastError();
}
