// attack: 1-bulk-copy-1d
// tries: leaves the CUDA context in an error state; on a GPU only
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: exit 1
// expect on gpu: says CUDA error
#include <cstdlib>
static bool on_gpu() {
  return !getenv("VHOPPER_SOCKET");
} // on the virtual device it works honestly
__global__ void trap() {
  asm volatile("trap;");
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  if (on_gpu()) trap<<<1, 1, 0, stream>>>();
  cudaGetLastError();
  return honest_launch(data, count, stream);
}
