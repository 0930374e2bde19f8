// attack: 1-bulk-copy-1d
// tries: reads hidden cases, solutions and other people's files
// expect: exit 1
// expect: says looks for the hidden cases or the solutions
// expect: silent about sees /
// expect: says falls short
#include "lab9.h"
#include <cstdio>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  for (const char *path : {"@ROOT@/grader/hidden", "@ROOT@/solutions", "@ROOT@/Makefile", "/root", "/home",
                           "/etc/passwd", "/var"})
    if (access(path, F_OK) == 0) printf("sees %s\n", path);
  return cudaSuccess;
}
