// attack: 1-bulk-copy-1d
// tries: keeps a kernel of its own running on another stream all the time; on a GPU only
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: exit 1
#include <cstdlib>
static bool on_gpu() {
  return !getenv("VHOPPER_SOCKET");
} // on the virtual device it works honestly
__global__ void spin(volatile int *stop) {
  while (!*stop) {
  }
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static cudaStream_t own;
  static int *stop;
  if (on_gpu() && !own) {
    cudaMalloc(&stop, 4);
    cudaMemset(stop, 0, 4);
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    spin<<<64, 1024, 0, own>>>(stop);
  }
  return honest_launch(data, count, stream);
}
