// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule deadlock
// expect: says 1-bulk-copy-1d.cu:9    while (*first != 42) {
#include "lab9.h"

__global__ void kernel(int32_t *data) {
  volatile int32_t *first = data;
  while (*first != 42) {
  }
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<1, 1, 0, stream>>>(data);
  return cudaGetLastError();
}
