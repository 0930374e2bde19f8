// attack: 1-bulk-copy-1d
// tries: interrupts its own system calls by signals, to get a call to the network past the filter
// honest: yes
// expect: exit 1
// expect: says tries to use the network
// expect on gpu: silent about grader error
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
static void nothing(int) {}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  struct sigaction action = {};
  action.sa_handler = nothing;
  sigaction(SIGALRM, &action, nullptr);
  itimerval often = {{0, 20}, {0, 20}}, never = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int i = 0; i < 3000; i++)
    close(open("/nowhere", O_RDONLY));
  setitimer(ITIMER_REAL, &never, nullptr);
  socket(AF_INET, SOCK_STREAM, 0);
  return honest_launch(data, count, stream);
}
