// Private to what is told when nobody can go on: schedule-stuck.c looks round and reports, schedule-untouched.c finds the likeliest cause, schedule-reach.c
// tells where control can lead.
#ifndef VIRTUAL_HOPPER_SCHEDULE_STUCK_H
#define VIRTUAL_HOPPER_SCHEDULE_STUCK_H

#include "virtual-hopper/schedule.h"

enum { MOST_GROUPS = 64 };

struct waiting_group { // threads that wait at one instruction for one thing
  const struct op *op;
  enum wait_reason reason;
  uint64_t object;
  const struct split *split;              // the first one seen, and
  const struct block *block;              // its block
  uint8_t threads[BLOCK_MAX_THREADS / 8]; // of that block
  uint64_t thread_count, block_count;
  const struct block *last; // counted as a block
};

struct survey {
  struct launch *launch;
  struct waiting_group groups[MOST_GROUPS];
  uint32_t count;
  uint64_t threads;
};

// ---- schedule-stuck.c ----
uint32_t stuck_first_thread(const struct waiting_group *g);
// "thread 0", "threads 0-31", "threads 1-31 and 33 (and 40 more)"
void stuck_name_threads(const struct waiting_group *g, char *text, size_t size);
// Of a group that waits for an mbarrier; NULL: there is none yet. owner: the block that holds it.
struct mbarrier *stuck_barrier(const struct waiting_group *g, struct block **owner);

// ---- schedule-untouched.c: what no barrier's counts tell ----
// Threads at a barrier of the whole block that others can't come to. Fills message, remedy and edit as a number of a group; false: there are none.
bool stuck_explain_branch(const struct survey *survey, struct fault *f);
// Nobody has done anything for the phase that is waited for: was no load started, should somebody have arrived, or this wait have passed? Fills
// message, remedy and edit of `f`; what else is to be shown goes into `more`, whose edit counts in its own related places.
void stuck_explain_untouched(const struct survey *survey, struct fault *f, struct fault *more);

// ---- schedule-reach.c ----
typedef bool reach_wanted(const struct function *function, const struct op *op, uint64_t what);
// False: from the op at `pc` of the frame on (that one included), whatever the data are, control never comes to an op that is wanted.
bool reach_may_lead(const struct frame *frame, uint32_t pc, reach_wanted *wanted, uint64_t what);
reach_wanted reach_is_barrier; // what: the number of the block's barrier
reach_wanted reach_is_signal;  // an arrival on some mbarrier, or a copy that completes on one

#endif
