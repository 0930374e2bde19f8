// The running machine: launch > cluster > block > warp > split, and the register frames of a warp.
// Explicit state only; whoever executes gets a `struct warp *` first. A cluster is run by one worker thread at a time;
// what is shared between workers (device memory, the launch, the report) says so.
#ifndef VIRTUAL_HOPPER_MACHINE_H
#define VIRTUAL_HOPPER_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "virtual-hopper/arena.h"
#include "virtual-hopper/fault.h"
#include "virtual-hopper/vhopper.h"

struct op;
struct function;     // decode/op.h: decoded code of one PTX function
struct program;      // decode/program.h: an entry with everything it can call
struct memory;       // memory.h: device memory and its allocations
struct async_copy;   // async.h
struct mbarrier;     // mbarrier.h
struct order_launch; // order/order.h: everything the happens-before engine keeps
struct order_block;

enum {
  WARP_LANES = 32,
  BLOCK_MAX_THREADS = 1024,
  BLOCK_MAX_WARPS = 32,
  CLUSTER_MAX_BLOCKS = 16,
  BLOCK_MAX_BARRIERS = 16
};

// The generic address space. Shared addresses are 32 bits: (rank of the block in its cluster << 24) | offset, as on the chip;
// offsets start at 1024, as on the chip (the first KiB belongs to the system).
#define SHARED_WINDOW 0x00007e0000000000ull
#define LOCAL_WINDOW  0x00007e0100000000ull
#define PARAM_WINDOW  0x00007e0200000000ull // + offset in launch->parameters
#define FUNCTION_WINDOW \
  0x00007e0300000000ull // + 16 * index in module->functions: the address of a device function
#define WINDOW_BYTES 0x0000000100000000ull
#define GLOBAL_BASE  0x00007f0000000000ull
enum { SHARED_FIRST_OFFSET = 1024, SHARED_MAX_BYTES = 232448, SHARED_RANK_SHIFT = 24 };

struct launch { // fixed while the grid runs, unless marked
  struct vhopper *device;
  const struct function *function;
  const struct program *program;
  struct fault_report *report;
  struct memory *memory;
  struct vhopper_dim grid, block, cluster;
  uint32_t threads_per_block, warps_per_block, blocks_per_cluster;
  uint64_t cluster_count;
  uint32_t static_shared_bytes, dynamic_shared_bytes,
      shared_bytes;               // shared_bytes: first offset (1024) not counted
  uint32_t dynamic_shared_offset; // shared offset of extern __shared__ arrays
  const uint8_t *parameters;
  uint32_t parameter_bytes;
  uint64_t seed, launch_index;
  bool check;
  uint64_t
      grid_workspace;    // of a cooperative launch: where cooperative groups keep the grid's barrier; 0: none
  uint32_t idle_epochs;  // epochs in a row in which no cluster had any news; written between epochs
  uint32_t slice_ops;    // ops of a split in one turn of its warp, by the seed
  bool explicit_cluster; // the program or the launch named a cluster size
  uint64_t start_time;   // virtual nanoseconds
  struct order_launch *order;   // NULL unless check
  struct global_shadow *before; // what the launch before wrote, if this one may run beside it; else NULL
  FILE *trace;                  // NULL: none
  double deadline;              // CLOCK_MONOTONIC seconds, 0 none
  // shared by the workers:
  atomic_int
      device_error; // first error that ended the grid; 0: none. Every worker stops soon after it is set
  atomic_uint_fast64_t instructions; // thread-instructions
  atomic_size_t taken;               // launch_take
  struct grid *run;                  // schedule.h: the workers' common state
};

struct cluster {
  struct launch *launch;
  uint64_t index; // linear
  uint32_t block_count;
  struct block *blocks[CLUSTER_MAX_BLOCKS];
  uint64_t random; // state of the cluster's own generator, from (seed, launch, cluster)
  uint64_t events; // grows with every change that a waiting thread may be waiting for (phase flips, barrier
      // releases, memory written with a new value, deliveries): no growth and nobody runnable = stuck
  struct async_queue *async; // async.h: what was issued and not delivered
  struct order_cluster
      *order; // order/internal.h: NULL unless check; made with its first block, freed with its last
  struct observed observed; // merged into the report when the cluster ends
  // barrier.cluster: per-thread arrivals of the current phase
  uint32_t cluster_arrived;
  uint64_t cluster_phase;
  uint32_t live_threads; // of all its blocks
  // the scheduler's:
  bool turn;       // may do ordered accesses to global memory now (no other cluster runs meanwhile)
  bool wants_turn; // stopped in front of such an access: nothing of the cluster runs until it has the turn
  int device_error; // first fatal fault of its own: the cluster stops at once, the grid at the end of the epoch
  uint64_t turn_began, turn_used; // `instructions` when it got the turn and at its last ordered access
  uint64_t time_offset;   // idle nanoseconds: virtual time = launch start + executed instructions + this
  uint64_t instructions;  // warp-instructions executed
  bool alone;             // the grid's only cluster: it always has the turn
  uint32_t expiries;      // times in a row that all its waits timed out without news
  uint64_t expiry_events; // events at the last of these
  uint32_t warp_count, next_warp; // of all its blocks; who runs next in `turns`
  uint16_t *turns; // [warp_count] the order in which its warps take their turns: rank << 8 | warp
  uint64_t slot;   // its place in the order in which the grid's clusters start
};

struct cta_barrier {         // bar.sync and its family, PTX ISA 9.7.13.1
  uint32_t expected_threads; // of the running generation; 0: no count given, all live threads of the block
  uint32_t arrived_threads;
  uint32_t
      arrived_lanes[BLOCK_MAX_WARPS]; // counted barriers: a warp's exited lanes count with its first arrival
  const struct op *arrived_at[BLOCK_MAX_WARPS]; // where: of a warp that has arrived_lanes
  uint64_t generation;
  uint32_t reduction_population, reduction_and, reduction_or; // of the running generation
  uint32_t last_population, last_and, last_or;                // of the completed one
};

struct block {
  struct cluster *cluster;
  struct launch *launch;
  uint32_t rank;            // in its cluster
  struct vhopper_dim index; // %ctaid
  uint64_t linear_index;
  uint8_t *shared;       // host memory of offset SHARED_FIRST_OFFSET .. +launch->shared_bytes
  uint32_t live_threads; // not exited
  uint32_t warp_count;
  struct warp *warps; // [warp_count]
  struct cta_barrier barriers[BLOCK_MAX_BARRIERS];
  uint32_t barriers_used;           // one bit each
  struct mbarrier_table *mbarriers; // mbarrier.h
  struct bulk_thread
      *bulk; // async.h: per-thread bulk groups and cp.async groups, [threads], or NULL until first used
  struct order_block *order; // NULL unless check
  bool exited;
  bool diverged; // lanes of a warp were met at different barriers: reported once
};

enum wait_reason {
  WAIT_NONE,
  WAIT_CTA_BARRIER,
  WAIT_CLUSTER_BARRIER,
  WAIT_WARP_SYNC,
  WAIT_MBARRIER,
  WAIT_BULK_GROUP,
  WAIT_CP_ASYNC
};

// A set of lanes that are at the same instruction in the same frame. Splits of a warp run independently (every thread makes
// progress); two that meet are merged.
struct split {
  uint32_t lanes;
  uint32_t pc; // index of the next op
  struct frame *frame;
  enum wait_reason wait; // WAIT_NONE: runnable
  uint64_t wait_object;  // barrier id, shared address of the mbarrier, mask of a warp sync, group count
  uint64_t wait_detail;  // generation or parity asked for
  uint64_t seen_events;  // cluster->events when it last looked
  uint32_t idle_rounds;  // polls in a row that showed nothing new
  uint32_t poll_seen[4]; // signatures (op, addresses, values) of the last polls
  uint32_t spent;        // ops executed in the warp's present turn
  bool resting;          // has had its share of the warp's present turn
  bool expired; // its wait timed out (virtual time): the op may return false instead of waiting again
};

// Registers of one function activation: [register][lane]. A 32-bit or narrower register is uint32_t[32] (narrower: zero-extended),
// a 64-bit one uint64_t[32], a 128-bit one two uint64_t[32] (low, high), a predicate one uint32_t mask. Immediates and addresses of
// symbols are registers too, written once when the frame is made.
struct frame {
  struct frame *caller;
  const struct function *function;
  uint32_t lanes;      // lanes that have not returned
  uint32_t return_pc;  // in the caller
  uint32_t local_base; // this activation's part of each thread's local memory
  uint8_t *parameters; // call parameters, [lane][function->call_area_bytes]; NULL when there are none
  uint32_t depth;      // calls above it; 0: the kernel
  struct frame *next_free;
  _Alignas(64) uint8_t registers[];
};

struct warp {
  // what an executing op reads and writes:
  uint8_t *registers; // of the running split's frame
  uint32_t lanes;     // lanes the op works for: the split's, less those whose guard is false
  uint32_t pc;        // already points behind the running op; a branch overwrites it
  bool yield;         // set by an op to hand over after it
  uint32_t carry;     // the condition code CC.CF of each lane (add.cc, addc, ...), PTX ISA 9.7.2
  // place:
  struct block *block;
  struct launch *launch;
  uint32_t index; // in the block
  uint32_t alive; // lanes that exist and have not exited
  // splits: [0] is the running one
  struct split splits[WARP_LANES];
  uint32_t split_count;
  struct frame *kernel_frame;
  struct frame *free_frames; // by function, reused: immediates stay written
  uint8_t *local;            // local memory, [lane][launch->function->local_bytes_per_thread], NULL if none
  uint64_t instructions;     // thread-instructions executed
  // barrier.cluster, per lane: has arrived and not yet waited; in which phase (its lowest bit)
  uint32_t cluster_arrived, cluster_parity;
  struct memory_window { // where the last global accesses went: allocation bounds and host pointer
    uint64_t low, high;  // [low, high); empty: low = high = 0
    uint8_t *host;       // of low
    bool handed;         // the allocation was handed to the program
  } windows[4];
};

static inline uint32_t *warp_register32(const struct warp *w, uint32_t offset) {
  return (uint32_t *)(void *)(w->registers + offset);
}
static inline uint64_t *warp_register64(const struct warp *w, uint32_t offset) {
  return (uint64_t *)(void *)(w->registers + offset);
}
static inline uint32_t *warp_predicate(const struct warp *w, uint32_t offset) {
  return (uint32_t *)(void *)(w->registers + offset);
}
static inline uint32_t warp_thread(const struct warp *w, uint32_t lane) {
  return w->index * WARP_LANES + lane;
} // linear in the block

// schedule.h's services to executing ops ------------------------------------------------------------------------------------------

// The running lanes can't go on: the op is executed again (for these lanes) after something changed. Call at most once per op, then return.
void warp_wait(struct warp *w, enum wait_reason reason, uint64_t object, uint64_t detail);
// The running lanes looked at something that may change (test_wait false, volatile load, failed CAS): let others run first.
void warp_poll(struct warp *w);
// Splits off `lanes` (a subset of w->lanes) to repeat this op later with warp_wait's meaning, while the others go on.
void warp_wait_lanes(struct warp *w, uint32_t lanes, enum wait_reason reason, uint64_t object,
                     uint64_t detail);
// As warp_poll; `signature` hashes what was looked at and seen: only a poll that shows nothing new counts as idle.
void warp_poll_value(struct warp *w, uint32_t signature);
// True when the running op waited before (warp_wait) and that wait has timed out, because nobody in the cluster could go on and nothing was
// pending: a potentially blocking op (try_wait) gives false then instead of waiting again.
bool warp_wait_expired(const struct warp *w);
// Deterministic order of atomics and other strong accesses to global memory: true when this cluster may perform one now;
// otherwise the op has been told to wait (return from it at once). No other cluster runs while one has the turn, so plain
// reads and writes of global memory are safe then. Commutative operations without a result (integer red) don't need it, but must be
// host atomics.
bool warp_take_turn(struct warp *w);
// The same for effects that no warp carries out (async_deliver's floating-point reductions to global memory). False: the cluster is being
// stopped until it has the turn; change nothing, return true from async_deliver; it is called again with the turn.
bool cluster_take_turn(struct cluster *c);
// Lanes leave the program (exit, trap): wakes who waits for them.
void warp_exit_lanes(struct warp *w, uint32_t lanes);
// Stops the cluster (and the grid at the end of the epoch) with a CUDA error number.
void cluster_fail(struct cluster *c, int device_error);
// Virtual nanoseconds of the cluster since the device was made.
uint64_t cluster_time(const struct cluster *c);

// fault services: fill place, kernel, block, thread of `lane` from the running op, record; FATAL also ends the grid with device_error.
void warp_fault(struct warp *w, const struct op *op, uint32_t lane, struct fault *fault);
// Convenience: rule, device error (0: go on) and message.
void warp_faultf(struct warp *w, const struct op *op, uint32_t lane, const char *rule, int device_error,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));
// The place of a thread at an op (for related places of asynchronous operations).
void machine_place(struct fault_place *place, const struct block *block, const struct op *op,
                   uint32_t thread);

static inline uint64_t machine_random(uint64_t *state) { // splitmix64
  uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

#endif
