// attack: 1-bulk-copy-1d
// tries: leaves the CUDA context in an error state, and reports success
// expect: exit 1
// expect: says breaks the rule trap
#include "lab9.h"
__global__ void trap() {
  asm volatile("trap;");
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  trap<<<1, 1>>>();
  return cudaSuccess;
}
