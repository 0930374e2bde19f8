// What can be wrong with barriers, in words. Used by mbarrier.c and the asynchronous rooms; the rules are those of rules.c.
#ifndef VIRTUAL_HOPPER_MBARRIER_FAULT_H
#define VIRTUAL_HOPPER_MBARRIER_FAULT_H

#include "virtual-hopper/mbarrier.h"

// Errors the device ends with. A kernel that would hang on the chip ends with a launch timeout here.
enum {
  ERROR_HANG = 702,
  ERROR_ADDRESS = 700,
  ERROR_INSTRUCTION = 715,
  ERROR_MISALIGNED = 716,
  ERROR_LAUNCH = 719
};

void mbarrier_fault_unusable(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                             const struct mbarrier *m, uint32_t offset);
void mbarrier_fault_misaligned(struct warp *w, const struct op *op, uint32_t lane, uint32_t offset);
void mbarrier_fault_count(struct warp *w, const struct op *op, uint32_t lane, uint32_t count);
void mbarrier_fault_parity(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                           uint32_t offset, uint32_t parity);
void mbarrier_fault_reinit(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                           const struct mbarrier *m);
void mbarrier_fault_tx(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                       const struct mbarrier *m, int64_t bytes);
void mbarrier_fault_unobserved(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                               const struct mbarrier *m);
void mbarrier_fault_arrivals(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                             const struct mbarrier *m, uint32_t count, bool would_complete);
void mbarrier_fault_overwritten(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                                const struct mbarrier *m, uint32_t bytes);
void mbarrier_fault_found_overwritten(struct warp *w, const struct op *op, uint32_t lane,
                                      const struct block *owner, const struct mbarrier *m);
void mbarrier_fault_remote(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner);

// Met while a copy lands: the place is the instruction that issued it.
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
// Adds a related place: what a thread did at an op.
void fault_add_related(struct fault *f, const struct block *b, const struct op *op, uint32_t thread,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
// Records a fault of the thread that issued `copy`; device_error other than 0 ends the grid.
void async_fault(const struct async_copy *copy, struct fault *f);

#endif
