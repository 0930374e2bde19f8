// A fault of an mbarrier, as plain data, and the words for it. In: what happened, with the barrier's record.
// Out: a fault's rule, role, message and remedy. One idea: async/ reports what happened, and only this room
// has sentences for students.
#ifndef VIRTUAL_HOPPER_RULES_MBARRIER_WORDS_H
#define VIRTUAL_HOPPER_RULES_MBARRIER_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "virtual-hopper/rules/fault.h"

enum mbarrier_fault_kind {
#define MBARRIER_FAULT(id, rule, role, remedy) id,
#include "virtual-hopper/rules/mbarrier.def"
  MBARRIER_FAULT_KINDS
};

enum { MBARRIER_NAME = 128, MBARRIER_INIT_LINES = 3 };

// Which fields have a meaning depends on the kind; the others are zero. Threads are linear in their blocks.
struct mbarrier_facts {
  enum mbarrier_fault_kind kind;
  char name[MBARRIER_NAME];    // "barrier `full[1]`"
  uint32_t offset, block_rank; // shared offset, and the block in its cluster
  uint32_t limit;              // the largest count, and the most bytes of a phase
  // its record, as struct mbarrier has it:
  uint64_t phase;
  uint32_t expected_arrivals, pending_arrivals, arrivals, copies_pending;
  int32_t tx_count;
  uint64_t expected_bytes, completed_bytes;
  // the operation:
  uint32_t thread; // the thread that uses the barrier; PHASE_ARRIVALS_MISSING: the thread of the last arrival
  uint32_t count;  // of arrivals
  int64_t bytes;   // of an announcement, a write or a copy
  uint32_t parity;
  uint32_t token_age; // BARRIER_TOKEN_OLD: how many phases have ended since its own began
  // BARRIER_NOT_INITIALISED: lines that initialise barriers, and that no thread has reached yet
  uint32_t init_lines[MBARRIER_INIT_LINES], init_line_count;
  char
      past_end_of[64]; // BARRIER_NOT_INITIALISED: the array of barriers that ends before this place; "": none
  bool many_threads_arrive; // BARRIER_ARRIVALS: another thread has arrived here, and the barrier counts one
  bool arrives_before_end;  // BARRIER_ARRIVALS: as many threads arrive as it counts, and come again
  bool same_thread_arrives; // BARRIER_ARRIVALS: this thread has arrived at another line, and it counts one
  // BARRIER_ARRIVALS, BARRIER_UNOBSERVED: this thread has arrived in this line, and it counts one
  bool arrives_in_line_again;
  bool arrives_elsewhere; // BARRIER_UNOBSERVED: the arrival before stands in another line
  // BARRIER_UNOBSERVED: this thread has made, in this line, the one arrival that the phase before counted;
  // somebody has waited for the barrier
  bool comes_again, asked;
  // BARRIER_NOT_INITIALISED: other_name is another variable, at this shared offset
  bool other_apart;
  uint32_t other_offset;
  bool arrives_at_load; // BARRIER_ARRIVALS: it counts `loader`, which announces bytes; this one doesn't
  uint32_t loader;
  bool invalidated;       // COPY_WITHOUT_BARRIER: while the copy was in flight
  uint64_t pending_bytes; // COPY_UNANNOUNCED: of the copies on the barrier that have not landed
  // COPY_UNANNOUNCED, BARRIER_NOT_INITIALISED: the block `user_rank` of the cluster issues the copy, or uses
  // the barrier, which lies in another block. With left_out_mask: the block that has issued that multicast.
  bool from_other_block;
  uint32_t user_rank;
  // a phase that can't complete:
  uint32_t element_bytes; // that many times the announced bytes have landed; 0: it is no element's size
  uint32_t copy_elements; // that many times the landed bytes were announced; 0: it is no element's size
  char box[96];           // "64 x 32 of float32", of the last tensor copy; "": it was another one
  uint32_t box_bytes;     //
  // a barrier on which as many bytes were announced as landed here; COPY_UNANNOUNCED: as the copy has;
  // BARRIER_TOKEN_OTHER: the one whose arrival has returned the token; BARRIER_NOT_INITIALISED: one of the
  // same array that was initialised; "": no such barrier
  char other_name[MBARRIER_NAME];
  uint32_t added_arrivals; // PHASE_ARRIVALS_MISSING: by cp.async.mbarrier.arrive without .noinc
  uint32_t block_threads;  // BARRIER_UNOBSERVED: of the block whose barrier it is
  uint32_t cluster_blocks; // of the cluster; 1: none
  uint32_t left_out_mask;  // of a multicast with this barrier that leaves the block out; 0: none
  // a phase that lacks bytes: a bit for the block of the cluster whose copy landed in the phase before, and
  // has not come in this one; 0: there is none
  uint32_t missing_peer;
  bool gets_words;        // the last bytes that landed are those of an st.async or red.async
  uint32_t arrived_ranks; // the blocks of the cluster that have arrived in the phase, a bit for each rank
  bool may_go_on;         // PHASE_ARRIVALS_MISSING: it is not proved that nobody can make the other arrivals
  bool count_is_wrong;    // PHASE_ARRIVALS_MISSING: the barrier's count, rather than a missing arrival
  // PHASE_NOT_BEGUN: no bytes were announced for the phase that is complete, as they were for others; it is
  // `thread` that made its last arrival
  bool without_bytes;
};

// PHASE_ARRIVALS_MISSING: whether only one block of the cluster has arrived, and as many arrivals of each
// further block, up to all of them, would make up the count.
static inline bool mbarrier_lacks_blocks(const struct mbarrier_facts *b) {
  const uint32_t all = b->arrivals + b->pending_arrivals, ranks = b->arrived_ranks;
  return b->cluster_blocks > 1 && ranks && !(ranks & (ranks - 1)) && b->arrivals > 0 &&
         all % b->arrivals == 0 && all / b->arrivals <= b->cluster_blocks;
}

// Other events on a barrier, elsewhere in the program.
enum mbarrier_relation {
  RELATED_INIT,
  RELATED_INIT_OF_SIBLING, // of other_name, in the same array
  RELATED_LAST_ARRIVAL,
  RELATED_LAST_ARRIVAL_OF_PHASE, // of the completed one
  RELATED_LAST_ARRIVAL_AT_ALL,
  RELATED_ARRIVAL_BEFORE,
  RELATED_ARRIVAL_WITHOUT_BYTES,
  RELATED_ANNOUNCEMENT,
  RELATED_ANNOUNCEMENT_OF_SUM,
  RELATED_ANNOUNCEMENT_WITHOUT_ARRIVAL,
  RELATED_ANNOUNCEMENT_ELSEWHERE, // on other_name
  RELATED_COPY,
  RELATED_LAST_COPY,
  RELATED_OTHER_COPY, // of the same phase
  RELATED_LEFT_OUT,
  RELATED_COPY_NOT_ANNOUNCED,
  RELATED_PEER_COPY, // of missing_peer, in the phase before
  RELATED_WAIT       // by whoever waits for the barrier
};

// Fills rule, severity (FAULT_ERROR; FAULT_WARNING for BARRIER_INVALIDATED_TWICE), role, message and remedy;
// the caller fills in places and what the device does.
void mbarrier_words(const struct mbarrier_facts *facts, struct fault *fault);
// The role of a related place.
void mbarrier_relation_words(enum mbarrier_relation relation, const struct mbarrier_facts *facts, char *text,
                             size_t size);
// "barrier `full[1]` (initialised at line 21): phase 3, 0 of 128 arrivals owed, 2048 bytes owed"; init_line
// 0: unknown.
void mbarrier_state_words(const struct mbarrier_facts *facts, const char *init, char *text, size_t size);

#endif
