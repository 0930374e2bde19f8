// Whether threads wait or work, or haven't got a processor. In: threads of this process. Out: time that
// counts. One idea: what the program would have done by now depends on the machine's load, so a pause is
// none as long as somebody who could go on has not been let.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client-probe.h"
#include "virtual-hopper/shim/client.h"

enum { MOST_US = 100000 }; // of one look: what was before it nobody knows

static int64_t now_us(clockid_t clock) {
  struct timespec now = {0};
  if (clock_gettime(clock, &now) != 0) return -1; // behind the referee's walls, say
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// A thread's own clock, as the C library makes it of a number (pthread_getcpuclockid).
static clockid_t clock_of(int thread) {
  enum { OF_A_THREAD = 6 };
  return (clockid_t)(~(unsigned)thread << 3 | OF_A_THREAD);
}

static int64_t pass(struct client_pace *p, int64_t worked, bool sleeps) {
  const int64_t now = now_us(CLOCK_MONOTONIC), elapsed = now - p->at, done = worked - p->worked;
  const bool is_first = !p->at;
  p->at = now;
  p->worked = worked;
  if (is_first) return 0;
  const int64_t counts = sleeps || worked < 0 || done > elapsed ? elapsed : done;
  return counts < 0 ? 0 : counts < MOST_US ? counts : MOST_US;
}

int64_t client_pace_of_thread(struct client_pace *p, int thread) {
  return pass(p, now_us(clock_of(thread)), client_thread_sleeps(thread));
}

int64_t client_pace_of_others(struct client_pace *p) {
  return pass(p, now_us(CLOCK_PROCESS_CPUTIME_ID), client_others_sleep());
}
