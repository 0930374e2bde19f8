// The running machine: launch > cluster > block > warp > split, and the register frames of a warp. There is
// no hidden state: code that executes takes a `struct warp *` as its first argument. One worker thread at a
// time runs a cluster. Comments mark what workers share (device memory, the launch, the report).
#ifndef VIRTUAL_HOPPER_MACHINE_MACHINE_H
#define VIRTUAL_HOPPER_MACHINE_MACHINE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/base/cuda-errors.h"
#include "virtual-hopper/machine/options.h"
#include "virtual-hopper/rules/fault.h"

struct op;
struct function;     // machine/op.h: decoded code of one PTX function
struct program;      // machine/program.h: an entry with everything it can call
struct memory;       // memory.h: device memory and its allocations
struct async_copy;   // machine/copy.h
struct mbarrier;     // machine/mbarrier-table.h
struct order_launch; // order/order.h: everything the happens-before engine keeps
struct order_block;
struct touched;     // order/touched.h
struct watch;       // schedule/watch.h
struct time_launch; // time/record.h
struct time_cluster;

enum {
  WARP_LANES = 32,
  BLOCK_MAX_THREADS = 1024,
  BLOCK_MAX_WARPS = 32,
  CLUSTER_MAX_BLOCKS = 16,
  BLOCK_MAX_BARRIERS = 16
};

// The generic address space. Shared addresses are 32 bits: (rank of the block in its cluster << 24) | offset,
// as on the chip; offsets start at 1024, as on the chip (the first KiB belongs to the system). All of it lies
// where no program's own memory does: a Linux process has its own below 0x6500... (with AddressSanitizer) and
// above 0x6e00... (with the most random bits that a kernel can be told to use), and page-locked and managed
// memory has one address on both sides.
#define SHARED_WINDOW 0x0000660000000000ull
#define LOCAL_WINDOW  0x0000660100000000ull
#define PARAM_WINDOW  0x0000660200000000ull // + offset in launch->parameters
#define FUNCTION_WINDOW \
  0x0000660300000000ull // + 16 * index in module->functions: the address of a device function
#define WINDOW_BYTES 0x0000000100000000ull
// The lower halves of the first 3 GiB of addresses are no addresses of shared memory, so that half a pointer
// to global memory isn't taken for one.
#define GLOBAL_BASE 0x0000680040000000ull
enum { SHARED_FIRST_OFFSET = 1024, SHARED_MAX_BYTES = 232448, SHARED_RANK_SHIFT = 24 };
// What cooperative groups of several warps meet in, at %reserved_smem_offset_1: in the first KiB on the chip,
// behind everything else here, in kernels that ask for it.
enum { SHARED_OF_GROUPS = 288 };

// The most host memory that a launch takes for local memory and registers of the resident blocks. By
// launch_take it may take as much again. Both are less if the program's budget has less left. A program far
// below this limit behaves alike with any number of workers; a program that reaches it is stopped.
#define LAUNCH_MOST_BYTES ((size_t)2 << 30)

// What cudaDeviceSetLimit sets, and what kernels have taken of it.
struct context_limits {
  uint64_t stack_bytes; // of a thread
  uint64_t heap_bytes;  // of the kernels' malloc
  bool heap_is_fixed;   // a kernel that allocates was launched
  uint64_t heap_used;   // changed only by the cluster that has the turn
};

struct launch {                 // fixed while the grid runs, unless marked
  struct device_output *output; // what kernels print; written only by the cluster that has the turn
  const struct function *function;
  const struct program *program;
  struct fault_report *report;
  struct memory *memory;
  struct budget *budget;      // for all memory that the device holds for the program; NULL: no limit
  struct chunk_store *chunks; // base/pieces.h: memory for notes; NULL: from malloc
  struct context_limits *limits;
  struct vhopper_dim grid, block, cluster;
  uint32_t threads_per_block, warps_per_block, blocks_per_cluster;
  uint64_t cluster_count;
  // shared_bytes: first offset (1024) not counted
  uint32_t static_shared_bytes, dynamic_shared_bytes, shared_bytes;
  uint32_t dynamic_shared_offset; // shared offset of extern __shared__ arrays
  uint32_t shared_of_groups;      // SHARED_OF_GROUPS or 0; the last of shared_bytes
  uint32_t registers;             // of a thread, as the chip counts them
  uint32_t processors;            // that the kernel is told of
  // of a thread when the kernel begins; 0: it has no setmaxnreg, or compilers ignore it
  uint32_t pool_registers;
  const uint8_t *parameters;
  uint32_t parameter_bytes;
  uint64_t seed, launch_index;
  bool check, strict, plain; // as in the device's options
  bool tries;                // late effects and answers, as programs that are judged meet them
  const struct op *(*way_out)(const struct function *kernel); // diagnose/way-out.h; NULL
  bool (*host_awaited)(void *context);                        // vhopper_when_host_is_awaited; NULL
  void *host_context;
  bool others_may_act; // other streams' work might change global memory while this launch runs
  // of a cooperative launch: where cooperative groups keep the grid's barrier; 0: none
  uint64_t grid_workspace;
  // written between epochs:
  uint32_t idle_epochs;  // epochs in a row without a change in any cluster
  uint64_t news_version; // grows with every epoch in which memory may have changed
  uint32_t epoch_ops;    // what a cluster may execute in one epoch
  bool host_rests;       // the host changes nothing any more
  // in the last epoch every cluster came back to an earlier state, except for what depends on the time
  bool all_repeat;
  enum vhopper_schedule schedule; // never BY_SEED
  uint32_t slice_ops;             // ops of a split in one turn of its warp, by the seed
  bool explicit_cluster;          // the program or the launch named a cluster size
  uint64_t start_time;            // virtual nanoseconds
  uint64_t timer_origin;          // %globaltimer at virtual time 0
  // virtual time at which every cluster begins the epoch; written between epochs
  uint64_t now;
  struct order_launch *order;   // NULL unless check
  struct global_shadow *before; // writes of the previous launch if this one may run beside it; else NULL
  struct touched *touched;      // what it touches of global memory; NULL: doesn't matter
  bool observed;                // each op is looked at before it runs: one of the next four is there
  FILE *trace;                  // NULL: none
  struct unwritten_launch *unwritten; // NULL: reads of unwritten memory are not looked for
  struct wgmma_registers *products;   // execute/wgmma-registers.c: NULL unless check and there are any
  struct time_launch *time;           // what the time model keeps; NULL: no time is kept
  struct time_clocks *clocks;         // what clocks show by the time model; NULL: the time to execute
  double deadline;                    // CLOCK_MONOTONIC seconds, 0 none
  double seconds;                     // until the deadline, when the launch began
  const atomic_int *stop;             // vhopper_options.stop
  uint64_t most_instructions;         // instructions of all warps together; UINT64_MAX: any number
  bool puts_off;                      // past them nothing is said of the launch
  uint64_t instructions;              // thread-instructions, once the grid has run
  // shared by the workers:
  // first error that ended the grid; 0: none. Every worker stops soon after it is set
  atomic_int device_error;
  alignas(HOST_LINE) atomic_size_t taken; // launch_take; on a line of its own, since every copy counts here
  // how often this launch has freed memory: older windows of warps are invalid. Written only by the cluster
  // that has the turn, while no other cluster runs
  uint64_t frees;
  struct grid *run;            // schedule.h: the workers' common state
  bool one_worker;             // they are one; set before it begins
  struct child_list *children; // execute/child.h: NULL unless the program can launch kernels
};

struct cluster {
  struct launch *launch;
  uint64_t index; // linear
  uint32_t block_count;
  struct block *blocks[CLUSTER_MAX_BLOCKS];
  uint64_t random; // state of the cluster's own generator, from (seed, launch, cluster)
  // grows with every change that a thread may wait for (phase flips, barrier releases, memory written with a
  // new value, deliveries): no growth and no runnable thread = stuck
  uint64_t events;
  uint64_t passes;           // of these events: completions of barriers of the block or the cluster
  struct async_queue *async; // async.h: copies that were issued and not delivered
  // order/internal.h: NULL unless check; made with its first block, freed with its last
  struct order_cluster *order;
  struct time_cluster *time; // NULL unless the time model has chosen this cluster as a sample
  struct observed observed;  // merged into the report when the cluster ends
  // barrier.cluster: per-thread arrivals of the current phase
  uint32_t cluster_arrived;
  uint64_t cluster_phase;
  uint32_t live_threads; // of all its blocks
  // the scheduler's:
  bool turn;       // may do ordered accesses to global memory now (no other cluster runs meanwhile)
  bool wants_turn; // stopped before such an access: the whole cluster waits until it has the turn
  // first fatal fault of its own: the cluster stops at once, the grid at the end of the epoch
  int device_error;
  // atomics on global memory with a result that changed something: done in this turn, allowed in one turn;
  // and the number of turns so far. So clusters that draw tiles from a counter get them in turn.
  uint32_t turn_grabs, grabs_allowed, turns_taken;
  uint64_t turn_began, turn_used; // `instructions` when it got the turn and at its last ordered access
  uint64_t time_offset;           // idle nanoseconds: virtual time = launch start + time to execute + this
  uint32_t issue_width;           // instructions of its warps in a nanosecond
  uint64_t instructions;          // warp-instructions executed
  bool alone;                     // the grid's only cluster: it always has the turn
  // schedule/watch.h: while it is checked whether the cluster repeats its states, every op that changes
  // memory is counted
  bool watching;
  uint64_t changes; // such ops, and those that may have changed something
  struct watch *watch;
  uint64_t quiet_since; // virtual time since which nothing has changed
  // Its threads are tried: late effects keep them waiting, through many polls, so that a loop is found that
  // gives up after some. How often effects will still do that; and how many answers of try_wait are "no".
  uint32_t trying_effects, trying_answers;
  uint32_t limits_spent; // nanoseconds that passed in waits which gave up at a limit of their own
  uint64_t host_looks;   // accesses to memory that the host may change meanwhile
  uint64_t host_polls;   // and loads of it that are not weak
  // when its threads go on, if they can only wait for time and the other clusters' clocks are far behind;
  // UINT64_MAX: it doesn't wait for that
  uint64_t wakes_at;
  bool sleeps_until_news; // or until it wakes: it polls, and nothing that it has seen will change it
  // a busy cluster is watched from time to time, too: when next, how many ops later again, and until when
  uint64_t watch_due, watch_interval, watch_until;
  uint32_t warp_count, next_warp; // of all its blocks; index in `turns` of the next one to run
  uint16_t *turns; // [warp_count] the order in which its warps take their turns: rank << 8 | warp
  uint64_t slot;   // its position in the order in which the grid's clusters start
};

struct cta_barrier {         // bar.sync and its family, PTX ISA 9.7.13.1
  uint32_t expected_threads; // of the running generation; 0: no count given, all live threads of the block
  uint32_t arrived_threads;
  // counted barriers: a warp's exited lanes count with its first arrival
  uint32_t arrived_lanes[BLOCK_MAX_WARPS];
  const struct op *arrived_at[BLOCK_MAX_WARPS]; // where: of a warp that has arrived_lanes
  uint64_t generation;
  // the first arrival of the running generation: where, by which thread, its count; NULL: none yet
  const struct op *first_at;
  uint32_t first_thread, first_count;
  // the last warp that only arrived, and came again in the same generation: both places
  const struct op *again_at, *again_before;
  uint32_t again_thread;
  uint64_t again_generation; // plus one; 0: none
  uint32_t count_before;     // of the generation before
  bool counts_some;          // some arrival has counted fewer threads than the block has
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
  // async.h: per-thread bulk groups and cp.async groups, by warp: [WARP_LANES], or NULL until first used
  struct bulk_thread *bulk[BLOCK_MAX_WARPS];
  bool bulk_used;               // by some warp
  struct warpgroup *warpgroups; // execute/wgmma.c: [(warp_count + 3) / 4], or NULL until first used
  struct block_tiles *tiles;    // execute/tiles.c: NULL unless check and there are any
  struct order_block *order;    // NULL unless check
  bool exited;
  bool phased;   // an mbarrier of its has completed a phase
  bool diverged; // lanes of a warp have arrived at different barriers, which is reported once
};

enum { TRYING_POLLS = 100 }; // through so many polls; programs that end themselves are more patient

enum wait_reason {
  WAIT_NONE,
  WAIT_CTA_BARRIER,
  WAIT_CLUSTER_BARRIER,
  WAIT_WARP_SYNC,
  WAIT_MBARRIER,
  WAIT_BULK_GROUP,
  WAIT_CP_ASYNC,
  WAIT_WARPGROUP, // for another warp of the warpgroup to come to the product whose number is wait_object
  WAIT_REGISTERS, // setmaxnreg.inc: wait_object is the count asked for
  WAIT_SLEEP      // nanosleep: wait_object is the virtual time at which the lanes go on
};

// A set of lanes that are at the same instruction in the same frame. Splits of a warp run independently
// (every thread makes progress); two that meet are merged.
struct split {
  uint32_t lanes;
  uint32_t pc; // index of the next op
  struct frame *frame;
  enum wait_reason wait; // WAIT_NONE: runnable
  uint64_t wait_object;  // barrier id, shared address of the mbarrier, mask of a warp sync, group count
  uint64_t wait_detail;  // generation or parity asked for
  uint64_t seen_events;  // cluster->events at its last poll, less its passes
  uint32_t idle_rounds;  // polls in a row that showed nothing new
  uint32_t poll_seen[4]; // signatures (op, addresses, values) of the last polls
  // its last poll was a failed test of this mbarrier, by this op; NULL: it polled something else
  const struct op *barrier_op;
  uint64_t barrier;
  // the try_wait that has last answered false, its barrier and parity: asked again, it waits; NULL: none
  const struct op *refused_by;
  uint64_t refused_object, refused_detail;
  uint32_t refusals; // how often in a row
  uint32_t spent;    // ops executed in the warp's present turn
  bool resting;      // has had its share of the warp's present turn
  bool expired;      // its wait timed out (virtual time): the op may return false instead of waiting again
  bool read_clock;   // since time has last leapt further than anybody had asked for
};

// Registers of one function activation: [register][lane]. A 32-bit or narrower register is uint32_t[32]
// (narrower: zero-extended), a 64-bit one uint64_t[32], a 128-bit one two uint64_t[32] (low, high), a
// predicate one uint32_t mask. Immediates and addresses of symbols are registers too, written once when the
// frame is made.
struct frame {
  struct frame *caller;
  const struct function *function;
  uint32_t lanes;      // lanes that have not returned
  uint32_t return_pc;  // in the caller
  uint32_t local_base; // this activation's part of each thread's local memory
  uint8_t *parameters; // call parameters, [lane][function->call_area_bytes]; NULL when there are none
  uint32_t depth;      // calls above it; 0: the kernel
  uint32_t call_bytes; // registers and parameters of a thread, of this call and of those above it
  struct frame *next_free;
  _Alignas(64) uint8_t registers[];
};

struct warp {
  // what an executing op reads and writes:
  uint8_t *registers; // of the running split's frame
  uint32_t lanes;     // lanes the op works for: the split's, less those whose guard is false
  uint32_t pc;        // already points to the op after the running one; a branch overwrites it
  bool yield;         // set by an op to end the warp's turn after it
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
  struct doubts *doubts;     // execute/unwritten.c; NULL: none
  struct warp_products *products; // execute/wgmma-registers.c; NULL: none yet
  // setmaxnreg: registers of a thread now, how often they have changed, and where last; NULL: never
  uint32_t pool_registers, pool_changes;
  const struct op *pool_op;
  uint64_t clock_reads; // how often one of its threads has read a clock
  double clock_ahead;   // of launch->clocks: nanoseconds, beyond those to execute
  // barrier.cluster, per lane: has arrived and not yet waited; in which phase (its lowest bit)
  uint32_t cluster_arrived, cluster_parity;
  const struct op *cluster_arrived_at; // the last arrival; NULL: none
  struct memory_window { // where the last global accesses went: allocation bounds and host pointer
    uint64_t low, high;  // [low, high); empty: low = high = 0
    uint8_t *host;       // of low
    bool handed;         // the allocation was handed to the program
    bool hosts;          // page-locked or managed memory: the host may change it meanwhile
    uint64_t frees;      // of the launch, when it was opened
    uint64_t last;       // address of lane 0 in the last strided access
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
// linear in the block
static inline uint32_t warp_thread(const struct warp *w, uint32_t lane) {
  return w->index * WARP_LANES + lane;
}

// ---- what executing ops ask of the scheduler --------------------------------------------------------------

// The running lanes can't go on: the op is executed again (for these lanes) after something changed. Call at
// most once per op, then return.
void warp_wait(struct warp *w, enum wait_reason reason, uint64_t object, uint64_t detail);
// The running lanes have polled something that may change (test_wait false, volatile load, failed CAS): other
// threads run first.
void warp_poll(struct warp *w);
// The running lanes go on after the op when so much virtual time has passed. Return from the op at once.
void warp_sleep(struct warp *w, uint64_t nanoseconds);
// Splits off `lanes` (a subset of w->lanes) to repeat this op later with warp_wait's meaning, while the
// others go on.
void warp_wait_lanes(struct warp *w, uint32_t lanes, enum wait_reason reason, uint64_t object,
                     uint64_t detail);
// Like warp_poll. `signature` hashes the address and the value: only a poll that finds nothing new counts as
// idle.
void warp_poll_value(struct warp *w, uint32_t signature);
// True when the running op has waited (warp_wait) and the wait has timed out, because no thread of the
// cluster could go on and nothing was pending. A potentially blocking op (try_wait) then returns false and
// does not wait again.
bool warp_wait_expired(const struct warp *w);
// Deterministic order of atomics and other strong accesses to global memory: true when this cluster may
// perform one now; otherwise the op has been told to wait (return from it at once). No other cluster runs
// while one has the turn, so plain reads and writes of global memory are safe then. Commutative operations
// without a result (integer red) don't need it, but must be host atomics.
bool warp_take_turn(struct warp *w);
// The running op took something that other clusters want as well, such as the next tile: the warp's turn ends
// when the cluster has had its share.
void warp_count_grab(struct warp *w);
// Like warp_take_turn, for effects that no warp executes (async_deliver's floating-point reductions to global
// memory). False: the cluster stops until it has the turn. Then change nothing, and return true from
// async_deliver, which is called again with the turn.
bool cluster_take_turn(struct cluster *c);
// Takes host memory for things of which a kernel may create any number: nested calls, copies in flight.
// False: the launch has used up its share.
bool launch_take(struct launch *l, size_t bytes);
// The most bytes for registers and local memory of resident blocks: LAUNCH_MOST_BYTES, or half of what is
// left.
size_t launch_resident_most(const struct budget *budget);
// The program's budget is used up, and the kernel can't go on without more memory: ends the grid, like a chip
// that is out of memory, and records the reason for the caller.
void launch_budget_spent(struct launch *l);
bool launch_is_stopped(const struct launch *l);  // by launch->stop
bool launch_out_of_time(const struct launch *l); // past launch->deadline, or stopped
// Lanes leave the program (exit, trap): wakes the threads that wait for them.
void warp_exit_lanes(struct warp *w, uint32_t lanes);
// Stops the cluster (and the grid at the end of the epoch) with a CUDA error number.
void cluster_fail(struct cluster *c, int device_error);
// Virtual nanoseconds of the cluster since the device was made.
uint64_t cluster_time(const struct cluster *c);

// Fills in place, kernel, block and thread of `lane` from the op, and records the fault. FAULT_FATAL also
// ends the grid with device_error.
void warp_fault(struct warp *w, const struct op *op, uint32_t lane, struct fault *fault);
// The same for each of the warp's running lanes, so that they are counted.
void warp_fault_each(struct warp *w, const struct op *op, const struct fault *fault);
// Convenience: rule, device error (0: go on) and message.
void warp_faultf(struct warp *w, const struct op *op, uint32_t lane, enum rule_id rule, int device_error,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));
// The line of machine_place alone, at less cost; "" and 0: unknown.
struct source_line machine_line(const struct op *op);
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
