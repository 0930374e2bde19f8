// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d returns a CUDA error
// expect: says cudaErrorInvalidValue
#include "lab9.h"

__global__ void kernel() {}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<1, 2048, 0, stream>>>();
  return cudaSuccess;
}
