// The mbarrier objects of a block: their state, and the table that finds them. The operations that change
// them are in async/mbarrier.h.
#ifndef VIRTUAL_HOPPER_MACHINE_MBARRIER_TABLE_H
#define VIRTUAL_HOPPER_MACHINE_MBARRIER_TABLE_H

#include "virtual-hopper/base/tensor-map.h"
#include "virtual-hopper/machine/machine.h"

enum { MBARRIER_MAX_COUNT = (1 << 20) - 1, MBARRIER_BYTES = 8, MBARRIER_BUCKETS = 64 };

struct mbarrier {
  uint32_t offset; // shared offset; 8-byte aligned
  // set by init, fixed until inval (arrive_drop lowers it):
  uint32_t expected_arrivals;
  // start afresh when a phase completes:
  uint32_t pending_arrivals; // still owed
  int32_t tx_count;          // bytes still owed; may dip below zero within a phase
  // grows for ever; its lowest bit is the parity that waits ask for:
  uint64_t phase;           // number of completed phases
  bool live;                // between init and inval
  bool observed;            // some thread has observed the last completed phase
  bool passed_fresh;        // a wait for "the phase before the first" has returned true
  bool unobserved_reported; // at most one such fault for a barrier
  // for diagnosis, of the running phase:
  uint64_t expected_bytes, completed_bytes; // announced, delivered
  uint64_t expected_before;                 // of the phase before: announced
  uint32_t arrivals;                        // made
  uint32_t added_arrivals;                  // by cp.async.mbarrier.arrive without .noinc
  uint32_t copies_pending;                  // issued on it, not yet landed, of any phase
  const struct op *initialised_by, *last_expect_by, *last_arrive_by;
  uint32_t initialised_thread, last_expect_thread, last_arrive_thread;
  const struct op *asked_by; // the last wait for it, in vain or not; NULL: nobody has waited
  uint32_t asked_thread;
  const struct block *last_arrive_block; // of the cluster
  // which blocks of the cluster have arrived, one bit for each rank: in this phase, in the one before
  uint32_t arrived_ranks, arrived_ranks_before;
  // A multicast with this barrier whose mask leaves the block out: its own, or else another block's; by NULL:
  // none.
  struct {
    const struct op *by;
    const struct block *block;
    uint64_t phase; // that ran
    uint32_t thread, mask;
  } left_out;
  const struct op *last_copy_by; // the copy that landed last, and who issued it
  const struct block *last_copy_block;
  uint32_t last_copy_thread;
  uint64_t last_copy_phase;
  struct { // the copy of another block of the cluster that landed last; by NULL: none
    const struct op *by;
    const struct block *block;
    uint64_t phase; // in which it landed
    uint32_t thread;
  } peer_copy;
  struct { // the copy of that phase, by another instruction, that landed last before it; by NULL: none
    const struct op *by;
    const struct block *block;
    uint32_t thread;
  } other_copy;
  struct { // its map's box; rank 0: no tensor copy
    uint32_t rank, count[TENSOR_MAX_RANK], bytes;
    enum tensor_type type;
  } last_box;
  uint64_t image;               // what its 8 bytes in shared memory hold
  uint64_t wanted;              // async.c's mark: some thread waits for it
  uint64_t drains;              // of its block, when its last phase completed (async/overlap.h)
  struct order_mbarrier *order; // NULL unless check
  struct mbarrier *next;        // in its table's bucket
};

struct mbarrier_table { // one per block
  struct mbarrier *buckets[MBARRIER_BUCKETS];
  uint32_t count; // records, live or not
  uint32_t live_count;
  // one bit per 8 bytes of shared memory: a live barrier lies there; NULL before the first init
  uint64_t *live;
};

void mbarrier_table_create(struct block *b);
void mbarrier_table_destroy(struct block *b);                         // also notes the phases in observed
void mbarrier_note_phases(struct block *b, const struct mbarrier *m); // most and least phases, in observed
static inline uint32_t mbarrier_bucket(uint32_t offset) {
  return offset / MBARRIER_BYTES % MBARRIER_BUCKETS;
}

// NULL: none was ever initialised there.
static inline struct mbarrier *mbarrier_find(const struct block *b, uint32_t offset) {
  if (!b->mbarriers) return NULL;
  struct mbarrier *m = b->mbarriers->buckets[mbarrier_bucket(offset)];
  while (m && m->offset != offset)
    m = m->next;
  return m;
}
struct mbarrier *mbarrier_find_or_make(struct block *b, uint32_t offset);
void mbarrier_set_live(struct block *b, struct mbarrier *m, bool live);
// Visits every live barrier of a block in address order (for deadlock reports and for checks).
void mbarrier_each(struct block *b, void (*visit)(struct mbarrier *, void *), void *context);

// The first live barrier that [offset, offset+bytes) overlaps, or NULL. Quick when there is none nearby: for
// stores and copies.
struct mbarrier *mbarrier_overlapped(const struct block *b, uint32_t offset, uint32_t bytes);
static inline bool mbarrier_may_overlap(const struct block *b, uint32_t offset, uint32_t bytes) {
  const struct mbarrier_table *t = b->mbarriers;
  if (!t || !t->live_count || !bytes) return false;
  uint32_t first = (offset - SHARED_FIRST_OFFSET) / MBARRIER_BYTES,
           last = (offset - SHARED_FIRST_OFFSET + bytes - 1) / MBARRIER_BYTES;
  for (uint32_t word = first / 64; word <= last / 64; word++) {
    uint64_t bits = t->live[word];
    if (word == first / 64) bits &= ~0ull << first % 64;
    if (word == last / 64) bits &= ~0ull >> (63 - last % 64);
    if (bits) return true;
  }
  return false;
}
// Tokens: what arrive returns. The pending count before the arrival, 20 bits; its phase, 28 bits; and which
// barrier of the block it is, so that a token given to another one is told.
enum { TOKEN_PHASE_BITS = 28, TOKEN_BARRIER_SHIFT = 48 };
static inline uint64_t mbarrier_token(const struct mbarrier *m) {
  const uint64_t phase = m->phase & ((1u << TOKEN_PHASE_BITS) - 1);
  return (uint64_t)(m->offset / MBARRIER_BYTES) << TOKEN_BARRIER_SHIFT | phase << 20 | m->pending_arrivals;
}
static inline bool mbarrier_token_is_of(const struct mbarrier *m, uint64_t token) {
  return token >> TOKEN_BARRIER_SHIFT == m->offset / MBARRIER_BYTES;
}
static inline uint32_t mbarrier_token_offset(uint64_t token) {
  return (uint32_t)(token >> TOKEN_BARRIER_SHIFT) * MBARRIER_BYTES;
}
// How many phases have ended since the token's began; a wait may ask 0 or 1 (PTX ISA 9.7.13.15.16).
static inline uint32_t mbarrier_token_age(const struct mbarrier *m, uint64_t token) {
  return (uint32_t)(m->phase - (token >> 20)) & ((1u << TOKEN_PHASE_BITS) - 1);
}
static inline uint32_t mbarrier_token_phase(uint64_t token) {
  return (uint32_t)(token >> 20) & ((1u << TOKEN_PHASE_BITS) - 1);
}
static inline uint32_t mbarrier_token_pending(uint64_t token) {
  return (uint32_t)token & MBARRIER_MAX_COUNT;
}
static inline uint32_t mbarrier_token_parity(uint64_t token) {
  return (uint32_t)(token >> 20) & 1;
}
// True when the phase with this parity has completed: the current or the immediately preceding one (PTX ISA
// 9.7.13.15.16).
static inline bool mbarrier_parity_passed(const struct mbarrier *m, uint32_t parity) {
  return ((m->phase ^ parity) & 1) != 0;
}

// Whether cp.async.mbarrier.arrive without .noinc has added more arrivals to the phase than came besides
// them: then it is taken for one of those that the barrier counts.
static inline bool mbarrier_lacks_noinc(const struct mbarrier *m) {
  return m->added_arrivals > m->arrivals - m->added_arrivals;
}

// One line of the source has initialised both, as it does with the barriers of an array.
bool mbarrier_have_one_init(const struct mbarrier *a, const struct mbarrier *b);
// True for the barriers of two stages, as far as the program's variables and lines tell.
bool mbarrier_of_one_array(const struct launch *l, const struct mbarrier *a, const struct mbarrier *b);

#endif
