// attack: 1-bulk-copy-1d
// tries: kills every process it may
// expect: exit 1
// expect: says sends signals to processes
#include "lab9.h"
#include <signal.h>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  kill(getppid(), SIGKILL);
  kill(-1, SIGKILL);
  kill(0, SIGCONT);
  return cudaSuccess;
}
