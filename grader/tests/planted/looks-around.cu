// attack: 1-bulk-copy-1d
// tries: with the device's process taken over, looks for this case's results and the case before
// honest: yes
// expect: exit 0
// expect: says The exercise passes
#include "planted.h"
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static int before[4] = {11, 22, 33, 44}, launches;
  int input[4], result[4];
  cudaMemcpyAsync(input, data, sizeof input, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (int i = 0; i < 4; i++)
    result[i] = input[i] + 1;
  // A case that comes again under another schedule: the device itself has computed its results before.
  const bool again = memcmp(before, input, sizeof before) == 0;
  if (launches++ < 4 && !again) {
    cudaError_t error =
        planted("input found: yes, result: no, case before: no", 'l', data, input, result, before);
    if (error != cudaSuccess) return error;
  }
  memcpy(before, input, sizeof before);
  return honest_launch(data, count, stream);
}
