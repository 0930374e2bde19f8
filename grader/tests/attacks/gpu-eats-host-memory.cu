// attack: 1-bulk-copy-1d
// tries: takes all memory of the host; on a GPU only
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: exit 1
#include <cstdlib>
static bool on_gpu() {
  return !getenv("VHOPPER_SOCKET");
} // on the virtual device it works honestly
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  while (on_gpu()) {
    char *memory = new char[1 << 30];
    for (size_t i = 0; i < 1 << 30; i += 4096)
      memory[i] = 1;
  }
  return honest_launch(data, count, stream);
}
