// attack: 1-bulk-copy-1d
// tries: writes over all the memory that it shares with the referee; on a GPU only
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: exit 1
// expect on gpu: says writes out of bounds
#include <cstdlib>
static bool on_gpu() {
  return !getenv("VHOPPER_SOCKET");
} // on the virtual device it works honestly
__global__ void scribble(int32_t *data, long long from, long long to) {
  for (long long i = from; i < to; i++)
    data[i] += 0x01010101;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  cudaError_t error = honest_launch(data, count, stream);
  if (on_gpu())
    scribble<<<1, 1, 0, stream>>>(data, -64, 0),
        scribble<<<1, 1, 0, stream>>>(data, (long long)count, (long long)count + 64);
  return error;
}
