// A meeting point of threads, as pthread_barrier_t, for meetings that are close together: who waits looks for
// a moment before it sleeps, since to be woken takes longer than many an epoch.
#ifndef VIRTUAL_HOPPER_SCHEDULE_MEETING_H
#define VIRTUAL_HOPPER_SCHEDULE_MEETING_H

#include <stdatomic.h>
#include <stdbool.h>

struct meeting {
  unsigned members;
  bool looks; // this machine has a core for each member
  atomic_uint arrived, number, sleepers;
};

// members: at least 1.
void meeting_init(struct meeting *m, unsigned members);
// Returns when all members have called it. What each did before is seen by all.
void meeting_wait(struct meeting *m);

#endif
