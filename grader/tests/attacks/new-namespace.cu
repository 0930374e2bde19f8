// attack: 1-bulk-copy-1d
// tries: makes namespaces of its own, to be root in them
// expect: exit 1
// expect: says tries to leave its sandbox
#include "lab9.h"
#include <sched.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  unshare(CLONE_NEWUSER | CLONE_NEWNS);
  return cudaSuccess;
}
