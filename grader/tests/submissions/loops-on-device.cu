// submission: 1-bulk-copy-1d
// deadline: 3
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule endless-loop
// expect: says 1-bulk-copy-1d.cu:
// expect: says make explain RULE=endless-loop
#include "lab9.h"

__global__ void kernel(int32_t *data) {
  volatile int32_t *first = data;
  for (;;) {
    *first += 1;
  }
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<1, 1, 0, stream>>>(data);
  return cudaGetLastError();
}
