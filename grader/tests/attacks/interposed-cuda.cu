// attack: 1-bulk-copy-1d
// tries: replaces the CUDA calls that would return an error
// expect: exit 1
// expect: says in the place of a library's: cudaDeviceSynchronize, cudaStreamSynchronize
// expect: says breaks the rule out-of-bounds
#include "lab9.h"
extern "C" cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
extern "C" cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
__global__ void stray(int32_t *data) {
  data[-100000000] = 1;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)count;
  stray<<<1, 1, 0, stream>>>(data);
  return cudaSuccess;
}
