// A meeting point of threads, as pthread_barrier_t, for meetings that are close together: who waits looks for
// a moment before it sleeps, since to be woken takes longer than many an epoch.
#ifndef VIRTUAL_HOPPER_SCHEDULE_MEETING_H
#define VIRTUAL_HOPPER_SCHEDULE_MEETING_H

#include <stdatomic.h>
#include <stdbool.h>

struct meeting {
  unsigned members;
  bool looks;
  atomic_uint arrived, number, sleepers;
};

// members: at least 1. looks: this machine has a processor for each.
void meeting_init(struct meeting *m, unsigned members, bool looks);
// Returns when all members have called it. What each did before is seen by all.
void meeting_wait(struct meeting *m);
// Looks at the word for a moment. Returns true as soon as it is no longer `old`.
bool meeting_look(atomic_uint *word, unsigned old);

#endif
