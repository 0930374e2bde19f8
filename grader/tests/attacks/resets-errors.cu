// attack: 1-bulk-copy-1d
// tries: breaks the CUDA context, and clears the error on its side
// expect: exit 1
// expect: says breaks the rule out-of-bounds
#include "lab9.h"
__global__ void stray(int32_t *data) {
  data[-100000000] = 1;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)count;
  stray<<<1, 1, 0, stream>>>(data);
  cudaDeviceSynchronize();
  cudaGetLastError();
  cudaDeviceReset();
  return cudaSuccess;
}
