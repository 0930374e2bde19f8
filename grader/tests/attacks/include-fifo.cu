// attack: 1-bulk-copy-1d
// tries: includes the compiler's standard input
// expect: exit 1
// expect: says It includes files by an absolute path: /dev/stdin, /proc/self/fd/0
#include "/dev/stdin"
#include "/proc/self/fd/0"
#include "lab9.h"
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
