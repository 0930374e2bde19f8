// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says rules 1 unmet
// expect: says correct 7/7
// expect: says breaks no rule, but does not do what is asked
// expect: says bytes loaded by bulk copies: 0 seen
#include "lab9.h"

__global__ void kernel(int32_t *data, size_t count) {
  size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < count) data[i] = static_cast<int32_t>(static_cast<uint32_t>(data[i]) + 1);
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<(count + 255) / 256, 256, 0, stream>>>(data, count);
  return cudaGetLastError();
}
