// attack: 1-bulk-copy-1d
// tries: nothing: an honest submission that launches from a thread, and waits for it
// honest: yes
// expect: exit 0
// expect: says The exercise passes
#include <thread>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  cudaError_t error = cudaErrorUnknown;
  std::thread([&] { error = honest_launch(data, count, stream); }).join();
  return error;
}
