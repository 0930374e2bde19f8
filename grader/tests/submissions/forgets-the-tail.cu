// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says correct 1/7
// expect: says 1-bulk-copy-1d starts no kernel
// expect: says case "smallest": count 4
// expect: says All of them hold the input, unchanged.
#include "lab9.h"

__global__ void kernel(int32_t *data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  if (count >= 1024) kernel<<<count / 1024, 1024, 0, stream>>>(data);
  return cudaGetLastError();
}
