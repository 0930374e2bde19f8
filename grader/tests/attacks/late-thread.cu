// attack: 1-bulk-copy-1d
// tries: works in a thread, after the answer
// honest: yes
// expect: exit 1
// expect: says starts no kernel
// expect: says Its host code starts threads
#include <thread>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  std::thread([=] { usleep(2000000), honest_launch(data, count, stream); }).detach();
  return cudaSuccess;
}
