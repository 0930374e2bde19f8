// submission: 1-bulk-copy-1d
// deadline: 3
// expect: exit 1
// expect: says 1-bulk-copy-1d does not come back
#include "lab9.h"
#include <unistd.h>

// Sleep costs no processor time, so the referee limits it as well.
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  for (;;)
    pause();
}
