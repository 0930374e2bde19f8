// attack: 1-bulk-copy-1d
// tries: ends the program with success before main
// expect: exit 1
// expect: says the constructor of a global object
// expect: says ends the program
#include "lab9.h"
#include <unistd.h>
__attribute__((constructor)) static void leave() {
  _exit(0);
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
