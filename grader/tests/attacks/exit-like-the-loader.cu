// attack: 1-bulk-copy-1d
// tries: exits as if the loader had found no library, to be counted as a grader error
// expect: exit 1
// expect: says ends the program instead of returning
// expect: says happened before main
// expect: silent about grader error
#include "lab9.h"
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void early() {
  fputs("runner: error while loading shared libraries: libcuda.so.1: not found\n", stderr);
  _exit(127);
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
