// attack: 1-bulk-copy-1d
// tries: prints one line of nearly a megabyte
// expect: exit 1
// expect: says xxx...
#include "lab9.h"
#include <cstdio>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  for (int i = 0; i < 1000; i++)
    putchar('x');
  static int launches;
  for (int i = 0; i < 900000 && !launches; i++)
    putchar('x');
  launches++;
  return cudaSuccess;
}
