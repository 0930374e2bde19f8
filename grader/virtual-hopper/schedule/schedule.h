// The scheduler: who runs when. A grid runs in epochs. In the first part of an epoch the workers share out the clusters, each running by itself until it
// ends, can't go on, or wants to do an ordered access to global memory (an atomic with a result, a volatile or acquire load ...). In the second part the
// clusters that want that get the turn one after the other, alone. Nothing here depends on how many workers there are or how fast they are.
#ifndef VIRTUAL_HOPPER_SCHEDULE_H
#define VIRTUAL_HOPPER_SCHEDULE_H

#include "virtual-hopper/decode/program.h"

enum {
  SLICE_OPS = 2048,         // of a split in one turn of its warp
  TURN_SLICE_OPS = 256,     // the same while its cluster has the turn at ordered accesses
  TURN_LINGER_OPS = 1024,   // a cluster gives the turn back after so many ops without an ordered access
  TURN_MOST_OPS = 200000,   // and after so many at all
  PATIENCE_OPS = 1000000,   // without any event, after which a late effect lands though threads are busy
  EPOCH_MOST_OPS = 4000000, // ops of a cluster in one epoch
  IDLE_POLLS_TO_DELIVER =
      2, // polls without news after which a thread counts as waiting: late effects may then land
  IDLE_POLLS_TO_PASS = 4, // ... and its cluster lets others run
  IDLE_EXPIRIES =
      256, // times that all potentially blocking waits may time out without news before the cluster is stuck
};
#define IDLE_EPOCHS_TO_STOP \
  2000u // epochs without any news in the whole grid, everybody polling, before it counts as a deadlock

// Of the host's memory: what a launch may take for local memory and registers of the blocks that are resident, and as much again by launch_take. A
// program that stays far below it doesn't depend on how many workers there are; one that comes up to it is stopped, sooner or later.
#define LAUNCH_MOST_BYTES ((size_t)2 << 30)

enum cluster_state {
  CLUSTER_UNSTARTED,
  CLUSTER_RUNNING,
  CLUSTER_WANTS_TURN,
  CLUSTER_POLLING,
  CLUSTER_STUCK,
  CLUSTER_FINISHED,
  CLUSTER_FAILED
};

// ---- warp/run.c ----
uint32_t warp_run(struct warp *w, uint32_t slice); // ops executed

// ---- warp/barrier.c ----
void barrier_threads_left(struct warp *w, uint32_t lanes); // lanes have exited: barriers may be complete now

// ---- schedule-cluster.c ----
struct cluster *cluster_make(struct launch *l); // memory only
void cluster_destroy(struct cluster *c);
void cluster_begin(struct cluster *c,
                   uint64_t slot);   // gives it its place in the grid, its threads stand at the first op
void cluster_end(struct cluster *c); // all its threads are gone, or it is given up
enum cluster_state cluster_run(struct cluster *c); // until it can't go on or has had its share

// Bytes of the host's memory for what a kernel may ask for without end: calls in calls, copies under way. False: the launch has had its share.
bool launch_take(struct launch *l, size_t bytes);
bool launch_out_of_time(const struct launch *l); // past launch->deadline

// ---- schedule-grid.c ----
struct grid;
void grid_run(struct launch *l, unsigned workers); // to the end of the grid, or launch->device_error is set
// What `warps` warps of a kernel take of LAUNCH_MOST_BYTES: fewer clusters are resident where that would be more.
size_t grid_resident_bytes(const struct function *f, uint64_t warps);
// Blocks of this shape that the whole chip holds at a time.
uint32_t grid_most_resident_blocks(uint32_t threads, uint32_t shared_bytes);

// ---- schedule-stuck.c: what to tell when nobody can go on ----
void stuck_report(struct launch *l, struct cluster *const clusters[], uint32_t count, uint64_t unstarted,
                  bool out_of_time);

#endif
