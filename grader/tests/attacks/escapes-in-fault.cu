// attack: 1-bulk-copy-1d
// tries: has the grader quote a file whose name is a terminal escape
// expect: exit 1
// expect: says breaks the rule
#include "lab9.h"
__global__ void stray(int32_t *data) {
#line 1 "/\033[2J\033[Hpasses.cu"
  data[-100000000] = 1;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)count;
  stray<<<1, 1, 0, stream>>>(data);
  return cudaSuccess;
}
