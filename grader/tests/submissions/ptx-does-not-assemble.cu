// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d does not compile
// expect: says error
#include "lab9.h"

__global__ void kernel() {
  asm volatile("no.such.instruction;");
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<1, 1, 0, stream>>>();
  return cudaGetLastError();
}
