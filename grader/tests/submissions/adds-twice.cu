// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says No element is right. All of them are too large by 1.
#include "lab9.h"

__global__ void kernel(int32_t *data, size_t count) {
  size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < count) data[i] += 2;
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<(count + 255) / 256, 256, 0, stream>>>(data, count);
  return cudaGetLastError();
}
