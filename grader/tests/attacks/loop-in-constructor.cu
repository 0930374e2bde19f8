// attack: 1-bulk-copy-1d
// tries: loops before main
// deadline: 1
// expect: exit 1
// expect: says the constructor of a global object
// expect: says does not come back
#include "lab9.h"
__attribute__((constructor)) static void loop() {
  for (volatile int i = 0;;)
    i = i;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
