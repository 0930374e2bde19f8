// How far a block's copies overlap, for the exercises' requirements: bytes that came into a stage again while
// others stayed in flight, and bytes loaded while stores were under way.
#ifndef VIRTUAL_HOPPER_ASYNC_OVERLAP_H
#define VIRTUAL_HOPPER_ASYNC_OVERLAP_H

#include "virtual-hopper/machine/copy.h"

struct mbarrier;

struct overlap {                        // of one block
  uint64_t load_bytes, most_load_bytes; // in flight, and the most that ever were
  uint64_t drains;                      // how often nearly all of them had landed
  uint64_t store_bytes;                 // issued, and not waited for
  uint64_t matched_bytes;               // the oldest of these: as many bytes were loaded beside them
};

void overlap_issue(struct cluster *c, const struct async_copy *load);
void overlap_land(struct cluster *c, const struct async_copy *load);
// `bytes` of stores were issued, or waited for, whether for their reads or their writes.
void overlap_store(struct cluster *c, uint32_t rank, uint64_t bytes);
void overlap_wait(struct cluster *c, uint32_t rank, uint64_t bytes);
void overlap_phase(struct block *owner, struct mbarrier *m);

#endif
