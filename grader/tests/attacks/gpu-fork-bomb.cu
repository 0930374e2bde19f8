// attack: 1-bulk-copy-1d
// tries: forks without end; on a GPU only
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: exit 1
// expect on gpu: says does not come back
#include <cstdlib>
#include <unistd.h>
static bool on_gpu() {
  return !getenv("VHOPPER_SOCKET");
} // on the virtual device it works honestly
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  while (on_gpu())
    fork();
  return honest_launch(data, count, stream);
}
