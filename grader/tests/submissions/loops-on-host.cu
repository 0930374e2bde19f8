// submission: 1-bulk-copy-1d
// deadline: 1
// expect: exit 1
// expect: says 1-bulk-copy-1d does not come back
// expect: says spent more than 1 s on the host
#include "lab9.h"

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  for (volatile size_t i = 0;; i++) {
  }
}
