// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d prints more than 1 MiB and was stopped
#include "lab9.h"
#include <stdio.h>

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  for (;;)
    puts("rubbish, rubbish, rubbish, rubbish, rubbish, rubbish, rubbish, rubbish, rubbish");
}
