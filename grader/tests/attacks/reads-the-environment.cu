// attack: 1-bulk-copy-1d
// tries: reads the grader's environment
// expect: exit 1
// expect: silent about the-grader-s-own
// expect: says It printed:
#include "lab9.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  for (char **variable = environ; *variable; variable++)
    puts(*variable);
  return cudaSuccess;
}
