// attack: 1-bulk-copy-1d
// tries: becomes another program
// expect: exit 1
// expect: says tries to become another program
#include "lab9.h"
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  execl("/bin/sh", "sh", "-c", "echo pass; exit 0", nullptr);
  return cudaSuccess;
}
