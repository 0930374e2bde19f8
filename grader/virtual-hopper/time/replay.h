// Plays the sampled clusters of a launch on one processor (a cluster of several blocks: on as many
// processors), event by event. The memory is shared with all other processors: what a request waits there is
// given from outside, and time/predict.c finds the wait at which all processors together ask for what the
// memory gives.
#ifndef VIRTUAL_HOPPER_TIME_REPLAY_H
#define VIRTUAL_HOPPER_TIME_REPLAY_H

#include "virtual-hopper/time/record.h"

// For a timeline: a copy from its issue until it has ended, a wait until the warp goes on, a load until it
// has come, an arrival; and (event NULL) a whole cluster. In cycles.
struct time_moment {
  double begin, end, read;       // read: when a bulk store has read its source
  uint32_t cluster, place, warp; // cluster: number in the order of starts; place: of the processor's
  const struct time_cluster *sample;
  const struct time_event *event;
};

struct replay_input {
  const struct time_launch *launch;
  // Cycles that a request which misses the cache waits in the memory's queue. What goes beyond `least` takes
  // time to build up: a request waits no longer than the memory takes for what was asked for before.
  double wait, least;
  bool burst;      // the launch asks for all at once: nothing comes from elsewhere into the queue meanwhile
  double capacity; // bytes that the memory moves in a cycle for those that are played
  uint64_t seed;
  uint64_t clusters; // so many run, one after another in the places that are free; samples take turns
  uint32_t first;    // the sample that begins
  double *clocks;    // [its clocks]: cycles at which it reads them; or NULL
  struct time_moment *moments; // [most_moments], or NULL: those that touch [from, to], marks, and clusters
  uint32_t most_moments;
  double from, to;
};

struct replay_result {
  double cycles; // until the last cluster has ended
  double window; // cycles and bytes of the steady part in between, after start and before end
  double window_bytes, window_slots, window_memory, window_draws;
  double draws;                // atomics with a result, on an address that others use
  double bytes, slots, memory; // memory: of the bytes, those that the cache didn't have, and those written
  double issue_busy, special_busy, shared_busy, port_busy; // cycles in which each was busy, of one processor
  double copy_in_busy, copy_out_busy;
  double tensor_busy, waited_product; // cycles in which the tensor cores were busy; of warps
  double waited_newest; // of waited_product: for the newest product, with none started behind it
  double waited_memory, waited_barrier, waited_store; // cycles of warps
  uint64_t finished;                                  // clusters that ran to their recorded end
  uint32_t moment_count, marks;
};

struct replay_result replay_run(const struct replay_input *input);

#endif
