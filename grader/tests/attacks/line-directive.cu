// attack: 1-bulk-copy-1d
// tries: names a hidden file as its source, so that the grader quotes it
// expect: exit 1
// expect: says breaks the rule
// expect: silent about cases =
#include "lab9.h"
__global__ void stray(int32_t *data) {
#line 1 "@ROOT@/grader/hidden/lab9/1-bulk-copy-1d.cfg"
  data[-100000000] = 1;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)count;
  stray<<<1, 1, 0, stream>>>(data);
  return cudaSuccess;
}
