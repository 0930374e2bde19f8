// attack: 1-bulk-copy-1d
// tries: reads the hidden cases through a link of its own
// expect: exit 1
// expect: says looks for the hidden cases or the solutions
// expect: silent about opened
#include "lab9.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  if (symlink("@ROOT@/grader/hidden/lab9/1-bulk-copy-1d.cfg", "mine") == 0 && open("mine", O_RDONLY) >= 0)
    puts("opened it");
  return cudaSuccess;
}
