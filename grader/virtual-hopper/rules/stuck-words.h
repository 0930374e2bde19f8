// Why a launch can't go on, as plain data, and the words for it. In: who waits where for what, and the
// likeliest cause. Out: roles, message and remedy. One idea: diagnose/ states what it has found, and only
// this room has sentences for students.
#ifndef VIRTUAL_HOPPER_RULES_STUCK_WORDS_H
#define VIRTUAL_HOPPER_RULES_STUCK_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/place-words.h"

enum { STUCK_RANGES = 2, STUCK_NAME = 128, STUCK_STATE = 300 };

// Threads of one block, linear in the block.
struct stuck_threads {
  uint32_t first[STUCK_RANGES], last[STUCK_RANGES]; // the lowest ranges of consecutive threads
  uint32_t ranges;                                  // how many of them there are
  uint32_t count;                                   // of all threads, also those in no range above
};

enum stuck_wait {
  STUCK_IN_LOOP, // goes round a loop
  STUCK_AT_BLOCK_BARRIER,
  STUCK_AT_CLUSTER_BARRIER,
  STUCK_FOR_LANES,
  STUCK_FOR_MBARRIER,
  STUCK_FOR_BULK_GROUPS,
  STUCK_FOR_CP_ASYNC,
  STUCK_FOR_WARPGROUP,
  STUCK_FOR_REGISTERS
};

// Threads that wait at one place for the same thing. Which of the last fields have a meaning depends on
// `wait`.
struct stuck_group {
  struct stuck_threads threads; // of the block with this index
  uint32_t block[3];
  bool flat_grid;                     // the grid has one dimension
  uint64_t thread_count, block_count; // in all blocks
  struct source_line at;
  enum stuck_wait wait;
  bool changes;              // STUCK_IN_LOOP: not every turn is like the one before
  uint64_t barrier;          // number of the block's barrier
  uint32_t arrived, awaited; // threads
  uint32_t gone;             // threads that have left the block
  uint32_t lanes;
  uint32_t registers;      // STUCK_FOR_REGISTERS: of a thread, asked for
  char state[STUCK_STATE]; // mbarrier_state_words; "": no barrier at that address
};

enum stuck_cause {
  STUCK_OUT_OF_REACH, // `threads` can't come to the barrier of the block, from where they wait
  STUCK_FIRST_WAIT,   // the first wait for the barrier should have passed
  STUCK_NEVER_ARRIVED,
  STUCK_LOADS_ELSEWHERE, // the barrier had no arrival in its first phase, but a load completed on another one
  STUCK_NO_FIRST_LOAD,
  STUCK_NO_NEXT_LOAD,
  STUCK_CLUSTER_BARRIER,  // `threads` wait in their block for those that wait at the cluster's barrier
  STUCK_LEFT_OUT_LOAD,    // the loading thread has seen the stage given back, and waits for the next time
  STUCK_LEFT_OUT_ARRIVAL, // another barrier of the array is ahead: an arrival on this one was left out
  STUCK_CIRCLE,  // nothing has happened on several barriers, and none of them is likelier than the others
  STUCK_UNCLEAR, // somebody is missing
};

// The thread that has signalled the barrier, or another one of its array, the last time.
struct stuck_signaller {
  bool known;
  bool loads; // its copy completes there; else it arrives
  bool other_block;
  char on[STUCK_NAME]; // the barrier, if it is another one of the array; else ""
  uint32_t thread, block_rank;
  struct source_line line; // of that copy or arrival
  bool ended;
  struct source_line waits;      // where it waits now; line 0: nowhere
  char stray[STUCK_NAME];        // a barrier with arrivals for which nobody has ever waited; "": none
  struct source_line stray_line; // of the last of them
};

// Which fields have a meaning depends on the cause.
struct stuck_facts {
  enum stuck_cause cause;
  struct stuck_threads threads;
  uint64_t thread_count; // in all blocks
  uint32_t line, barrier_line;
  char name[STUCK_NAME], other_name[STUCK_NAME]; // "barrier `full[1]`"
  struct source_line init;                       // of the barrier `name`
  uint32_t expected_arrivals;
  uint64_t phase, other_phase; // complete ones of each
  bool of_pipeline;            // the wait is one of a cuda::pipeline's functions
  struct stuck_signaller signaller;
  const char *file; // of the fault's place; NULL: unknown
  bool none_loads;  // STUCK_NO_NEXT_LOAD: other barriers got no load since, either
  // STUCK_NO_NEXT_LOAD: several threads arrive on the barrier, and no load ever did; STUCK_NO_FIRST_LOAD: the
  // kernel has none
  bool arrivals_alone;
};

// The block has fewer threads than that; all others of the block have ended; or none of them can come there.
enum { STUCK_COUNT_TOO_LARGE = -1, STUCK_COUNT_OTHERS_ENDED = -2, STUCK_COUNT_OUT_OF_REACH = -3 };

// Threads wait at a barrier of the block that counts `awaited` threads, of which `arrived` have come.
struct stuck_count {
  uint64_t barrier;
  uint32_t awaited, arrived;
  uint32_t threads; // of the block
  uint32_t line;    // of the wait
  // a barrier at which `other_arrived` threads have arrived and nobody waits; else one of STUCK_COUNT_*
  int other;
  uint32_t other_arrived, other_line;
  struct source_line way_out; // STUCK_COUNT_OTHERS_ENDED: the one branch that leads out before; line 0: none
};
// Fills rule, severity, role, message and remedy; with a way out, also the role of the related place.
void stuck_count_words(const struct stuck_count *count, struct fault *fault);

// Threads wait at a barrier of the block, and a warp that it counts has come by a line where it, or others
// that stand beside it now, arrived, and has not arrived.
struct stuck_skip {
  uint64_t barrier;
  uint32_t awaited, arrived; // threads
  uint32_t warp;
  bool beside_others;                     // others have come the same way, and arrived; else it did so before
  struct source_line line, stands, waits; // of the arrival; where the warp is now; where the others wait
};
// Fills rule, severity, role, message, remedy, and the roles of two related places.
void stuck_skip_words(const struct stuck_skip *skip, struct fault *fault);

// Threads of the block that have ended without an arrival for which others wait.
struct stuck_gone {
  struct stuck_threads threads;
  bool by_number;      // nothing but their number says so
  char on[STUCK_NAME]; // another barrier of the array, on which they have arrived; "": the barrier itself
  uint32_t missing;    // arrivals
  struct source_line way_out; // the branch that led them out; line 0: unknown
};
// Appends to the message, and fills the remedy; with a way out, also the role of the last related place.
void stuck_gone_words(const struct stuck_gone *gone, struct fault *fault);

// A warp waits for registers. All numbers are of a thread; free: that one warp could get at most.
struct stuck_registers {
  uint32_t asked, held, at_first, free, warps;
};
// Fills rule, severity, role, message and remedy.
void stuck_registers_words(const struct stuck_registers *registers, struct fault *fault);

// Fills message and remedy.
void stuck_words(const struct stuck_facts *facts, struct fault *fault);
// The same, where a barrier of a cuda::pipeline lacks some of its arrivals: the remedy.
void stuck_pipeline_words(uint32_t expected_arrivals, char *remedy, size_t size);
// The role of the last arrival on another barrier of the array.
void stuck_arrival_role(const char *barrier, char *role, size_t size);
// What a group does, for the place where it waits.
void stuck_group_role(const struct stuck_group *group, char *role, size_t size);
// Appends a sentence about the group to the message.
void stuck_group_words(const struct stuck_group *group, struct fault *fault);
// The role of the last load on a barrier, or of a later load on another barrier.
void stuck_load_role(bool later, const char *barrier, char *role, size_t size);

// A launch that is stuck as a whole.
struct stuck_summary {
  bool budget_spent;     // the launch may be able to go on, but has used up its budget
  bool loops;            // a loop comes back to an earlier state; otherwise every thread waits
  bool no_way_out;       // no branch leads out of such a loop
  bool host_rests;       // the host could change what it reads, and waits for the kernel instead
  uint64_t instructions; // the budget
  uint64_t blocks, ended, unstarted;
  bool awaits_barrier;  // some threads wait on an mbarrier
  bool many_have_ended; // so many that the size of the grid is the likely mistake
};

// Appends the summary to the message, and may fill the remedy.
void stuck_summary_words(const struct stuck_summary *summary, struct fault *fault);

// What is not supported about a launch that goes on only when other work of the program has been done.
void stuck_alone_words(char *what, size_t size);

// Lanes of a warp that wait for other lanes of the warp.
struct stuck_lanes {
  uint32_t named, come, never; // masks
  uint32_t warp;
};

// Fills rule, severity, role, message and remedy.
void stuck_lanes_words(const struct stuck_lanes *lanes, struct fault *fault);
// The role of absent lanes, which wait for other lanes or are elsewhere.
void stuck_absent_role(uint32_t lanes, bool wait, char *role, size_t size);

#endif
