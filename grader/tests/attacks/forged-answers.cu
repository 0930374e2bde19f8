// attack: 1-bulk-copy-1d
// tries: sends answers of its own over the control socket, before main
// expect: exit 1
// expect: says that are no answer over the grader's own socket
#include "lab9.h"
#include <cstring>
#include <sys/socket.h>
__attribute__((constructor)) static void forge() {
  struct {
    uint32_t version, stage;
    int32_t error;
    char text[200];
  } answer = {1, 0, 0, "pass"};
  for (int i = 0; i < 64; i++) {
    answer.stage = i ? 2 : 0;
    send(3, &answer, sizeof answer, MSG_DONTWAIT);
  }
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
