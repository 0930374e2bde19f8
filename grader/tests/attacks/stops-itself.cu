// attack: 1-bulk-copy-1d
// tries: stops itself by a signal, so that it neither works nor sleeps
// honest: yes
// deadline: 1
// expect: exit 1
// expect: says does not come back
#include <csignal>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  raise(SIGSTOP);
  return honest_launch(data, count, stream);
}
