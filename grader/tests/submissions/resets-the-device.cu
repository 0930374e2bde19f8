// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says falls short
// expect: says All of them hold the input, unchanged.
#include "lab9.h"

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return cudaDeviceReset();
}
