// Private to the files of diagnose/. stuck.c collects the waiting threads and reports them. untouched.c finds
// the likeliest cause, signaller.c who should have signalled a barrier, skipped.c the warp that leaves out an
// arrival, lanes.c the lanes that a warp waits for in vain, circle.c whose turn was left out. reach.c says
// which instructions control can reach.
#ifndef VIRTUAL_HOPPER_DIAGNOSE_INTERNAL_H
#define VIRTUAL_HOPPER_DIAGNOSE_INTERNAL_H

#include "virtual-hopper/machine/program.h"
#include "virtual-hopper/rules/stuck-words.h"

enum { MOST_GROUPS = 64 };

struct waiting_group { // threads that wait at one instruction for the same thing
  const struct op *op;
  enum wait_reason reason;
  uint64_t object;
  const struct split *split;              // the first split found in this group
  const struct block *block;              // the block of that split
  uint8_t threads[BLOCK_MAX_THREADS / 8]; // one bit per thread of that block
  uint64_t thread_count, block_count;
  const struct block *last; // the last block that block_count includes
};

struct survey {
  struct launch *launch;
  struct waiting_group groups[MOST_GROUPS];
  uint32_t count;
  uint64_t threads;
  bool busy; // some thread runs and does not poll an mbarrier
};

// ---- stuck.c ----
uint32_t stuck_first_thread(const struct waiting_group *g);
bool stuck_has_thread(const struct waiting_group *g, uint32_t thread);
// Where the split stands, for a reader: a loop that polls stands at its poll.
const struct op *stuck_standing_at(const struct split *s);
// Why it waits; a loop that polls an mbarrier waits for it.
enum wait_reason stuck_reason_of(const struct split *s);
struct stuck_threads stuck_threads_of(const struct waiting_group *g);
// Returns the mbarrier that the group waits for; NULL: no mbarrier exists at that address. `owner` receives
// the block whose shared memory holds the mbarrier. Only for a group that waits for an mbarrier.
struct mbarrier *stuck_barrier(const struct waiting_group *g, struct block **owner);

// ---- lanes.c ----
// The group waits for lanes of its warp. Records a fault: the mask names too many lanes, or a branch keeps
// them away.
void stuck_explain_lanes(const struct survey *survey, const struct waiting_group *g);

// ---- skipped.c ----
// The group waits at a barrier of the block that counts its threads. Records which warp has left out its
// arrival; returns false when none is known to have.
bool stuck_explain_skipped(const struct survey *survey, const struct waiting_group *g);

// ---- untouched.c: causes that do not show in the counts of any barrier ----
// Looks for threads that wait at a barrier of the whole block which other threads cannot reach. Fills
// message, remedy and edit of `f`; edit is the number of a group. Returns false when there are no such
// threads.
bool stuck_explain_branch(const struct survey *survey, struct fault *f);
// Explains a wait for a phase on which nothing has happened. Either no load was started, or an arrival is
// missing, or this wait should have passed. Fills message, remedy and edit of `f`. Further places to show go
// into `more`; its edit is a number in its own list of related places.
void stuck_explain_untouched(const struct survey *survey, struct fault *f, struct fault *more);
// Whether the group's wait is one of a cuda::pipeline's functions.
bool stuck_waits_in_pipeline(const struct waiting_group *g);

// ---- signaller.c ----
// Fills in what is known of the thread that should have signalled `m`, a barrier of `owner`.
void stuck_find_signaller(const struct survey *survey, struct block *owner, const struct mbarrier *m,
                          struct stuck_signaller *s);
// True when the thread that loads for the barrier of `full` waits in the group `empty`, and has seen the
// stage given back, and not loaded it.
bool stuck_left_out_load(const struct waiting_group *full, const struct waiting_group *empty);

// ---- circle.c ----
// The groups wait for each other. Finds a barrier whose turn was left out, or whose signaller has ended;
// fills in what `facts` says of it, and returns a group that waits for it. NULL: there is none. `more` as
// above.
const struct waiting_group *stuck_break_circle(const struct survey *survey, struct stuck_facts *facts,
                                               struct fault *more);

// ---- gone.c ----
// Adds to `f`, which says that arrivals on `m` are missing, the threads that should have made them, if those
// have ended. `g`: threads that wait for it. Returns false when there are none.
bool stuck_explain_gone(const struct waiting_group *g, const struct block *owner, const struct mbarrier *m,
                        struct fault *f);

// ---- reach.c ----
typedef bool reach_wanted(const struct function *function, const struct op *op, uint64_t what);
// Follows control from the op at `pc` of the frame, which is the first op that is checked. Returns false when
// control can never reach a wanted op, whatever the data are.
bool reach_may_lead(const struct frame *frame, uint32_t pc, reach_wanted *wanted, uint64_t what);
// Returns false when control can never end or leave the frame's function, whatever the data are.
bool reach_may_leave(const struct frame *frame, uint32_t pc);
// Returns true when control has to come to the op `stop`, whatever the data are, once `wait` has been
// answered: it can neither end nor come back to the wait for another question before. `wait` is an op of the
// frame's function; `stop` may be one of a caller's.
bool reach_must_pass(const struct frame *frame, const struct op *wait, const struct op *stop);
// The one branch that leads out of the kernel before `op`, whose threads go on; NULL: there are none, or
// several.
const struct op *reach_way_out(const struct frame *frame, const struct op *op);
reach_wanted reach_is_barrier; // `what` is the number of the barrier of the block
reach_wanted reach_is_op;      // `what` is the address of an op
reach_wanted reach_is_signal;  // an arrival on an mbarrier, or a copy that completes on an mbarrier

#endif
