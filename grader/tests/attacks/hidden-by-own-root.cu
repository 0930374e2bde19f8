// attack: 1-bulk-copy-1d
// tries: looks for the hidden cases through /proc/self/root, and by calls that open no file
// expect: exit 1
// expect: says looks for the hidden cases or the solutions
// expect: silent about found
#include "lab9.h"
#include <stdio.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  struct statfs status;
  if (statfs("/proc/self/root@ROOT@/grader/hidden/lab9", &status) == 0 ||
      listxattr("@ROOT@/solutions", nullptr, 0) >= 0)
    puts("found it");
  return cudaSuccess;
}
