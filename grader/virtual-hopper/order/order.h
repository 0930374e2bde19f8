// Who has seen what: happens-before over threads, warps, barriers, phases, fences, groups, clusters and proxies.
// The rooms that execute tell this one what happens, in execution order; it keeps clocks and shadow memory and records a fault for each
// access that isn't ordered after the one it conflicts with, whatever the schedule was. Every hook is called only when launch->check is set.
// Where the model must choose, it assumes MORE order, never less: a miss is better than a false accusation.
// PTX ISA 8 (memory consistency model; proxies: 8.6), 9.7.13.15, 9.7.9.25.
#ifndef VIRTUAL_HOPPER_ORDER_H
#define VIRTUAL_HOPPER_ORDER_H

#include "virtual-hopper/machine.h"

struct async_copy;
struct global_shadow;
struct mbarrier;

enum order_kind { ORDER_READ, ORDER_WRITE, ORDER_ATOMIC };
enum order_strength {
  ORDER_WEAK,
  ORDER_RELAXED,
  ORDER_ACQUIRE,
  ORDER_RELEASE,
  ORDER_ACQ_REL
}; // volatile counts as RELAXED

void order_launch_begin(
    struct launch *launch); // kernel boundaries order everything before with everything after
void order_launch_end(struct launch *launch);
// Programmatic launches (PTX ISA 9.7.13.13). What the launch has written, to be the next one's `before`; NULL: no block has let that one begin early.
// Call it before order_launch_end; the caller drops it.
struct global_shadow *order_launch_keep(struct launch *launch);
void order_keep_drop(struct global_shadow *kept); // NULL is allowed
void order_launch_dependents(struct warp *w);
void order_grid_wait(struct warp *w, uint32_t lanes);
void order_block_begin(struct block *b);
void order_block_end(struct block *b);

// Ordinary accesses of the lanes in `lanes`; addresses are resolved: shared offsets with their owner block, or global addresses.
void order_shared_access(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                         const uint32_t offset[WARP_LANES], uint32_t bytes, enum order_kind kind,
                         enum order_strength strength);
void order_global_access(struct warp *w, const struct op *op, uint32_t lanes,
                         const uint64_t address[WARP_LANES], uint32_t bytes, enum order_kind kind,
                         enum order_strength strength);

// A lane's latest read of shared memory of its own block that nobody had written when it was read, nor since.
struct order_unwritten {
  const struct op *read;
  uint32_t offset;
  const struct op *wait; // its last wait before, if that returned at once; else NULL
  char words[384];       // about that wait: "The wait asks for parity 1 of .. So it returns at once"
  const char *remedy;    // for it
};
// For a thread that went astray by what it read; false: no such read. May be called without launch->check.
bool order_unwritten_read(const struct warp *w, uint32_t lane, struct order_unwritten *found);

// Synchronisation among threads. Barriers: each lane set announces its arrival; when the barrier completes, everybody who waits has seen
// everything the arrivers had seen. `wait` = false for bar.arrive.
void order_cta_barrier_arrive(struct warp *w, uint32_t lanes, uint32_t barrier, uint64_t generation);
// The barrier is about to complete, and threads of the block have left without coming to it.
void order_cta_barrier_partial(struct block *b, const struct cta_barrier *barrier);
void order_cta_barrier_leave(struct warp *w, uint32_t lanes, uint32_t barrier,
                             uint64_t generation); // the wait returned
void order_cluster_barrier_arrive(struct warp *w, uint32_t lanes, uint64_t phase, bool release);
void order_cluster_barrier_leave(struct warp *w, uint32_t lanes, uint64_t phase, bool acquire);
void order_warp_sync(struct warp *w,
                     uint32_t lanes); // bar.warp.sync, shfl.sync, vote.sync, ...: lanes have met
void order_fence(struct warp *w, uint32_t lanes, enum order_strength strength); // membar, fence
void order_fence_proxy_async(struct warp *w, uint32_t lanes, bool shared, bool global);
void order_fence_proxy_tensormap(struct warp *w, uint32_t lane, bool acquire, uint64_t address);
void order_fence_mbarrier_init(struct warp *w, uint32_t lanes);

// mbarriers. `phase` is the number of completed phases at that moment.
void order_mbarrier_init(struct warp *w, const struct op *op, uint32_t lane, struct mbarrier *m);
void order_mbarrier_inval(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                          struct mbarrier *m);
void order_mbarrier_arrive(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                           struct mbarrier *m, bool release);
void order_mbarrier_phase(struct block *owner, struct mbarrier *m); // a phase has just completed
void order_mbarrier_observe(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                            struct mbarrier *m, uint64_t completed_phase,
                            bool acquire); // a wait returned true

// Asynchronous copies.
void order_copy_issue(struct warp *w, const struct op *op, uint32_t lane,
                      struct async_copy *copy); // checks generic -> async on what it will read,
                                                // conflicts on what it will write; notes its bytes
void order_group_wait(struct warp *w, uint32_t lane, struct async_copy *const copies[], uint32_t count,
                      bool read_only); // wait_group returned for these
void order_cp_async_mbarrier_arrive(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                                    struct mbarrier *m);
void order_tensormap_use(struct warp *w, const struct op *op, uint32_t lane,
                         uint64_t address); // a copy reads its 128-byte map in global memory
void order_block_exit(struct block *b, struct async_copy *const pending[],
                      uint32_t count); // stores that may still read its shared memory

#endif
