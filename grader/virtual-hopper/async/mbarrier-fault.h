// What can be wrong with barriers: the faults of mbarrier.c and of copies that land. Their words are in
// rules/mbarrier-words.c.
#ifndef VIRTUAL_HOPPER_ASYNC_MBARRIER_FAULT_H
#define VIRTUAL_HOPPER_ASYNC_MBARRIER_FAULT_H

#include "virtual-hopper/async/mbarrier.h"

void mbarrier_fault_unusable(struct actor by, const struct block *owner, const struct mbarrier *m,
                             uint32_t offset);
// A warning: the kernel goes on.
void mbarrier_fault_invalidated_twice(struct actor by, const struct block *owner, const struct mbarrier *m);
void mbarrier_fault_misaligned(struct actor by, uint32_t offset);
void mbarrier_fault_count(struct actor by, uint32_t count);
void mbarrier_fault_parity(struct actor by, const struct block *owner, uint32_t offset, uint32_t parity);
// The token is of another barrier, or of a phase that ended before the last one began.
void mbarrier_fault_token(struct actor by, struct block *owner, struct mbarrier *m, uint64_t token);
void mbarrier_fault_reinit(struct actor by, const struct block *owner, const struct mbarrier *m);
void mbarrier_fault_tx(struct actor by, const struct block *owner, const struct mbarrier *m, int64_t bytes);
// An announcement after the last arrival, while the bytes of the phase are under way.
void mbarrier_fault_late_bytes(struct actor by, const struct block *owner, const struct mbarrier *m,
                               uint32_t bytes);
void mbarrier_fault_unobserved(struct actor by, const struct block *owner, const struct mbarrier *m,
                               uint32_t count); // of the arrival
void mbarrier_fault_arrivals(struct actor by, const struct block *owner, const struct mbarrier *m,
                             uint32_t count, bool would_complete);
void mbarrier_fault_overwritten(struct actor by, const struct block *owner, const struct mbarrier *m,
                                uint32_t bytes);
void mbarrier_fault_found_overwritten(struct actor by, const struct block *owner, const struct mbarrier *m);
void mbarrier_fault_remote(struct actor by, const struct block *owner);

// Met while a copy lands: the place is the instruction that issued it.
// A thread freed the global memory that the copy reads or writes, before the copy was done.
void async_fault_freed(const struct async_copy *copy);
void async_fault_no_barrier(const struct async_copy *copy, const struct block *owner,
                            const struct mbarrier *m, uint32_t offset);
void async_fault_tx(const struct async_copy *copy, const struct block *owner, const struct mbarrier *m,
                    uint32_t bytes);
void async_fault_deferred_arrival(const struct async_copy *copy, const struct block *owner,
                                  const struct mbarrier *m, uint32_t offset);
// The phase completes although copies issued on it have not landed: too few bytes were announced.
void async_fault_unannounced(const struct block *owner, const struct mbarrier *m);
// At the end of a block: bytes landed that no phase has announced.
void mbarrier_fault_left_over(const struct block *owner, const struct mbarrier *m);
// Adds a related place: what a thread did at an op; none if op is NULL.
void fault_add_related(struct fault *f, const struct block *b, const struct op *op, uint32_t thread,
                       const char *role);
// Records a fault of the thread that issued `copy`; device_error other than 0 ends the grid.
void async_fault(const struct async_copy *copy, struct fault *f);

#endif
