// attack: 1-bulk-copy-1d
// tries: ends the program with success after main, having done nothing
// expect: exit 1
// expect: says starts no kernel
#include "lab9.h"
#include <unistd.h>
__attribute__((destructor)) static void leave() {
  _exit(0);
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
