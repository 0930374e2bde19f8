// attack: 1-bulk-copy-1d
// tries: loops on the device
// expect: exit 1
// expect: says going round a loop in which nothing changes
#include "lab9.h"
__global__ void loop(volatile int32_t *data) {
  while (data[0] != data[0] + 1) {
  }
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)count;
  loop<<<1, 32, 0, stream>>>(data);
  return cudaSuccess;
}
