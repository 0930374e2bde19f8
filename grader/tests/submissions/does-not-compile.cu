// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says build failed
// expect: says 1-bulk-copy-1d does not compile
// expect: says 1-bulk-copy-1d.cu(12): error: identifier "undeclared" is undefined
// expect: says and 1 more error after it
// expect: says make hint-1
#include "lab9.h"

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  int unused = 0;
  data += undeclared;
  return another;
}
