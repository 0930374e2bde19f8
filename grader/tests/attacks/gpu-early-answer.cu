// attack: 1-bulk-copy-1d
// tries: answers at once, while its kernels are still running; on a GPU only
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: exit 1
#include <cstdlib>
static bool on_gpu() {
  return !getenv("VHOPPER_SOCKET");
} // on the virtual device it works honestly
extern "C" cudaError_t cudaDeviceSynchronize() {
  return on_gpu() ? cudaSuccess : cudaStreamSynchronize(cudaStreamLegacy);
}
extern "C" cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
extern "C" cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return honest_launch(data, count, stream);
}
