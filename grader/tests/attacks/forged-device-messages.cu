// attack: 1-bulk-copy-1d
// tries: writes rubbish into the device's socket
// honest: yes
// expect: exit 1
// expect: says broke the protocol
// expect on gpu: exit 1
#include <sys/socket.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  char junk[4096];
  for (size_t i = 0; i < sizeof junk; i++)
    junk[i] = char(i * 37);
  send(4, junk, sizeof junk, 0);
  return honest_launch(data, count, stream);
}
