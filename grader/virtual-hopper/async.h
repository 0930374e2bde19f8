// What has been issued and not delivered: bulk copies, tensor copies, reductions, cp.async; and the per-thread groups they belong to.
// The rule of this device: a load lands when somebody can't go on without it and no earlier; a store reads its source when a wait (or the end of
// the block) forces it and no earlier. Among what may be delivered the cluster's generator picks.
#ifndef VIRTUAL_HOPPER_ASYNC_H
#define VIRTUAL_HOPPER_ASYNC_H

#include "virtual-hopper/machine.h"

enum async_kind {
  ASYNC_BULK_LOAD,        // global -> shared (also multicast), completes on an mbarrier
  ASYNC_BULK_STORE,       // shared -> global, bulk group
  ASYNC_BULK_REDUCE,      // shared -> global with an operation, bulk group
  ASYNC_BULK_CLUSTER,     // shared -> another block's shared, mbarrier
  ASYNC_BULK_CLUSTER_REDUCE,
  ASYNC_TENSOR_LOAD, ASYNC_TENSOR_STORE, ASYNC_TENSOR_REDUCE,
  ASYNC_CP_ASYNC,         // cp.async of one thread, cp.async groups
  ASYNC_REMOTE_STORE      // st.async, red.async: on an mbarrier
};

struct async_copy {
  enum async_kind kind;
  const struct op *op;              // who issued it, for messages
  struct block *block;              // issuing block
  uint32_t thread;                  // issuing thread in it
  uint32_t bytes;                   // payload (the full box)
  uint64_t global_address;          // bulk
  uint32_t shared_offset;           // in the issuing block (source) or each destination block
  struct block *destination[CLUSTER_MAX_BLOCKS]; uint32_t destination_count;  // LOAD (multicast) and CLUSTER
  uint32_t mbarrier_offset;         // same offset in each destination; 0 none
  uint64_t group;                   // number of the thread's bulk group it belongs to (stores)
  bool source_read;                 // stores: source has been read, written may still be pending
  bool written;                     // everything done
  struct tensor_box *box;           // tensor copies: decoded map, coordinates (tensor-map.h); NULL else
  uint8_t operation, element;       // reductions
  void *order;                      // the happens-before engine's note of this copy
  struct async_copy *next, *previous;
};

// Called by the scheduler when no thread of the cluster can go on: delivers one effect that somebody needs (or, when nobody needs a
// particular one, any). False: nothing is pending.
bool async_deliver(struct cluster *c);
// At the end of a block: everything it issued is carried out (faults for stores that still read its shared memory are recorded).
void async_block_exit(struct block *b);
void async_cluster_destroy(struct cluster *c);
// Deadlock analysis: describes what is pending on a barrier.
uint64_t async_pending_bytes(const struct cluster *c, const struct block *owner, uint32_t mbarrier_offset);

#endif
