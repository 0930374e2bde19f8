// This room's own header, in file order: async.c (queue, delivery), transfer.c (bytes), group.c (groups of
// threads).
//
// Theory of operation. A copy that was issued is in one of two lists. Copies that complete on a barrier are
// in the cluster's `landing` list until no thread can go on; then those of one barrier that somebody waits
// for land, in random order, until its phase is complete. Copies that belong to groups are in their thread's
// list, oldest first. A wait of that thread, or the end of the block, makes them read their source into a
// buffer of their own; a wait without .read also makes them write. A copy that has read and not written is
// `staged`. It is written when a wait asks for it, when too many bytes are staged, or at the end of the
// cluster.
#ifndef VIRTUAL_HOPPER_ASYNC_INTERNAL_H
#define VIRTUAL_HOPPER_ASYNC_INTERNAL_H

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/async/overlap.h"
#include "virtual-hopper/machine/tensor-box.h"

enum {
  STAGED_MOST_BYTES = 1 << 20,                // of a cluster; more would show nothing new and cost memory
  BUFFERS_MOST_BYTES = 2 * STAGED_MOST_BYTES, // of a cluster, in records that are kept for the next copies
};

struct async_entry {      // a copy and what only this room knows of it
  struct async_copy copy; // the first field: pointers to the two are converted into each other
  struct tensor_box box;
  uint8_t *host;   // bulk: of global_address; tensor: of map.address
  uint8_t *staged; // the buffer, once it holds the source; NULL before
  uint8_t *buffer; // kept when the record is reused
  uint32_t buffer_bytes;
  uint32_t staged_index; // in the queue's table
  uint32_t staged_bytes;
  bool orphan;          // its block has exited: no thread's list holds it
  bool is_arrival;      // no copy: cp.async.mbarrier.arrive waiting for cp_sequence
  uint64_t cp_sequence; // CP_ASYNC: number in its thread; arrival: the last one it waits for
};

struct bulk_thread { // one thread's groups
  // bulk copies, in order of issue; those before `unread` have read their source
  struct async_copy *head, *tail, *unread;
  uint64_t open_group;     // number that the next commit closes
  uint32_t groups_pending; // committed, not empty, not waited for in any way
  bool open_used;
  bool issued;                // a bulk store, ever
  const struct op *waited_at; // its last wait; NULL: none
  // cp.async
  struct async_copy *cp_head, *cp_tail;
  uint64_t cp_open_group, cp_sequence;
};

struct idle_wait {
  const struct op *op;             // NULL: none
  uint32_t thread;                 // the first one that waited there and had issued no store
  uint32_t lanes[BLOCK_MAX_WARPS]; // of all that did
};

struct async_queue { // one per cluster
  struct async_copy *landing_head, *landing_tail;
  uint32_t landing_count;
  struct async_entry **staged;
  uint32_t staged_count, staged_room;
  size_t staged_bytes;
  size_t buffer_bytes;     // of all records
  uint32_t ordered_count;  // of reductions whose order matters: issued and not written
  struct async_copy *free; // by next
  uint64_t stamp;          // the last mark given to barriers that somebody waits for
  uint32_t loads_in_flight[CLUSTER_MAX_BLOCKS], stores_in_flight[CLUSTER_MAX_BLOCKS];
  uint64_t load_bytes_in_flight[CLUSTER_MAX_BLOCKS];
  uint32_t groups_pending[CLUSTER_MAX_BLOCKS]; // of all threads of a block
  struct overlap overlap[CLUSTER_MAX_BLOCKS];
  struct idle_wait idle_waits[CLUSTER_MAX_BLOCKS];
  uint64_t load_samples, load_sum, store_samples, store_sum;
};

// A wait for bulk groups by a thread of the block that has issued no store to this day; NULL: there was none.
const struct op *async_idle_wait(const struct block *b);

static inline struct async_entry *entry_of(const struct async_copy *copy) {
  return (struct async_entry *)(uintptr_t)copy;
}

struct async_queue *async_queue_of(struct cluster *c); // made at the first call
void async_free(struct cluster *c, struct async_copy *copy);
bool async_is_store(enum async_kind kind);            // belongs to a bulk group
bool async_is_ordered(const struct async_copy *copy); // its write needs the cluster's turn

// transfer.c
// A copy that is out of the landing list: moves its bytes, signals its barriers, and frees the record.
void async_land(struct cluster *c, struct async_copy *copy);
// True while the global memory of a copy is what it was at its issue. A kernel may have freed it since.
bool async_is_live(const struct async_copy *copy);
void async_read_source(struct async_copy *copy); // of a store, into its buffer
// Writes a store's bytes to global memory. The caller frees the record.
void async_write(struct cluster *c, struct async_copy *copy);

// group.c
struct bulk_thread *async_thread(struct block *b, uint32_t thread);
static inline struct bulk_thread *async_thread_if_used(const struct block *b, uint32_t thread) {
  struct bulk_thread *warp = b->bulk[thread / WARP_LANES];
  return warp ? &warp[thread % WARP_LANES] : NULL; // NULL: no thread of its warp has any groups
}
void async_threads_free(struct block *b); // forgets all of them; their copies are elsewhere by then
void async_thread_append(struct bulk_thread *t, struct async_copy *copy);
void async_thread_remove(struct bulk_thread *t, struct async_copy *copy);
void async_cp_land_until(struct block *b, uint32_t thread, uint64_t sequence);
void async_stage(struct cluster *c, struct async_copy *copy); // reads the source; the copy is staged then
void async_unstage(struct async_queue *q, struct async_copy *copy);
// Writes random staged copies until at most `most_bytes` are staged.
void async_trim(struct cluster *c, size_t most_bytes);

#endif
