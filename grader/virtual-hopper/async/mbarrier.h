// mbarrier objects: arrivals, transaction bytes, phases. PTX ISA 9.7.13.15. Their state is in a table of the
// block. The 8 bytes in shared memory hold an opaque image of it: a program may test that they are not zero,
// and this room sees when something else has overwritten them.
#ifndef VIRTUAL_HOPPER_ASYNC_MBARRIER_H
#define VIRTUAL_HOPPER_ASYNC_MBARRIER_H

#include "virtual-hopper/machine/actor.h"
#include "virtual-hopper/machine/mbarrier-table.h"

// Records `barrier-overwritten` for a store; the barrier goes on as if nothing had been written.
// Call when mbarrier_may_overlap.
void mbarrier_overwritten(struct actor by, struct block *owner, uint32_t offset, uint32_t bytes);
// After a copy, reported already, has overwritten live barriers: restores their memory.
void mbarrier_restore(struct block *owner, uint32_t offset, uint32_t bytes);

// What executing lanes do; `owner` is the block that holds the barrier, `offset` is aligned and inside its
// shared memory. Faults are recorded with the op. False: the run can't go on (a fatal fault was recorded).
bool mbarrier_init(struct actor by, struct block *owner, uint32_t offset, uint32_t count);
bool mbarrier_inval(struct actor by, struct block *owner, uint32_t offset);
bool mbarrier_expect_tx(struct actor by, struct block *owner, uint32_t offset, uint32_t bytes);
bool mbarrier_simulate_complete_tx(struct actor by, struct block *owner, uint32_t offset, uint32_t bytes);
struct mbarrier_arrival {
  uint32_t count, expect_bytes;
  bool drop, no_complete, release;
};
// *state (NULL is allowed) gets the token: the phase, as it was before the arrival.
bool mbarrier_arrive(struct actor by, struct block *owner, uint32_t offset,
                     const struct mbarrier_arrival *arrival, uint64_t *state);
// The live barrier at `offset`, after a check of its memory; NULL after a fatal fault.
struct mbarrier *mbarrier_use(struct actor by, struct block *owner, uint32_t offset);
// A wait returned true for `lanes`.
void mbarrier_observe(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                      struct mbarrier *m, bool acquire);

// cp.async.mbarrier.arrive: without .noinc the phase owes one more arrival first. mbarrier_deferred_arrive is
// the arrival, when the copies have landed.
bool mbarrier_owe_arrival(struct actor by, struct block *owner, uint32_t offset);
void mbarrier_deferred_arrive(struct block *owner, uint32_t offset, const struct async_copy *copy);
// A copy has delivered `bytes`, which may complete the phase (cluster->events grows then).
void mbarrier_complete_tx(struct block *owner, uint32_t offset, uint32_t bytes,
                          const struct async_copy *copy);

// One line for a person: "barrier at shared offset 0x1400 (initialised at line 21): phase 3, 0 of 128
// arrivals owed, 2048 bytes owed".
void mbarrier_describe(const struct block *b, const struct mbarrier *m, char *text, size_t size);
// Why the phase that somebody waits for can't complete, when no copy is pending any more: fills in rule,
// message, remedy and related places. False: the barrier's record doesn't show it.
// may_go_on: it isn't proved that nobody can.
bool mbarrier_diagnose(const struct block *b, const struct mbarrier *m, bool may_go_on, struct fault *fault);

#endif
