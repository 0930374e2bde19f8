// attack: 1-bulk-copy-1d
// tries: replaces send() of the runner, and reports success
// expect: exit 1
// expect: says in the place of a library's: send
// expect: says meddles with the grader's connection
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
extern "C" ssize_t send(int file, const void *bytes, size_t count, int flags) {
  int32_t words[64] = {};
  for (size_t i = 0; i < count / 4 && i < 64; i++)
    words[i] = ((const int32_t *)bytes)[i];
  if (file == 3) words[1] = 2, words[2] = 0; // synchronised, no error
  return syscall(SYS_sendto, file, file == 3 ? words : bytes, count, flags, nullptr, 0);
}
#include "lab9.h"
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaErrorUnknown;
}
