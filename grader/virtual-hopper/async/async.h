// What has been issued and not delivered: bulk copies, tensor copies, reductions, cp.async; and the groups of
// each thread. The rule of this device: a load lands only when somebody can't go on without it; a store reads
// its source only when a wait, or the end of the block, forces it to. The cluster's random generator chooses
// among copies that may land.
#ifndef VIRTUAL_HOPPER_ASYNC_ASYNC_H
#define VIRTUAL_HOPPER_ASYNC_ASYNC_H

#include "virtual-hopper/machine/actor.h"
#include "virtual-hopper/machine/copy.h"

// The scheduler calls it when no thread of the cluster can go on. Delivers copies that somebody waits for, or
// any if nobody waits for a particular one. False: nothing is pending. True also when the cluster is stopped
// until it has the turn (cluster_take_turn).
bool async_deliver(struct cluster *c);
// All copies under way on a barrier land now.
void async_land_pending(struct block *owner, uint32_t mbarrier_offset);
// At the end of a block: all its copies read their source now. Faults are recorded for stores that no wait
// covers.
void async_block_exit(struct block *b);
// When every block of the cluster has exited: writes what stores have yet to write. False: the cluster is
// stopped until it has the turn; call it again then.
bool async_finish(struct cluster *c);
// Writes what stores have yet to write if async_finish was not called; the queue is kept for the next
// cluster.
void async_cluster_destroy(struct cluster *c);
void async_queue_destroy(struct cluster *c); // with the cluster's own memory
// For the analysis of deadlocks: the bytes pending on a barrier, and one of the copies (NULL: none).
uint64_t async_pending_bytes(const struct cluster *c, const struct block *owner, uint32_t mbarrier_offset);
const struct async_copy *async_pending_copy(const struct block *owner, uint32_t mbarrier_offset);

// For the executing ops -------------------------------------------------------------------------------------

// A record for a copy, with op, block, thread and kind filled in. The caller fills in the rest.
struct async_copy *async_new(struct actor by, enum async_kind kind);
void async_drop(struct async_copy *copy); // not issued after all
// Puts a copy under way whose record is filled. host: the global memory that it reads or writes, of a tensor
// that of map.address; NULL for a copy within the cluster.
void async_issue(struct warp *w, uint32_t lane, struct async_copy *copy, uint8_t *host);

// Bulk groups of the running lanes (PTX ISA 9.7.9.25.4). async_bulk_wait leaves at most the `newest` groups
// pending. False: the op waits for the cluster's turn and will be executed again.
void async_bulk_commit(struct warp *w);
bool async_bulk_wait(struct warp *w, const struct op *op, uint32_t newest, bool read_only);
// cp.async groups (9.7.9.25.3). UINT32_MAX: commit, then wait for all.
void async_cp_commit(struct warp *w);
void async_cp_wait(struct warp *w, const struct op *op, uint32_t newest);
// cp.async.mbarrier.arrive: an arrival on the barrier, once the lane's cp.async copies so far have landed.
void async_cp_arrive(struct actor by, uint32_t mbarrier_offset);

#endif
