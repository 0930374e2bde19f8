// attack: 1-bulk-copy-1d
// tries: blocks and ignores every signal, and loops
// deadline: 1
// expect: exit 1
// expect: says does not come back
#include "lab9.h"
#include <csignal>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  for (int i = 1; i < 65; i++)
    signal(i, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  for (volatile int i = 0;;)
    i = i;
}
