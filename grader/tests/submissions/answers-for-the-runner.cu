// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says 1-bulk-copy-1d meddles with the grader's connection
#include "lab9.h"
#include <unistd.h>

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static const char claim[] = "verdict: pass";
  for (int descriptor = 3; descriptor < 16; descriptor++)
    if (write(descriptor, claim, sizeof claim) < 0) continue;
  return cudaSuccess;
}
