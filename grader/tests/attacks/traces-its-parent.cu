// attack: 1-bulk-copy-1d
// tries: attaches to another process as a debugger does
// expect: exit 1
// expect: says tries to look into another process
#include "lab9.h"
#include <sys/ptrace.h>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr);
  return cudaSuccess;
}
