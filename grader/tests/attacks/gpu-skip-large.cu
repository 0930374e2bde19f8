// attack: 1-bulk-copy-1d
// tries: does no work when it is timed; on a GPU only
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: exit 1
// expect on gpu: says computes a wrong result on large arrays
#include <cstdlib>
static bool on_gpu() {
  return !getenv("VHOPPER_SOCKET");
} // on the virtual device it works honestly
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return on_gpu() && count > (32 << 20) ? cudaSuccess : honest_launch(data, count, stream);
}
