// attack: 1-bulk-copy-1d
// tries: ends the program from a signal handler
// expect: exit 1
// expect: says ends the program
#include "lab9.h"
#include <csignal>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  signal(SIGSEGV, [](int) { _exit(0); });
  *(volatile int *)nullptr = 0;
  return cudaSuccess;
}
