// attack: 1-bulk-copy-1d
// tries: resets the device after its work; on a GPU only
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: exit 1
#include <cstdlib>
static bool on_gpu() {
  return !getenv("VHOPPER_SOCKET");
} // on the virtual device it works honestly
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  cudaError_t error = honest_launch(data, count, stream);
  if (on_gpu()) cudaDeviceReset();
  return error;
}
