// mbarrier objects: arrivals, transaction bytes, phases. PTX ISA 9.7.13.15.
// The 8 bytes in shared memory hold an opaque image (so that a program may test that it is not zero); the truth is the side table.
#ifndef VIRTUAL_HOPPER_MBARRIER_H
#define VIRTUAL_HOPPER_MBARRIER_H

#include "virtual-hopper/machine.h"

enum { MBARRIER_MAX_COUNT = (1 << 20) - 1 };

struct mbarrier {
  uint32_t offset;               // shared offset; 8-byte aligned
  // set by init, fixed until inval (arrive_drop lowers it):
  uint32_t expected_arrivals;
  // start afresh when a phase completes:
  uint32_t pending_arrivals;     // still owed
  int32_t tx_count;              // bytes still owed; may dip below zero within a phase
  // grows for ever; its lowest bit is the parity that waits ask for:
  uint64_t phase;                // number of completed phases
  bool live;                     // between init and inval
  bool observed;                 // somebody saw the last completed phase
  // for diagnosis, of the running phase:
  uint64_t expected_bytes, completed_bytes;   // announced, delivered
  uint32_t arrivals;                          // made
  const struct op *initialised_by, *last_expect_by, *last_arrive_by; uint32_t initialised_thread;
  struct order_mbarrier *order;  // NULL unless check
  struct mbarrier *next;         // in its table's bucket
};

void mbarrier_table_create(struct block *b);
void mbarrier_table_destroy(struct block *b);
struct mbarrier *mbarrier_find(const struct block *b, uint32_t offset);   // NULL: none was ever initialised there
// Visits every live barrier of a block in address order (for deadlock reports and for checks).
void mbarrier_each(struct block *b, void (*visit)(struct mbarrier *, void *), void *context);

// An executing lane arrives / expects; faults are recorded with the op. `owner` is the block that holds the barrier.
// Return false when the run can't go on (a fatal fault was recorded).
bool mbarrier_arrive(struct warp *w, const struct op *op, uint32_t lane, struct block *owner, uint32_t offset, uint32_t count, uint32_t expect_bytes,
                     bool drop, uint64_t *state);
// A delivery has written `bytes`: may complete the phase (events grow).
void mbarrier_complete_tx(struct block *owner, uint32_t offset, uint32_t bytes, const struct async_copy *copy);
// True when the phase with this parity has completed.
bool mbarrier_parity_passed(const struct mbarrier *m, uint32_t parity);
// One line for a person: "barrier at shared offset 0x1400 (`bar`, line 21): phase 3, 0 of 128 arrivals owed, 2048 bytes owed".
void mbarrier_describe(const struct block *b, const struct mbarrier *m, char *text, size_t size);

#endif
