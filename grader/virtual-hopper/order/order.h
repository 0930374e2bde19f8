// Who has seen what: happens-before over threads, warps, barriers, phases, fences, groups, clusters and
// proxies. The rooms that execute report what happens, in the order of execution. This room keeps clocks and
// shadow memory, and records a fault for each access that isn't ordered after the one it conflicts with,
// whatever the schedule was. Hooks are called only when launch->check is set, unless they say otherwise.
// Where the model must choose, it assumes MORE order, never less: a miss is better than a false accusation.
// PTX ISA 8 (memory consistency model; proxies: 8.6), 9.7.13.15, 9.7.9.25.
#ifndef VIRTUAL_HOPPER_ORDER_ORDER_H
#define VIRTUAL_HOPPER_ORDER_ORDER_H

#include "virtual-hopper/machine/actor.h"
#include "virtual-hopper/rules/conflict.h"

struct async_copy;
struct global_shadow;
struct mbarrier;

enum order_kind { ORDER_READ, ORDER_WRITE, ORDER_ATOMIC };
// Volatile accesses count as RELAXED.
enum order_strength { ORDER_WEAK, ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL };

// Whatever comes before a launch is ordered before it, and what comes after it, after it.
void order_launch_begin(struct launch *launch);
void order_launch_end(struct launch *launch);
// True when the order between its clusters in global memory was not judged to the end: there were more
// accesses than notes are kept on (race-pages.h). Call it before order_launch_end.
bool order_launch_outgrown(const struct launch *launch);
// Between two epochs of the grid: records the conflicts that were met for the first time in the epoch, in the
// order of their blocks. So a report doesn't depend on which worker came first.
void order_stage_end(struct launch *launch);
// Programmatic launches (PTX ISA 9.7.13.13): what this launch has written, for the `before` of the next one.
// NULL: no block has let the next one begin early. Call it before order_launch_end; the caller drops the
// result.
// `before`: what was kept of the launches before it; it is kept, too, where they may still run, or dropped.
struct global_shadow *order_launch_keep(struct launch *launch, struct global_shadow *before);
void order_keep_drop(struct global_shadow *kept); // NULL is allowed
void order_launch_dependents(struct warp *w);
void order_grid_wait(struct warp *w, uint32_t lanes);
void order_block_begin(struct block *b);
void order_block_end(struct block *b);
// All blocks of the cluster have ended, and nothing of them was forgotten: judges what they left under way.
void order_cluster_end(struct cluster *c);

// An ordinary store, before it is performed. Asked for only when it conflicts with an earlier one.
struct order_store {
  bool (*changes)(const struct order_store *store, uint32_t lane); // what memory holds now
  // The four bytes at this offset of what the lane stores; or fewer, zero-extended, where that is narrower.
  uint32_t (*word)(const struct order_store *store, uint32_t lane, uint32_t offset);
  const uint32_t *words; // [WARP_LANES] what each lane stores, where that is one word; NULL: ask word()
};

// Ordinary accesses of the lanes in `lanes`. Addresses are resolved: shared offsets with the block that owns
// them, or global addresses. store: NULL for anything but an ordinary store.
void order_shared_access(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                         const uint32_t offset[WARP_LANES], uint32_t bytes, enum order_kind kind,
                         enum order_strength strength, const struct order_store *store);
// A weak access of a whole warp to shared memory of its own block, where lane 0's words are at the offset and
// each lane's are `step` bytes behind those of the lane before: none, `bytes`, or an odd number of words.
// Returns the lanes that are judged and noted; the others are left to order_shared_access. Of a write all or
// none.
uint32_t order_shared_words(struct warp *w, const struct op *op, uint32_t offset, int32_t step,
                            uint32_t bytes, bool write);
void order_global_access(struct warp *w, const struct op *op, uint32_t lanes,
                         const uint64_t address[WARP_LANES], uint32_t bytes, enum order_kind kind,
                         enum order_strength strength, const struct order_store *store);
// A strong read of lanes: whether it finds an older value, which is legal, although the memory holds a newer
// one. Then that read is judged and noted.
bool order_global_old(struct warp *w, const struct op *op, uint32_t lanes, const uint64_t address[WARP_LANES],
                      uint32_t bytes, enum order_strength strength, uint64_t *value);
// No kernel writes constant memory: it matters to other streams, and to the host, alone.
void order_constant_read(struct warp *w, const struct op *op, uint32_t lanes,
                         const uint64_t address[WARP_LANES], uint32_t bytes);

// A lane's latest read of shared memory of its own block that nobody has written, before or since.
struct order_unwritten {
  const struct op *read;
  uint32_t offset;
  const struct op *wait;   // its last wait before the read, if that returned at once; else NULL
  struct stale_wait stale; // that wait's barrier and phase
};
// For a thread that has just made a bad access. False: there is no such read. May be called without
// launch->check.
bool order_unwritten_read(const struct warp *w, uint32_t lane, struct order_unwritten *found);

// Barriers of threads. Lanes arrive, the barrier completes, and lanes that waited leave: they have seen all
// that the arrivers had seen.
// An arrival with a count of threads, before order_cta_barrier_arrive. Returns true if nothing makes it come
// after an arrival of the generation before, which is `earlier`: it may as well be counted there.
struct order_arrival {
  const struct op *op;
  struct warp *warp;
  uint32_t lane;
  const struct op *own; // where the arriving warp itself came to the generation before; NULL: it didn't
};
bool order_named_barrier(struct warp *w, const struct op *op, uint32_t lanes, uint32_t barrier,
                         uint64_t generation, struct order_arrival *earlier);
void order_cta_barrier_arrive(struct warp *w, uint32_t lanes, uint32_t barrier, uint64_t generation);
// After it. waits: bar.sync and its kin; bar.arrive lets the lanes go on at once.
void order_cta_barrier_come(struct warp *w, const struct op *op, uint32_t lanes, uint32_t barrier,
                            bool waits);
// The barrier is about to complete without threads of the block that have left.
void order_cta_barrier_partial(struct block *b, const struct cta_barrier *barrier);
// It is about to complete, and all threads of the block have come to it.
void order_cta_barrier_full(struct block *b);
void order_cta_barrier_leave(struct warp *w, uint32_t lanes, uint32_t barrier, uint64_t generation);
void order_cluster_barrier_arrive(struct warp *w, uint32_t lanes, uint64_t phase, bool release);
void order_cluster_barrier_leave(struct warp *w, uint32_t lanes, uint64_t phase, bool acquire);
void order_threads_left(struct warp *w, uint32_t lanes); // they have ended
// The lanes have met: bar.warp.sync, shfl.sync, vote.sync and the like.
void order_warp_sync(struct warp *w, uint32_t lanes);

// membar, fence. narrow: by its scope it means nothing to other clusters.
void order_fence(struct warp *w, const struct op *op, uint32_t lanes, enum order_strength strength,
                 bool narrow);
struct proxy_reach {
  bool shared, global, own_block; // own_block: of shared memory, that of the thread's own block alone
};
void order_fence_proxy_async(struct warp *w, const struct op *op, uint32_t lanes, struct proxy_reach reach);
void order_fence_proxy_tensormap(struct warp *w, const struct op *op, uint32_t lane, bool acquire,
                                 uint64_t address);
void order_fence_mbarrier_init(struct warp *w, const struct op *op, uint32_t lanes);

// mbarriers. owner: the block that holds the barrier.
void order_mbarrier_init(struct actor by, struct mbarrier *m);
void order_mbarrier_inval(struct actor by, struct block *owner, struct mbarrier *m);
void order_mbarrier_arrive(struct actor by, struct block *owner, struct mbarrier *m, uint32_t count,
                           bool release);
void order_mbarrier_drop(struct actor by, struct block *owner, struct mbarrier *m); // it arrives no more
// Whether this thread has arrived on the barrier before, and no more threads have than it counts: then the
// count is right.
bool order_mbarrier_fits(struct actor by, const struct block *owner, const struct mbarrier *m);
// Of the block's warp: the lanes that have arrived on `other` at some time, if the warp isn't known to have
// arrived on `m` in its running phase.
uint32_t order_mbarrier_missing(const struct mbarrier *m, const struct mbarrier *other, uint32_t warp);
// A wait is given the token of that phase, and others have ended since. OWN: the thread's last arrival has
// returned it. COUNT: it has, and the barrier's count is too small: the fault is recorded.
enum order_token { ORDER_TOKEN_OLD, ORDER_TOKEN_OWN, ORDER_TOKEN_COUNT };
enum order_token order_mbarrier_token(struct actor by, struct block *owner, struct mbarrier *m,
                                      uint32_t phase);
void order_mbarrier_phase(struct block *owner, struct mbarrier *m); // a phase has just completed
// A wait returned true for the lanes; completed_phases: how many phases were complete then.
void order_mbarrier_observe(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                            struct mbarrier *m, uint64_t completed_phases, bool acquire);

// A test_wait or try_wait has found the phase incomplete; the lanes may go on nevertheless.
void order_mbarrier_refuse(struct warp *w, const struct op *op, uint32_t lanes, struct mbarrier *m);

// Asynchronous copies. order_copy_issue checks what the copy will read (also for its proxy fence) and what it
// will overwrite, and stamps both.
void order_copy_issue(struct actor by, struct async_copy *copy);
// A copy completes on the barrier: was that initialised, in another block, when the copy was issued?
void order_copy_completes(const struct async_copy *copy, struct block *owner, struct mbarrier *m);
// The op that wrote a byte of shared memory last, as far as the writes were noted; NULL: nobody has.
const struct op *order_last_writer(const struct block *b, uint32_t shared_offset);
// Shared memory of the block is judged by bytes, not by words: an access to less than a word was met.
bool order_is_by_bytes(const struct block *b);
// The lane commits a bulk group, empty or not.
void order_note_group_commit(struct warp *w, uint32_t lane);
// The lane waits for its bulk groups, all but the newest ones.
void order_note_group_wait(struct warp *w, const struct op *op, uint32_t lane, uint32_t newest);
// The same for its groups of cp.async.
void order_note_cp_async_wait(struct warp *w, const struct op *op, uint32_t lane, uint32_t newest);
// A wait of the lane for groups with these copies has returned; read_only: the .read form. Else stores are
// written: another worker may compare their bytes from now on.
void order_group_wait(struct warp *w, uint32_t lane, struct async_copy *const copies[], uint32_t count,
                      bool read_only);
// Around the landing of a store to global memory: of those that share some of it, one at a time. Returns what
// order_stores_unlock wants.
uint64_t order_stores_lock(const struct async_copy *copy);
void order_stores_unlock(const struct async_copy *copy, uint64_t locks);
// A store to global memory lands. order_store_lands tells whether other clusters may have written some of its
// bytes; then order_store_compare is called for each run of the bytes that are `there` and those that are
// about to replace them. order_store_landed is called when all are written. The copy's block may have ended.
enum { ORDER_MOST_RIVALS = 64 };
struct order_rival {
  uint64_t address, bytes;
  const struct op *op;
  bool landed, own; // own: of the same cluster
  bool told;        // its cluster has told of it, but not waited for its end
};
struct order_landing {
  uint32_t count;
  struct order_rival run[ORDER_MOST_RIVALS];
};
bool order_store_lands(const struct async_copy *copy, struct order_landing *landing);
void order_store_compare(const struct async_copy *copy, const struct order_landing *landing, uint64_t address,
                         const uint8_t *there, const uint8_t *fresh, uint32_t bytes);
void order_store_landed(const struct async_copy *copy);
// Products of a warpgroup (wgmma). The group with this number, from 1, reads these bytes until a warp has
// waited for it. op: its first product. order_products_read notes it when the first warp has committed the
// group; order_products_check, when all warps have come to it, judges whether the bytes were ready. warps: a
// bit for each of the four that read them.
typedef void order_products(struct warp *w, const struct op *op, uint32_t offset, uint32_t bytes,
                            uint32_t group, uint32_t warps);
order_products order_products_read, order_products_check;
// The warp has committed the group.
void order_products_commit(struct warp *w, uint32_t group);
struct product_wait {       // a wait for groups of products
  const struct op *op;      // NULL: none
  uint32_t commits, newest; // groups that the warp had committed by then; those that it may leave
};
// The warp has waited: the groups up to this one are done.
void order_products_wait(struct warp *w, uint32_t group, const struct product_wait *wait);
// cp.async.mbarrier.arrive: checks the barrier at its issue; notes in the arrival, which comes later, the
// copies that it stands for; and publishes them when it counts, in the phase that runs then.
void order_cp_async_mbarrier_arrive(struct actor by, struct block *owner, struct mbarrier *m, bool noinc);
void order_cp_async_arrival(struct actor by, struct async_copy *arrival);
void order_cp_async_arrived(const struct async_copy *arrival, const struct mbarrier *m);
// A copy reads its 128-byte tensor map at `address`.
void order_tensormap_use(struct actor by, uint64_t address);
// pending: stores that may still read the block's shared memory when it ends.
void order_block_exit(struct block *b, struct async_copy *const pending[], uint32_t count);

#endif
