// attack: 1-bulk-copy-1d
// tries: sends half a message to the device, and waits
// deadline: 3
// expect: exit 1
// expect: says does not come back
// expect on gpu: exit 1
#include "lab9.h"
#include <sys/socket.h>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  send(4, "half", 4, 0);
  for (;;)
    pause();
}
