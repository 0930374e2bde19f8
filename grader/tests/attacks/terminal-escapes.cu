// attack: 1-bulk-copy-1d
// tries: prints terminal escapes, to make a failure look like a pass
// expect: exit 1
// expect: says ?[2J?[H
#include "lab9.h"
#include <cstdio>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  printf("\033[2J\033[H\033]0;passed\007\033[32mAll exercises pass.\033[0m\r\b\b\n");
  return cudaSuccess;
}
