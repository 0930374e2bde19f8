// attack: 1-bulk-copy-1d
// tries: starts a kernel that never ends; on a GPU only
// honest: yes
// deadline: 3
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: exit 1
// expect on gpu: says does not come back
#include <cstdlib>
static bool on_gpu() {
  return !getenv("VHOPPER_SOCKET");
} // on the virtual device it works honestly
__global__ void spin(volatile int32_t *data) {
  while (data[0] != data[0] + 1) {
  }
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  if (on_gpu()) spin<<<132, 1024, 0, stream>>>(data);
  return honest_launch(data, count, stream);
}
