// The scheduler. A grid runs in epochs. In the first part of an epoch the workers share out the clusters:
// each cluster runs until it ends, can't go on, or wants to do an ordered access to global memory (an
// atomic with a result, a volatile or acquire load ...). In the second part the clusters with such an
// access get the turn, one after the other, and each runs alone. Between epochs all clusters' clocks are
// set to the latest of them; if all clusters can only wait for time, to the first moment for which one of
// them waits. Nothing depends on the number of workers or on their speed.
#ifndef VIRTUAL_HOPPER_SCHEDULE_SCHEDULE_H
#define VIRTUAL_HOPPER_SCHEDULE_SCHEDULE_H

#include "virtual-hopper/machine/program.h"

enum {
  SLICE_OPS = 2048,         // of a split in one turn of its warp
  TURN_SLICE_OPS = 256,     // the same while its cluster has the turn at ordered accesses
  TURN_LINGER_OPS = 1024,   // a cluster gives the turn back after so many ops without an ordered access
  TURN_MOST_OPS = 200000,   // and after so many in any case
  PATIENCE_OPS = 1000000,   // without any event; then late effects land although threads are busy
  EPOCH_MOST_OPS = 4000000, // ops of a cluster in one epoch
  // polls without news after which a thread counts as waiting: late effects may then land
  IDLE_POLLS_TO_DELIVER = 2,
  // Of these clusters the first late effects wait for more of them (machine.h).
  TRYING_CLUSTERS = 2,
  TRYING_EFFECTS = 4,
  TRYING_ANSWERS = 10000,
  IDLE_POLLS_TO_PASS = 4, // ... and time may leap
  CLOCK_SLACK = 20000,    // nanoseconds that the clocks of two clusters may differ by within an epoch
  PAUSES_TO_PASS = 2,     // leaps of time after which other clusters run; more when no cluster changes
};

enum cluster_state {
  CLUSTER_UNSTARTED,
  CLUSTER_RUNNING,
  CLUSTER_WANTS_TURN,
  CLUSTER_POLLING,
  CLUSTER_SLEEPING, // until wakes_at; none of its threads can do anything before
  CLUSTER_STUCK,
  CLUSTER_FINISHED,
  CLUSTER_FAILED
};

// ---- cluster.c ----
struct cluster *cluster_make(struct launch *l); // memory only
void cluster_destroy(struct cluster *c);
// gives it its place in the grid, its threads stand at the first op
void cluster_begin(struct cluster *c, uint64_t slot);
// All its threads have exited, or it was stopped. Returns the thread-instructions that they executed.
uint64_t cluster_end(struct cluster *c);
void cluster_pass_time(struct cluster *c, uint64_t time); // its clock shows at least this
enum cluster_state cluster_run(struct cluster *c);        // until it can't go on or has had its share

// ---- grid.c ----
struct grid;
struct crew;
// To the end of the grid, or launch->device_error is set. crew: of the device; NULL: for one worker.
void grid_run(struct launch *l, struct crew *crew, unsigned workers);
// What `warps` warps of a kernel take of LAUNCH_MOST_BYTES: fewer clusters are resident where that would be
// more.
size_t grid_resident_bytes(const struct function *f, uint64_t warps);
// Blocks of this shape, with so many registers a thread (0: not known), that the whole chip holds at a time.
uint32_t grid_most_resident_blocks(uint32_t threads, uint32_t shared_bytes, uint32_t registers);

#endif
