// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d does not link: nothing defines launch_bulk_copy_1d
// expect: says extern "C"
#include "lab9.h"

cudaError_t launch_bulk_copy(int32_t *data, size_t count, cudaStream_t stream) {
  return cudaSuccess;
}
