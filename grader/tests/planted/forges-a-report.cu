// attack: 1-bulk-copy-1d
// tries: with the device's process taken over, reports that all is well, and has computed nothing
// expect: exit 1
// expect: says falls short
// expect: silent about passes
#include "planted.h"
__global__ void nothing(int32_t *data) {
  data[-1000000] = 1;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)count;
  nothing<<<1, 1, 0, stream>>>(data);
  cudaStreamSynchronize(stream);
  planted("", 'f');
  cudaDeviceReset();
  return cudaSuccess;
}
