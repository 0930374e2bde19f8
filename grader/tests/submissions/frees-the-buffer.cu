// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d
// expect: says falls short
#include "lab9.h"

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return cudaFree(data);
}
