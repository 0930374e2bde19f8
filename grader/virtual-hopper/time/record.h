// What the time model needs to know of a launch: for a sample of its clusters, what each warp did, in order,
// and what each of its waits was for; for all clusters, the bytes that they moved. The functional machine
// calls these functions while it executes; nothing here changes what it does.
#ifndef VIRTUAL_HOPPER_TIME_RECORD_H
#define VIRTUAL_HOPPER_TIME_RECORD_H

#include "virtual-hopper/machine/copy.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/time/cache.h"
#include "virtual-hopper/time/chain.h"
#include "virtual-hopper/time/chip.h"
#include "virtual-hopper/time/near.h"
#include "virtual-hopper/time/parts.h"

enum time_event_kind {
  TIME_RUN,   // a: issue slots; b: cycles until its last result; c: cycles of the shared memory; place: below
  TIME_LOAD,  // a: number of the load; b: bytes in sectors; c: of these, through the memory; lines
  TIME_USE,   // a: number of the load that must have come
  TIME_STORE, // b, c, lines as in TIME_LOAD
  // a: number of the load, UINT32_MAX: nobody reads a result; flag: others use the same address; lines: words
  TIME_ATOMIC,
  // a: phase; b: bytes; c: bytes missing in the cache; lines: rows, 0: from shared memory; flag: they are
  // those of the copy before, which one more block gets (multicast)
  TIME_COPY_IN,
  TIME_COPY_OUT,
  TIME_WAIT_STORES,   // a: so many of the warp's first bulk stores; flag: only read
  TIME_PRODUCT,       // of a warp's tensor core; a: cycles
  TIME_AWAIT_PRODUCT, // a: so many of the warp's first products
  // a: phase; b: arrivals; flag: of __syncthreads() or the like; lines: of another block's barrier, or, with
  // flag, of a meeting of the cluster
  TIME_ARRIVE,
  TIME_WAIT, // a: phase; flag, lines: as in TIME_ARRIVE; without flag, b: lanes that wait; c: that there are
  TIME_REMOTE, // b: bytes of another block's shared memory; flag: stored
  TIME_SLEEP,  // a: nanoseconds
  TIME_FENCE,  // what the warp did before is seen by the whole chip
  TIME_CLOCK,  // a: so many of the cluster's readings of a clock came before
  TIME_MARK,   // of a named range, at its begin (flag) or end; a: lanes; b, c: record.c
  TIME_TELL,   // the block has stored a word for others
  TIME_LOOK    // it has told others, and looks for what all blocks before it have told
};

struct time_event {
  uint8_t kind;
  bool flag;
  uint16_t lines;
  uint32_t a, b, c;
  uint32_t place;  // of a copy: its offset in shared memory; of a load: bytes that the L1 cache has; of
                   // a store: parts of sectors, and twice the lines that these are of; of a run: cycles of
                   // its scheduler's part for special functions, and `lines`: reads of special registers
  uint16_t cycles; // of a load or store: that the L1 cache is busy with it
  const struct op *op;
};

static inline bool time_waits(const struct time_event *e) {
  return e->kind == TIME_WAIT || e->kind == TIME_WAIT_STORES || e->kind == TIME_USE ||
         e->kind == TIME_SLEEP || e->kind == TIME_FENCE || e->kind == TIME_LOOK;
}

struct time_phase { // of an mbarrier, or one meeting at a block's barrier
  uint64_t name;    // which: rank, place, number
  uint32_t needs;   // arrivals and copies that complete it
  uint32_t offset;  // of the mbarrier in shared memory; 0: a meeting
  bool loads;       // copies complete it
  uint8_t rank;     // of its block in the cluster
};

enum {
  TIME_SUMS = 4,
  TIME_RECENT_STORES = 32,
  TIME_RECENT_LOADS = 64,
  TIME_RECENT_GROUPS = 16,
  TIME_MOST_OWED = 64,
  TIME_DIVISIONS = 8,
  TIME_NUMBERS = 16,
  TIME_MOST_MARKS = 40000
}; // marks: of a cluster

struct time_warp {
  uint32_t products;
  struct time_reuse *reuse; // NULL until it loads or stores
  struct time_parts *parts; // NULL until it stores parts of sectors
  double near, lost;        // bytes that are no event yet: from the L1 cache, and fetched again
  struct time_event *events;
  uint32_t count, room;
  uint32_t loads, stores;
  uint64_t all_slots, lane_slots; // of its instructions; times the threads that each was for
  // while it is recorded:
  uint32_t slots, shared_cycles, special_cycles; // of the open run
  uint32_t longest;                              // cycles until the last instruction of the open run
  uint32_t split;                                // of these, in parts of the run that are events already
  uint32_t block_begin;                          // cycles of the run before its open basic block
  uint32_t block_slots;                          // of the open basic block
  uint32_t behind; // cycles behind the loads of the open basic block until all that is made of them is there
  uint32_t issued; // cycles of the run before its newest instruction
  uint32_t turns;  // of an unrolled loop
  struct time_result { // by place in the frame
    uint32_t load;     // 0: none; else number of the load plus one
    uint32_t block;    // 0: the load's own result; else made of it in this basic block
    uint32_t ready;    // cycles after the begin of run `run`
    uint32_t run;
    uint32_t behind; // made of a load in this basic block: so many cycles after it has come
  } * results;
  struct time_owed { // loads that the open basic block has used: it ends when they have come
    uint32_t load;
    const struct op *op;
  } owed[TIME_MOST_OWED];
  uint64_t executed; // ops
  struct time_divided {
    const struct op *op;
    uint32_t number, divisor; // places in the frame
    uint64_t when;
  } divided[TIME_DIVISIONS];              // the newest divisions by what a loop doesn't change
  const struct op *numbers[TIME_NUMBERS]; // ops that have read a special register
  uint32_t number_count, reads;           // reads: of such, in the open run
  uint32_t owed_count, block;             // block: number of the open basic block, from 1 on
  uint32_t result_count, run;
  const struct frame *frame;
  struct time_bulk_store {
    uint32_t thread;
    uint64_t group;
  } newest[TIME_RECENT_STORES]; // by number % TIME_RECENT_STORES
  struct {
    uint32_t newest[TIME_RECENT_LOADS];  // numbers of the loads that they are
    uint32_t groups[TIME_RECENT_GROUPS]; // how many there were when a group was closed
    uint32_t count, group_count, awaited;
  } cp; // its cp.async
};

struct time_cluster { // one sampled cluster
  uint64_t index;
  uint32_t warp_count; // of all its blocks: rank * warps of a block + warp
  struct time_warp *warps;
  struct time_phase *phases;
  uint32_t phase_count, phase_room;
  struct time_lines *lines; // that its warps have loaded; NULL until then
  uint32_t *buckets;        // phases by name: number plus one
  uint32_t bucket_count;
  uint32_t events, clocks, marks;
  bool full, began;  // no more is recorded
  bool told, looked; // TIME_TELL, TIME_LOOK are among its events
  uint64_t bytes;    // that its recorded events move, in sectors and copies
  uint64_t slots;
};

struct time_totals {
  uint64_t read, written;           // bytes asked for in global memory
  uint64_t missed;                  // of the reads, bytes that the cache didn't have
  uint64_t flushed;                 // of the writes, bytes that go on to the memory
  uint64_t reduced;                 // of both, bytes that were read to be added to, and written back
  uint64_t pieces;                  // rows of bulk copies
  uint64_t slots;                   // warp-instructions that take an issue slot
  uint64_t atomics_on_one;          // on the most used counter
  uint64_t changed;                 // words that atomics have changed, once for each instruction
  uint64_t accessed, followed;      // of read and written, those of threads; of these, of sampled warps
  double read_again, written_again; // of these, that go through the memory once more: the L2 cache lost them
  double filled, apart;             // sectors that are read to be made whole; pairs written by themselves
  double asked;                     // loads of lines that go to the L2 cache
  double far, far_lines;            // sectors of loads that the L1 cache hasn't; lines with such
  uint64_t torn, torn_parts; // lines of which accesses in a row have a part, and parts of sectors, as below
  uint64_t opened[2];        // parts of the memory that were opened to be read, and written
  uint64_t partial;          // parts of sectors that threads have stored, and twice the lines of such
  uint64_t parts, joined;    // of these, those of sampled warps; of them, made whole at once
  uint64_t added[2];         // bulk reductions into what others have just added to, and their lines
  uint64_t chained;          // waits of blocks for one another, one after the other
  uint64_t looked;           // sampled clusters that look back for what those before them have told
  uint64_t shared, lost;     // of the samples: cycles of shared memory; of these, to bank conflicts
};

struct time_launch {
  const struct chip *chip;
  struct cache *cache;
  struct time_cluster *samples;
  uint32_t sample_count;
  uint64_t cluster_count;
  uint32_t blocks_per_cluster, warps_per_block, blocks_on_processor;
  uint32_t blocks_fit;                          // on a processor, however few the launch has
  uint64_t last_atomic, newest_sums[TIME_SUMS]; // where atomics and bulk reductions have added
  struct time_pages *pages;
  struct time_near *near;   // NULL until something is loaded
  struct time_chain *chain; // NULL until a block tells others something
  struct time_totals totals;
  const struct function *function;
  struct time_op_table *ops; // execute/time-op.c: what each op costs, found at its first execution
};

struct time_launch *time_launch_begin(const struct chip *chip, struct cache *cache, const struct launch *l,
                                      uint32_t blocks_on_processor);
void time_launch_end(struct time_launch *t);
// The sample that a cluster is, or NULL.
struct time_cluster *time_cluster_begin(struct time_launch *t, uint64_t index);

// ---- what the machine did: called only when launch->time --------------------------------------------------

static inline struct time_warp *time_warp_of(const struct warp *w) {
  struct time_cluster *c = w->block->cluster->time;
  if (!c || c->full) return NULL;
  return &c->warps[w->block->rank * w->launch->warps_per_block + w->index];
}
// Closes the run of plain instructions before the next event.
void time_close_run(struct warp *w);
// Makes an event of what the open run has so far. The run goes on: what its instructions wait for is still
// known. If a long run were one event, it would keep a part of the processor from all other warps.
void time_split_run(struct warp *w);
void time_emit(struct warp *w, struct time_event event);
void time_copy(struct warp *w, const struct async_copy *copy);
// cp.async by lanes; a group of them is closed; all groups but the newest `pending` are waited for.
void time_cp_async(struct warp *w, const struct op *op, const uint64_t *addresses, uint32_t lanes,
                   uint32_t bytes);
void time_cp_commit(struct warp *w);
void time_cp_wait(struct warp *w, uint32_t pending, const struct op *op);
void time_wait_stores(struct warp *w, uint32_t thread, uint64_t end, bool read_only, const struct op *op);
// An arrival for, or a wait that has seen, phase `number` of the mbarrier at `offset` of `owner`.
void time_mbarrier_arrive(struct warp *w, const struct block *owner, uint32_t offset, uint64_t number,
                          const struct op *op);
void time_mbarrier_pass(struct warp *w, const struct block *owner, uint32_t offset, uint64_t number,
                        const struct op *op);
// Lanes of a warp come to barrier `id` of their block (or, id TIME_CLUSTER_BARRIER, of their cluster), and
// leave it when all have come: others of the warp may have done something in between.
enum { TIME_CLUSTER_BARRIER = 255 };
void time_meet_arrive(struct warp *w, uint32_t id, uint64_t generation, const struct op *op);
void time_meet_leave(struct warp *w, uint32_t id, uint64_t generation, const struct op *op);
// A warp has begun its part of a product of a warpgroup, which keeps a tensor core busy for so many cycles;
// has waited for the first `count` of its products.
void time_product(struct warp *w, uint32_t cycles, const struct op *op);
void time_await_product(struct warp *w, uint64_t count, const struct op *op);
void time_sleep(struct warp *w, uint64_t nanoseconds);
void time_clock(struct warp *w);
// A named range begins or ends here (PTX_MARK). Costs no time, and changes no prediction.
void time_mark(struct warp *w, const struct op *op);
void time_access(struct warp *w, const struct op *op, const uint64_t *addresses, uint32_t lanes,
                 uint32_t bytes, bool write, uint32_t load);
// So many bytes of another block's shared memory are loaded or stored. The open run stays open.
void time_remote(struct warp *w, const struct op *op, uint32_t bytes, bool stored);
// The warp goes to the memory for something of the page at the address (thread: not by a copy); it has moved
// so many bytes.
void time_touch_page(struct warp *w, uint64_t address, bool write, bool thread);
void time_move_on(struct warp *w, uint64_t bytes, uint64_t missed);
// All has run: what sampled warps fetched again stands for all of them.
void time_access_end(struct time_launch *t);
// Lanes have stored words for others to wait for, or read such words.
void time_tell(struct warp *w, const struct op *op, const uint64_t *addresses, uint32_t lanes, bool write);
// Lanes change words of global memory.
void time_atomic(struct warp *w, const struct op *op, const uint64_t *addresses, uint32_t lanes,
                 uint32_t load);

#endif
