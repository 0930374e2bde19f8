// Finds out whether a cluster repeats its states for ever. In: a cluster after each round of its warps; out:
// a proof that it makes no progress, or none. One idea: while no memory changes, a thread that returns to an
// earlier state does the same again, in whatever order threads run. So if every thread that isn't blocked
// does this, no thread of the cluster ever changes anything.
#ifndef VIRTUAL_HOPPER_SCHEDULE_WATCH_H
#define VIRTUAL_HOPPER_SCHEDULE_WATCH_H

#include "virtual-hopper/machine/machine.h"

#define LONGEST_WAIT \
  1000000000000000000ull // nanoseconds, 30 years: a thread that polls longer doesn't wait for time

enum watch_finding {
  WATCH_NOTHING,   // the cluster makes progress, or it is not known yet
  WATCH_TIME_ONLY, // only threads that read a clock change their state: they may wait for time
  WATCH_PROVED     // all its threads are blocked or repeat their states
};

// Starts to watch the cluster: every change of memory is counted from now on. The first rounds cost little.
void watch_begin(struct cluster *c);
void watch_end(struct cluster *c);
// To be called after a round in which each warp of the cluster had a turn. A change of memory or an event, in
// this cluster or (launch->news_version) in another one, restarts the search. An event or a change in this
// cluster ends the watch.
enum watch_finding watch_round(struct cluster *c);
// Whether the cluster has read global memory since anything changed.
bool watch_looks_outside(const struct cluster *c);
enum watch_finding watch_finding(const struct cluster *c); // of the last round
// Only time can still end the wait, as far as is known, and each thread that counts on time has looked at
// a clock since the last leap: so nobody counts the leaps.
bool watch_may_leap(const struct cluster *c);
// Each of its threads has come back to where it was, whatever the time; after watch_may_leap. A thread
// that counts something doesn't.
bool watch_has_returned(const struct cluster *c);
// Both, and just now: busy as the cluster is, it waits for time alone. *since: from when on.
bool watch_spins_for_time(const struct cluster *c, uint64_t *since);
void watch_leapt(struct cluster *c);
// Called for each cluster at the end of every epoch. True if the cluster was watched all the time since the
// last call, so that its changes are known.
bool watch_was_on(struct cluster *c);
// For a cluster with a proof: it has read no global memory meanwhile, so no other cluster can help it.
bool watch_is_closed(const struct cluster *c);
uint64_t watch_rounds(const struct cluster *c); // without a change
void watch_destroy(struct cluster *c);

#endif
