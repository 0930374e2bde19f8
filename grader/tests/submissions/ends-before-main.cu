// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d ends the program instead of returning
// expect: says ended with status 3
#include "lab9.h"
#include <stdlib.h>

static int before_main = (exit(3), 0);

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return cudaSuccess;
}
