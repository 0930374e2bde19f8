// mbarrier objects: arrivals, transaction bytes, phases. PTX ISA 9.7.13.15.
// The 8 bytes in shared memory hold an opaque image (so that a program may test that it is not zero, and that we see when something
// else was written over it); the truth is the side table of the block.
#ifndef VIRTUAL_HOPPER_MBARRIER_H
#define VIRTUAL_HOPPER_MBARRIER_H

#include "virtual-hopper/machine.h"
#include "virtual-hopper/tensor-map.h"

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
  bool observed;            // somebody saw the last completed phase
  bool passed_fresh;        // a wait for "the phase before the first" has returned true
  bool unobserved_reported; // at most one such fault for a barrier
  // for diagnosis, of the running phase:
  uint64_t expected_bytes, completed_bytes; // announced, delivered
  uint32_t arrivals;                        // made
  uint32_t copies_pending;                  // issued on it, not yet landed, of any phase
  const struct op *initialised_by, *last_expect_by, *last_arrive_by;
  uint32_t initialised_thread, last_expect_thread, last_arrive_thread;
  const struct op *last_copy_by; // the copy that landed last, and who issued it
  const struct block *last_copy_block;
  uint32_t last_copy_thread;
  struct { // its map's box; rank 0: no tensor copy
    uint32_t rank, count[TENSOR_MAX_RANK], bytes;
    enum tensor_type type;
  } last_box;
  uint64_t image;               // what its 8 bytes in shared memory hold
  uint64_t wanted;              // async.c's mark: somebody waits for it
  struct order_mbarrier *order; // NULL unless check
  struct mbarrier *next;        // in its table's bucket
};

struct mbarrier_table { // one per block
  struct mbarrier *buckets[MBARRIER_BUCKETS];
  uint32_t count; // records, live or not
  uint32_t live_count;
  uint64_t
      *live; // one bit per 8 bytes of shared memory: a live barrier lies there; NULL before the first init
};

void mbarrier_table_create(struct block *b);
void mbarrier_table_destroy(struct block *b); // also notes the phases in observed
struct mbarrier *mbarrier_find(const struct block *b,
                               uint32_t offset); // NULL: none was ever initialised there
// Visits every live barrier of a block in address order (for deadlock reports and for checks).
void mbarrier_each(struct block *b, void (*visit)(struct mbarrier *, void *), void *context);

// The first live barrier that [offset, offset+bytes) overlaps, or NULL. Quick when there is none nearby: for stores and copies.
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
// Records `barrier-overwritten` for a store by `lane`; the barrier goes on as if nothing had been written. Call when mbarrier_may_overlap.
void mbarrier_overwritten(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                          uint32_t offset, uint32_t bytes);
// After a copy, already reported, has written over live barriers: their memory as it was.
void mbarrier_restore(struct block *owner, uint32_t offset, uint32_t bytes);

// What executing lanes do; `owner` is the block that holds the barrier, `offset` is aligned and inside its shared memory.
// Faults are recorded with the op. False: the run can't go on (a fatal fault was recorded).
bool mbarrier_init(struct warp *w, const struct op *op, uint32_t lane, struct block *owner, uint32_t offset,
                   uint32_t count);
bool mbarrier_inval(struct warp *w, const struct op *op, uint32_t lane, struct block *owner, uint32_t offset);
bool mbarrier_expect_tx(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                        uint32_t offset, uint32_t bytes);
bool mbarrier_simulate_complete_tx(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                                   uint32_t offset, uint32_t bytes);
struct mbarrier_arrival {
  uint32_t count, expect_bytes;
  bool drop, no_complete, release;
};
// *state (NULL allowed) gets the token of the phase before the arrival.
bool mbarrier_arrive(struct warp *w, const struct op *op, uint32_t lane, struct block *owner, uint32_t offset,
                     const struct mbarrier_arrival *arrival, uint64_t *state);
// The live barrier there, its memory checked; NULL after a fatal fault.
struct mbarrier *mbarrier_use(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                              uint32_t offset);
// A wait returned true for `lanes`.
void mbarrier_observe(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                      struct mbarrier *m, bool acquire);

// cp.async.mbarrier.arrive: without .noinc the phase first owes one arrival more; later the arrival comes by itself.
bool mbarrier_owe_arrival(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                          uint32_t offset);
void mbarrier_deferred_arrive(struct block *owner, uint32_t offset, const struct async_copy *copy);
// A delivery has written `bytes`: may complete the phase (events grow).
void mbarrier_complete_tx(struct block *owner, uint32_t offset, uint32_t bytes,
                          const struct async_copy *copy);

// Tokens: what arrive returns (its phase and the pending count before it).
static inline uint64_t mbarrier_token(const struct mbarrier *m) {
  return m->phase << 20 | m->pending_arrivals;
}
static inline uint32_t mbarrier_token_pending(uint64_t token) {
  return (uint32_t)token & MBARRIER_MAX_COUNT;
}
static inline uint32_t mbarrier_token_parity(uint64_t token) {
  return (uint32_t)(token >> 20) & 1;
}
// True when the phase with this parity has completed: the current or the immediately preceding one (PTX ISA 9.7.13.15.16).
static inline bool mbarrier_parity_passed(const struct mbarrier *m, uint32_t parity) {
  return ((m->phase ^ parity) & 1) != 0;
}

// One line for a person: "barrier at shared offset 0x1400 (initialised at line 21): phase 3, 0 of 128 arrivals owed, 2048 bytes owed".
void mbarrier_describe(const struct block *b, const struct mbarrier *m, char *text, size_t size);
// Why the phase of a barrier that is waited for can't complete, when nothing is pending any more: fills rule, message, remedy and related
// places (bytes-announced or arrival-count's contrary), or returns false when the barrier itself tells nothing.
bool mbarrier_diagnose(const struct block *b, const struct mbarrier *m, struct fault *fault);

#endif
