// What a replay had done by the ends of its clusters, and from these the steady part of a launch whose
// clusters come one after another in the same places. Blocks that load, then compute, then store do each at
// about the same time, so bytes alone would be counted from one moment of this to another: whole turns are
// taken, from the end of each cluster of one turn to the end of one so many turns later.
#ifndef VIRTUAL_HOPPER_TIME_TURNS_H
#define VIRTUAL_HOPPER_TIME_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct progress { // until `when`, in cycles
  double when, bytes, slots, memory, draws;
};

// ends: in order, of `count` clusters in so many places. *turns: what was done in whole turns, summed over
// the places, without the first turn and without the end, when places stand empty. False: there are fewer
// than two such turns.
bool turns_of(const struct progress *ends, uint64_t count, uint64_t places, struct progress *turns);

#endif
