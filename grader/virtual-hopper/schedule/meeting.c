// In: threads that arrive. Out: all of them go on when the last one has come. The idea: the number of the
// meeting changes when all are there; who waits reads it over and over for a moment, then sleeps until it is
// told. A sleeper counts itself before it looks for the last time, and the last one to arrive changes the
// number before it counts the sleepers: so one of the two sees the other.
#include "virtual-hopper/schedule/meeting.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "monotonic.h"

enum { LOOKS_BETWEEN_TIMES = 32 };
static const double MOMENT = 50e-6; // seconds: about what it takes to put 16 threads to sleep and wake them

void meeting_init(struct meeting *m, unsigned members, bool looks) {
  *m = (struct meeting){.members = members, .looks = looks};
}

static void pause_a_little(void) {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

bool meeting_look(atomic_uint *word, unsigned old) {
  const double until = monotonic_seconds() + MOMENT;
  do {
    for (int i = 0; i < LOOKS_BETWEEN_TIMES; i++) {
      if (atomic_load_explicit(word, memory_order_acquire) != old) return true;
      pause_a_little();
    }
  } while (monotonic_seconds() < until);
  return false;
}

static void sleep_until_it_begins(struct meeting *m, unsigned number) {
  atomic_fetch_add(&m->sleepers, 1);
  while (atomic_load(&m->number) == number)
    syscall(SYS_futex, &m->number, FUTEX_WAIT_PRIVATE, number, NULL, NULL, 0);
  atomic_fetch_sub(&m->sleepers, 1);
}

static void begin(struct meeting *m, unsigned number) {
  atomic_store_explicit(&m->arrived, 0, memory_order_relaxed); // nobody arrives before the number has changed
  atomic_store(&m->number, number + 1);
  if (atomic_load(&m->sleepers)) syscall(SYS_futex, &m->number, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void meeting_wait(struct meeting *m) {
  const unsigned number = atomic_load(&m->number);
  if (atomic_fetch_add(&m->arrived, 1) + 1 == m->members)
    begin(m, number);
  else if (!(m->looks && meeting_look(&m->number, number)))
    sleep_until_it_begins(m, number);
}
