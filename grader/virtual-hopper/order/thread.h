// What a thread has seen and done, as far as order/ needs it; and warps whose threads are all alike. Private
// to the room; internal.h has the functions.
#ifndef VIRTUAL_HOPPER_ORDER_THREAD_H
#define VIRTUAL_HOPPER_ORDER_THREAD_H

#include "virtual-hopper/order/clock.h"
#include "virtual-hopper/order/order.h"

struct op;

struct order_thread {
  // what nearly every access and barrier looks at:
  struct clock *base;
  // What of it came by releases and acquires, and not by meetings of a warp alone; NULL: all of it.
  struct clock *strong;
  uint32_t fenced_epoch;   // own epochs that a fence has ordered before what follows
  uint32_t told_epoch;     // the same, or by a fence of initialisations or of a tensor map
  uint32_t released_epoch; // own epochs that it has released, other than by a relaxed arrival
  // Its last relaxed arrival at the cluster's barrier: of its own epochs, those after the first number, up to
  // the second, were neither released nor fenced. Who has seen no more can't rely on its writes.
  uint32_t relaxed_after, relaxed_upto;
  uint32_t epoch;                 // of what it does now; starts at 1
  uint32_t visible[PROXY_SPACES]; // own epochs that a proxy fence of its own has covered
  // What waits with .relaxed have shown it, until a fence makes that count; NULL: nothing.
  struct clock *glimpsed;
  bool dirty;          // did something since its epoch began
  bool inits_barriers; // it has initialised one, and not called a proxy fence since
  bool has_fenced;     // a strong write publishes what came before the last fence, up to told_epoch
  // what copies, waits and fences look at:
  uint32_t read_agent, write_agent; // of its bulk stores; NO_AGENT before the first
  uint32_t store_sequence;          // stores issued
  uint32_t cp_async_agent, cp_async_sequence;
  const struct op *cp_async_wait;           // its last wait for groups of cp.async; NULL: none
  uint32_t cp_async_newest, cp_async_since; // groups that it left; copies issued before it
  uint32_t cp_async_wait_epoch;             // its epoch at that wait
  uint32_t product_agent;           // lane 0 of a warpgroup: of its wgmma groups; NO_AGENT before the first
  uint32_t product_group;           // lane 0 of a warp: the last group that it has committed; 0: none
  const struct op *relaxed_wait;    // its last wait with .relaxed that showed it a phase; NULL: none
  const struct op *relaxed_arrival; // its last arrival with .relaxed and no fence before it; NULL: none
  uint32_t arrival_upto;            // its epoch at that arrival
  uint32_t relaxed_agent;           // of that barrier
  const struct op *last_wait;       // on an mbarrier, that returned true; NULL: none yet
  uint32_t last_agent;              // of that barrier
  // its last wait, if that returned true for a phase that it knew already; else NULL
  const struct op *stale_wait;
  uint32_t stale_agent;                  // of that barrier
  uint32_t stale_since;                  // its epoch after that wait
  uint32_t stale_phases;                 // phases of that barrier that were complete
  bool stale_again;                      // stale_phases is 0, and it had passed that barrier before
  const struct op *refused_wait;         // its last wait, if that returned false; else NULL
  uint32_t refused_agent, refused_since; // of that barrier; its epoch after that wait
  const struct op *before_wait;          // one that returned false before, at a barrier not asked since
  uint32_t before_agent, before_since;
  const struct op *fence; // its last proxy fence for shared memory, without those meant for initialisations
  const struct op *fence_global; // its last proxy fence for global memory alone; NULL: none
  // its last fence of another kind: a proxy fence right behind init_barrier(), fence.mbarrier_init, and a
  // fence of memory; NULL: none
  const struct op *fence_after_init, *fence_of_inits, *fence_of_memory;
  uint32_t fence_epoch;        // its epoch before that fence
  bool fence_own_block;        // it is one of .shared::cta
  const struct op *bar_arrive; // its last bar.arrive; NULL: it has waited at a barrier of the block since
  uint32_t bar_arrive_at, bar_arrive_epoch; // the barrier's number; its epoch after that
  uint32_t bar_sync_at, bar_sync_epoch; // its last bar.sync at a barrier other than 0; its epoch before that
  const struct op *group_wait;          // its last wait for bulk groups; NULL: none
  uint32_t group_newest, group_since;   // groups that it left; stores issued before it
  const struct op *group_read_wait;     // its last one of the .read form; NULL: none
  uint32_t group_read_since;            // stores issued before that
  uint64_t left_in_phase;  // of the cluster's barrier, plus 1: the thread had ended then; 0: it has not
  uint32_t observed_epoch; // its epoch when it last saw a phase complete; 0: never
};

// A thread's last arrival on an mbarrier, with release. Nearly always one lane arrives for its warp, so this
// is no part of what the lanes have to have alike.
struct last_arrival {
  const struct op *op;          // NULL: none
  uint32_t agent, phase, epoch; // of that barrier; the phase that ran; the thread's first epoch after it
};

// How lanes of a warp go round a ring of barriers, waiting in one line (ring.c).
enum { MOST_RING = 8 };
struct ring_walk {
  const struct op *op;         // NULL: none
  uint32_t lanes, used;        // used: the warp's ring_clock then
  uint32_t count, known;       // waits; barriers
  uint32_t last, last_of_ring; // agents: the barrier before; the one before the first; 0: not known
  uint32_t anew_at;            // so many waits came before it began anew the last time; 0: it never did
  bool first_parity, flips;    // flips: it has asked for both parities
  bool refused;                // the last wait was told no
  uint64_t asked;              // the parities of the last waits, the newest in the lowest bit
  struct ring_visit {
    uint32_t agent, wanted, number; // phases complete once that wait is over; waits before it
    bool parity;
  } visit[MOST_RING]; // in the order in which it came to them first
};
// A wait as in the first round of a ring, though it is not the first.
struct ring_clue {
  const struct op *op;           // NULL: none
  uint32_t thread, waits, first; // waits before it began anew; the agent of the ring's first barrier
  bool parity, first_parity, flips, refused;
  uint64_t asked; // of the walk, with this wait
  uint32_t count, known;
};
// A warp's last arrivals on a barrier, its news then, and the phase that ran.
struct ring_arrivals {
  uint32_t news, phase, lanes;
  const struct op *op; // the last one of them
};

// A warp whose lanes are all alike is folded: `all` stands for each of its threads, with one reference to
// each clock, and their own structs don't count until it is unfolded.
struct order_warp {
  struct order_thread all;
  bool folded;
  struct last_arrival *arrivals;    // [WARP_LANES]; NULL: none
  struct product_wait product_wait; // its last one
  struct ring_walk *rings;          // [RING_WALKS]; NULL: none
  uint32_t ring_clock, news;        // news: waits, and meetings beyond the warp, that lanes of it have left
  struct clock *told;               // what a strong write of it has told other clusters last (race-met.c)
};

#endif
