// What has been issued and not delivered: bulk copies, tensor copies, reductions, cp.async; and the per-thread groups they belong to.
// The rule of this device: a load lands when somebody can't go on without it and no earlier; a store reads its source when a wait (or the end of
// the block) forces it and no earlier. Among what may be delivered the cluster's generator picks.
#ifndef VIRTUAL_HOPPER_ASYNC_H
#define VIRTUAL_HOPPER_ASYNC_H

#include "virtual-hopper/machine.h"

enum async_operation {
  ASYNC_STORE,
  ASYNC_ADD,
  ASYNC_MIN,
  ASYNC_MAX,
  ASYNC_INC,
  ASYNC_DEC,
  ASYNC_AND,
  ASYNC_OR,
  ASYNC_XOR,
  ASYNC_ADD_FTZ // of f32, for tensors of that type
};

enum async_kind {
  ASYNC_BULK_LOAD,    // global -> shared (also multicast), completes on an mbarrier
  ASYNC_BULK_STORE,   // shared -> global, bulk group
  ASYNC_BULK_REDUCE,  // shared -> global with an operation, bulk group
  ASYNC_BULK_CLUSTER, // shared -> another block's shared, mbarrier
  ASYNC_BULK_CLUSTER_REDUCE,
  ASYNC_TENSOR_LOAD,
  ASYNC_TENSOR_STORE,
  ASYNC_TENSOR_REDUCE,
  ASYNC_CP_ASYNC,    // cp.async of one thread, cp.async groups
  ASYNC_REMOTE_STORE // st.async, red.async: on an mbarrier
};

struct async_copy {
  enum async_kind kind;
  const struct op *op; // who issued it, for messages
  struct block *block; // issuing block
  uint32_t thread;     // issuing thread in it
  uint32_t bytes;      // payload (the full box)
  uint32_t footprint;  // of shared memory: more than bytes when swizzled rows are narrower than their pitch
  uint64_t global_address; // bulk
  uint32_t shared_offset;  // in the issuing block (source) or each destination block
  uint32_t source_offset;  // CLUSTER copies: in the issuing block (shared_offset is the destination's)
  struct block *destination[CLUSTER_MAX_BLOCKS];
  uint32_t destination_count; // LOAD (multicast) and CLUSTER
  uint32_t mbarrier_offset;   // same offset in each destination; 0 none
  uint64_t group;             // number of the thread's bulk group it belongs to (stores)
  bool source_read;           // stores: source has been read, written may still be pending
  bool written;               // everything done
  struct tensor_box *box;     // tensor copies: decoded map, coordinates (tensor-map.h); NULL else
  uint8_t operation, element; // reductions: enum async_operation, enum ptx_type
  uint8_t value[16];          // REMOTE_STORE: what is stored or reduced
  uint32_t source_bytes;      // CP_ASYNC: bytes read; the rest of `bytes` becomes zero
  void *order;                // the happens-before engine's note of this copy
  struct async_copy *next, *previous;
};

// Called by the scheduler when no thread of the cluster can go on: delivers effects that somebody waits for (or, when nobody waits for a
// particular one, any). False: nothing is pending. True also when the cluster is stopped until it has the turn (cluster_take_turn).
bool async_deliver(struct cluster *c);
// Everything under way on a barrier lands now.
void async_land_pending(struct block *owner, uint32_t mbarrier_offset);
// At the end of a block: everything it issued reads its source now (faults for stores that still read its shared memory are recorded).
void async_block_exit(struct block *b);
// When every block of the cluster has exited: what is still to be written to global memory is written. False: stopped until the cluster
// has the turn; call again.
bool async_finish(struct cluster *c);
void async_cluster_destroy(
    struct cluster
        *c); // its threads are gone: writes what async_finish was not asked to; the queue stays for the next
void async_queue_destroy(struct cluster *c); // with the cluster's own memory
// Deadlock analysis: what is pending on a barrier, and one of the copies (NULL: none).
uint64_t async_pending_bytes(const struct cluster *c, const struct block *owner, uint32_t mbarrier_offset);
const struct async_copy *async_pending_copy(const struct block *owner, uint32_t mbarrier_offset);
// Visits the runs of global memory that a copy reads or writes (a tensor box row by row, without what lies outside the tensor).
void async_each_global_span(const struct async_copy *copy,
                            void (*visit)(uint64_t address, uint64_t bytes, void *context), void *context);

// For the executing ops -------------------------------------------------------------------------------------------------------------

// A record for a copy that this lane issues, its op, block, thread and kind set; the rest is the caller's to fill.
struct async_copy *async_new(struct warp *w, const struct op *op, uint32_t lane, enum async_kind kind);
void async_drop(struct async_copy *copy); // not issued after all
// Puts a filled copy under way. `host`: global memory it reads or writes (NULL for copies within the cluster); for a tensor that of
// map.address, with `limit` the end of the allocation.
void async_issue(struct warp *w, uint32_t lane, struct async_copy *copy, uint8_t *host, const uint8_t *limit);

// Bulk groups of the running lanes (PTX ISA 9.7.9.25.4). async_bulk_wait: at most `newest` groups may stay pending; false: the op was told
// to wait for its turn, and is executed again.
void async_bulk_commit(struct warp *w);
bool async_bulk_wait(struct warp *w, const struct op *op, uint32_t newest, bool read_only);
// cp.async groups (9.7.9.25.3). UINT32_MAX: commit, then wait for all.
void async_cp_commit(struct warp *w);
void async_cp_wait(struct warp *w, uint32_t newest);
// cp.async.mbarrier.arrive: an arrival on the barrier, once the lane's cp.async copies so far have landed.
void async_cp_arrive(struct warp *w, const struct op *op, uint32_t lane, uint32_t mbarrier_offset);

#endif
