// attack: 1-bulk-copy-1d
// tries: nothing: an honest launcher that a timer interrupts all the time
// honest: yes
// expect: exit 0
// expect: says The exercise passes
#include <csignal>
#include <sys/time.h>
static void nothing(int) {}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  struct sigaction action = {};
  action.sa_handler = nothing;
  sigaction(SIGALRM, &action, nullptr);
  itimerval often = {{0, 200}, {0, 200}}, never = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  const cudaError_t error = honest_launch(data, count, stream);
  setitimer(ITIMER_REAL, &never, nullptr);
  return error;
}
