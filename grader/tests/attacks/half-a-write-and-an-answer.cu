// attack: 1-bulk-copy-1d
// tries: begins a write into the buffer, answers in the runner's place, and ends the write in the next case
// honest: yes
// expect: exit 1
// expect: says a message to the device was half sent when it answered the grader
// deadline: 900
// ends within: 600
// expect on gpu: exit 1
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  cudaError_t error = honest_launch(data, count, stream);
  if (error != cudaSuccess) return error;
  cudaStreamSynchronize(stream);
  // As server/protocol.h has them: WRITE of one row; as the runner's protocol.h has them: version 3, stage
  // RUNNER_SYNCHRONISED.
  struct {
    uint32_t magic, operation, body, reserved;
    uint64_t payload, address, pitch, width, rows;
  } write = {0x51485631, 5, 32, 0, 4 * count, (uint64_t)data, 4 * count, 4 * count, 1};
  send(4, &write, sizeof write, 0);
  send(4, "half", 4, 0);
  uint32_t answer[58] = {3, 2};
  send(3, answer, sizeof answer, 0);
  for (;;)
    pause();
}
