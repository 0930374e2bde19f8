// Whether a cluster goes round in circles. In: a cluster after each round of its warps; out: a proof that it
// never gets any further, or none. One idea: as long as no memory changes, a thread whose whole state is the
// same as once before goes the same way again, whoever runs when; so if that holds for each thread that isn't
// blocked, nobody in the cluster ever changes anything.
#ifndef VIRTUAL_HOPPER_SCHEDULE_WATCH_H
#define VIRTUAL_HOPPER_SCHEDULE_WATCH_H

#include "virtual-hopper/machine/machine.h"

#define LONGEST_WAIT \
  1000000000000000000ull // nanoseconds, 30 years: who polls longer than that doesn't wait for time

enum watch_finding {
  WATCH_NOTHING,   // it goes on, or nobody knows yet
  WATCH_TIME_ONLY, // only threads that read a clock change their state: they may wait for time alone
  WATCH_PROVED     // all its threads are blocked or go round in circles
};

// The cluster is suspected: every change of memory is noted from now on. Cheap until some rounds have passed.
void watch_begin(struct cluster *c);
void watch_end(struct cluster *c);
// After a round in which each of the cluster's warps had a turn. A change of memory or an event, of this
// cluster or (launch->news_version) any other, makes it begin afresh; an event or a change of its own ends
// the watch.
enum watch_finding watch_round(struct cluster *c);
enum watch_finding watch_finding(const struct cluster *c); // of the last round
// Called for each cluster at the end of every epoch: true if it was watched all the time since the last call,
// so that what it changed is known.
bool watch_was_on(struct cluster *c);
// Of a proof: the cluster has looked at no global memory meanwhile, so nobody outside can help it.
bool watch_is_closed(const struct cluster *c);
uint64_t watch_rounds(const struct cluster *c); // without a change
void watch_destroy(struct cluster *c);

#endif
