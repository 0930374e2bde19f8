// attack: 1-bulk-copy-1d
// tries: sends a large message that is no answer
// expect: exit 1
// expect: says that are no answer
#include "lab9.h"
#include <sys/socket.h>
__attribute__((constructor)) static void forge() {
  static char junk[60000];
  send(3, junk, sizeof junk, 0);
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
