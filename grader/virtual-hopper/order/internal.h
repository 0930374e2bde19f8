// The happens-before engine's own header, in file order: clock.c, state.c (in state.h), sync.c,
// mbarrier.c, shadow.c, line.c, words.c, read.c, write.c (in shadow.h), access.c, global.c, tensor-maps.c,
// between-clusters.c, race.c with its judge, pages, source and what was told, dependency.c, copy.c,
// product.c, lifetime.c, unwritten.c, suspicion.c, crowd.c, culprit.c, report.c.
//
// Theory of operation. Whatever acts is an agent with a number: each thread of the cluster; each mbarrier
// (its phases stand for the loads that complete on it); and for each issuing thread one agent for "its stores
// have read their source", one for "its stores have written" and one for its cp.async. An agent counts its
// epochs. A clock holds, for each agent, the epoch up to which its deeds have been seen. It also holds the
// epoch up to which a thread's ordinary writes are visible to the async proxy, for shared and for global
// memory. A thread's view is an immutable clock plus its own epoch; threads that have seen the same share the
// clock. A release gathers views; an acquire joins its view with what was gathered. Shadow memory holds who
// wrote each granule last, and who has read it since. Two accesses conflict when the later one's thread has
// not seen the earlier one's epoch. The order in which they happened to run doesn't matter. PTX ISA 8.9.5
// (causality order), 8.6 (proxies).
#ifndef VIRTUAL_HOPPER_ORDER_INTERNAL_H
#define VIRTUAL_HOPPER_ORDER_INTERNAL_H

#include "virtual-hopper/order/state.h"

// sync.c ----------------------------------------------------------------------------------------------------
// A wait or a read with .relaxed has shown this to the thread.
void order_glimpse(struct order_cluster *c, struct order_thread *t, struct clock *from);
// The strong write tells what came before it, or before a fence.
bool order_releases(const struct order_thread *t, enum order_strength strength);
void order_location_acquire(struct warp *w, uint32_t lane, uint64_t key, enum order_strength strength);
void order_location_release(struct actor by, uint64_t key, enum order_strength strength);
// The lanes release to other blocks what they have seen: of interest are barriers that were initialised.
// own: what the lane itself has initialised, and nothing else.
void order_release_inits(struct warp *w, uint32_t lanes, bool own);
// The block has seen this by something that reaches other blocks.
void order_widen(struct block *b, struct clock *from);

// flag.c ----------------------------------------------------------------------------------------------------
void order_flag_access(struct warp *w, const struct op *op, uint32_t lanes, uint64_t key,
                       enum order_kind kind, enum order_strength strength);
// By which the writer, at that epoch or later, or another lane of its warp has told a thread of the reader's
// warp; NULL: none is known.
const struct relaxed_flag *order_flag_between(const struct order_cluster *c, uint32_t writer, uint32_t epoch,
                                              uint32_t reader);

// mbarrier.c ------------------------------------------------------------------------------------------------
void order_mbarrier_check_init(struct actor a, struct block *owner, struct mbarrier *m);
void order_mbarrier_forget(struct mbarrier *m);

// ring.c ----------------------------------------------------------------------------------------------------
// The lanes wait for a phase of a barrier; `wanted` phases are complete after it. refused: they are told no.
void order_ring_wait(struct warp *w, const struct op *op, uint32_t lanes, struct mbarrier *m, uint32_t wanted,
                     bool refused);
void order_ring_arrive(struct actor by, struct block *owner, struct mbarrier *m); // before it counts

// between-clusters.c ----------------------------------------------------------------------------------------
struct between_clusters;
struct between_clusters *between_create(uint64_t clusters);
void between_destroy(struct between_clusters *b); // NULL is allowed
// A strong access of the cluster to global memory. Releases come after the access was noted.
void between_acquire(struct order_cluster *c, uint64_t address);
void between_release(struct order_cluster *c, uint64_t address, enum order_strength strength);
void between_fence_proxy(struct order_cluster *c); // for global memory
uint64_t between_now(const struct order_launch *l);
// True when the cluster may have seen what the note of another one stands for.
bool between_may_have_seen(const struct order_cluster *c, const struct global_write *g);
// True for a write of another cluster's thread that this one knows of although nobody has fenced since.
bool between_is_unfenced(const struct order_cluster *c, const struct global_write *g);
// Finds the stores that the copy, about to be issued and noted, is not ordered with; and notes them beside
// `write`.
void between_find_rivals(struct actor by, const struct async_copy *copy, struct order_landing *rivals);
void between_note_rivals(const struct global_write *write, struct global_shadow *shadow,
                         const struct order_landing *rivals);

// dependency.c ----------------------------------------------------------------------------------------------
// A thread touches global memory in a launch that may run beside the one before it (launch->before). strong:
// the access is assumed to synchronise the two launches.
void dependency_note_reads(struct warp *w, const struct op *op, uint32_t lanes,
                           const uint64_t address[WARP_LANES], uint32_t bytes);
void dependency_check(struct actor by, uint64_t address, uint64_t bytes, enum order_kind kind, bool strong);
void dependency_check_copy(struct actor by, const struct async_copy *copy);

// copy.c ----------------------------------------------------------------------------------------------------
// True when the reader, of mask 0, is a copy into another block; false: a store to global memory.
bool order_sent_to_block(const struct order_cluster *c, const struct shadow_reader *r);
// True for writes through the generic proxy.
bool order_is_generic(const struct order_cluster *c, uint32_t writer, uint32_t thread);
// What a reader of a copy by cp.async has against it: has the thread that issued it waited for it?
enum conflict_kind order_cp_async_conflict(const struct order_cluster *c, uint32_t thread, uint32_t epoch);
// The thread has seen the line's last write and, if it was an ordinary one, it is visible to the async proxy.
bool order_write_is_visible(const struct order_cluster *c, const struct order_thread *t, uint32_t self,
                            const struct line_stamp *write);

// product.c -------------------------------------------------------------------------------------------------
// True when the reader, of mask 0, is a group of wgmma.
bool order_read_by_product(const struct order_cluster *c, const struct shadow_reader *r);
// The reader is a group of this thread's warpgroup that its warp has not come to: what the thread writes now
// may be meant for that group. (Whether it may be is judged once all warps have come.)
bool order_product_is_ahead(const struct order_cluster *c, const struct shadow_reader *r, uint32_t thread);

// lifetime.c ------------------------------------------------------------------------------------------------
// Notes a copy on a barrier of the block that receives it, for the end of that block.
// The agent has arrived on the barrier; NO_AGENT: a phase of it is complete.
void order_close_issue(struct order_cluster *c, struct order_mbarrier *o, uint32_t agent);
void order_note_load(struct order_mbarrier *o, struct actor by, const struct async_copy *copy,
                     uint32_t epoch);
// Notes a copy into another block, for the end of the block that sends it.
void order_note_sent(struct actor by, const struct async_copy *copy, uint32_t agent, uint32_t epoch);

// An access of a thread to shared memory of a block. what: DEED_READ, DEED_WRITE, DEED_BARRIER_USE or
// DEED_LOAD.
void order_touch_block(struct actor by, struct block *owner, enum deed_kind what);

// suspicion.c -----------------------------------------------------------------------------------------------
struct load_deed { // what a load writes: the barrier's agent, and how many phases are complete then
  uint32_t agent, epoch;
};
// Names the barrier that a load completes on, and that of the last wait of `thread` (linear in the cluster),
// with its line. True when that wait was for another barrier.
bool order_name_load(struct order_cluster *c, struct conflict_facts *facts, uint32_t thread,
                     const struct load_deed *load);
// Notes it if the last wait of the thread was for a phase of that barrier that no copy belonged to.
bool order_name_bare_phase(struct order_cluster *c, struct conflict *k, uint32_t thread, uint32_t load);
// Names the barriers that two loads complete on, by their agents; neither, if it is the same barrier.
void order_name_two_loads(struct order_cluster *c, struct conflict_facts *facts, uint32_t earlier,
                          uint32_t later);
struct load_wait {                // who waits, or has waited, for the phase of a load
  struct order_mbarrier *barrier; // NULL: it is gone
  struct deed deed;               // the wait, in the block that holds the barrier; op NULL: nobody yet
};
// epoch: of the load's write: the number of phases complete when it has landed.
struct load_wait order_load_wait(struct order_cluster *c, uint32_t load, uint32_t epoch);
// The last wait of a thread (linear in the cluster), which returned at once.
// The last wait of a thread whose load comes too early, on another barrier than the load's own, `load`.
void order_name_loader_wait(struct order_cluster *c, struct conflict_facts *facts, uint32_t thread,
                            uint32_t load);
struct stale_wait order_stale_wait(struct order_cluster *c, uint32_t thread);
// A write raced with a read: did `writer` arrive first and write then, on the very barrier whose phase
// `reader` has seen? Then the conflict says so. Both are linear in the cluster.
void order_blame_arrival(struct order_cluster *c, struct conflict *k, uint32_t writer, uint32_t epoch,
                         uint32_t reader);
// Turns the conflict into the fault of that thread (linear in the cluster): its last wait returned at once,
// and the later deed came of it. kind: one of CONFLICT_STALE_WAIT_..
void order_blame_wait(struct order_cluster *c, struct conflict *k, enum conflict_kind kind, uint32_t thread);
// "barrier" when it is not known which one.
void order_name_barrier(struct order_cluster *c, uint32_t agent, char name[CONFLICT_NAME]);
// Turns the conflict into one of a thread (linear in the cluster) whose wait for the load returned false, and
// which went on.
void order_blame_refused(struct order_cluster *c, struct conflict *k, uint32_t thread);
// The later thread's last wait may have been meant to order the two, and returned false: the conflict says
// so.
void order_note_refused(struct actor later, struct conflict *k);
// True for a thread that comes to fill a stage again after a stale wait: on the same barrier,
// once more before any of its phases was complete.
bool order_passed_stale_again(const struct order_thread *loader);

struct suspect { // one of the two threads of a race, and the other
  struct deed deed;
  uint32_t agent, epoch; // of the access
  enum deed_kind kind;   // DEED_READ or DEED_WRITE
  uint32_t other, other_epoch, other_thread;
};
// If the suspect's last wait returned at once, the race notes that; and the wait's own fault is recorded, now
// or when the other thread arrives on the barrier.
void order_suspect(struct order_cluster *c, const struct suspect *s, struct conflict *race);
void order_suspicions_confirm(struct order_cluster *c, const struct order_mbarrier *o); // after an arrival

// barrier NULL: it has been invalidated since.
struct agent_barrier order_barrier_of(struct order_cluster *c, uint32_t agent);

// crowd.c ---------------------------------------------------------------------------------------------------
// More threads arrive on the barrier than it counts: then its phases end without some of them.
void order_crowd_add(struct actor by, struct block *owner, struct mbarrier *m, uint32_t count);
void order_crowd_add_copier(struct order_mbarrier *o, uint32_t thread); // cp.async.mbarrier.arrive.noinc
void order_crowd_leave(struct order_mbarrier *o, uint32_t thread);      // arrive_drop
// Thread `waits` has done what `deed` says, and its last wait should have held it until thread `other` had
// arrived on the same barrier (both linear in the cluster). True when the count is to blame: then the
// conflict is the barrier's.
bool order_blame_crowd(struct order_cluster *c, struct conflict *k, uint32_t waits, const struct deed *deed,
                       enum deed_kind kind, uint32_t other);
// The same before `other` has arrived: the conflict is the barrier's if it does. NULL: no barrier is crowded.
const struct mbarrier *order_suspect_crowd(struct order_cluster *c, struct conflict *k,
                                           const struct suspect *s);
// The same for a load into a stage that nobody has used yet: any of the barrier's arrivals may have let it
// go.
bool order_blame_crowd_for_refill(struct order_cluster *c, struct conflict *k, uint32_t loader);

// culprit.c -------------------------------------------------------------------------------------------------
// Looks for what stands in the program against the conflict, and misses it: a proxy fence, or a wait for bulk
// groups. Fills facts->culprit, except for its line, and `deed`; returns false when there is none.
bool order_find_culprit(const struct conflict *k, struct conflict_facts *facts, struct deed *deed);

// report.c --------------------------------------------------------------------------------------------------
void order_report(struct order_launch *l, const struct conflict *k);
// For what is no mistake in itself, but may be the cause of others: recorded when the launch ends, if there
// is a fault of the kernel that its rule explains. Of several the first is kept, in the lowest block.
void order_report_if_explained(struct order_launch *l, const struct conflict *k);
// The block's __syncthreads() is about to complete without threads that have left.
void order_report_partial(struct order_launch *l, struct block *b);
// After the report of a load for which a thread did not wait, another thread has waited for it: that place is
// added.
void order_report_awaited(struct order_launch *l, struct order_mbarrier *o, struct block *b,
                          const struct op *op, uint32_t thread);
void order_report_flush(struct order_launch *l);

#endif
