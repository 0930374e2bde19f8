// submission: 1-bulk-copy-1d
// deadline: 3
// expect: exit 1
// expect: says 1-bulk-copy-1d does not come back
#include "lab9.h"
#include <unistd.h>

// Sleeping costs no processor time: only a wall clock can end this.
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  for (;;)
    pause();
}
