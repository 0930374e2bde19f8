// attack: 1-bulk-copy-1d
// tries: opens a connection to another machine
// expect: exit 1
// expect: says tries to use the network
#include "lab9.h"
#include <sys/socket.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  socket(AF_INET, SOCK_STREAM, 0);
  return cudaSuccess;
}
