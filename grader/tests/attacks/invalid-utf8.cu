// attack: 1-bulk-copy-1d
// tries: prints bytes that are not UTF-8
// expect: exit 1
// expect: says It printed:
// expect: says ????????
#include "lab9.h"
#include <cstdio>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  for (int i = 128; i < 256; i++)
    putchar(i);
  puts("");
  return cudaSuccess;
}
