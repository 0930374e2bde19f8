// attack: 1-bulk-copy-1d
// tries: prints without end
// expect: exit 1
// expect: says prints more than 1 MiB
#include "lab9.h"
#include <cstdio>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  for (;;)
    puts("a line that nobody asked for, and then another one");
}
