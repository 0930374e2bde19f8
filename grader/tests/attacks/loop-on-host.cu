// attack: 1-bulk-copy-1d
// tries: loops in the launcher
// deadline: 1
// expect: exit 1
// expect: says does not come back
#include "lab9.h"
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  for (volatile int i = 0;;)
    i = i;
}
