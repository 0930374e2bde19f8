// What the happens-before engine remembers (state.c): of a launch, a cluster, a block and an mbarrier, and
// how each thread's struct is found. In: agents' deeds. Out: the state that all files of this room share.
// One idea: what internal.h's theory speaks of has its struct here, and nothing here judges.
#ifndef VIRTUAL_HOPPER_ORDER_STATE_H
#define VIRTUAL_HOPPER_ORDER_STATE_H

#include <pthread.h>
#include <stdalign.h>

#include "virtual-hopper/base/pieces.h"
#include "virtual-hopper/machine/copy.h"
#include "virtual-hopper/machine/mbarrier-table.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/clock.h"
#include "virtual-hopper/order/global.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/order/page-table.h"
#include "virtual-hopper/order/race.h"
#include "virtual-hopper/order/shadow.h"
#include "virtual-hopper/order/tensor-maps.h"
#include "virtual-hopper/order/thread.h"
#include "virtual-hopper/rules/conflict.h"

struct location_sync { // an address that strong accesses use as a flag, and the views released there
  uint64_t key;
  struct gather gather;
  struct clock *released;
  struct location_sync *next;
};
enum { LOCATION_BUCKETS = 64, MOST_LOCATIONS = 2048 };

struct deed {          // what a thread did, where
  const struct op *op; // NULL: there is no such deed
  struct block *block; // NULL: it is not known which thread
  uint32_t thread;     // linear in the block
};

struct conflict { // the earlier deed against the later one
  struct conflict_facts facts;
  struct deed earlier, later;
  // CONFLICT_LOAD_NOT_AWAITED: of the load; the report looks for other threads that wait for it. NO_AGENT: it
  // doesn't
  uint32_t load_agent, load_epoch;
  uint32_t shared_offset;  // of the first byte concerned; 0: not in shared memory
  uint64_t global_address; // the same in global memory; 0: it isn't, or isn't known
  // of the earlier deed, where culprit.c needs it: a write, or a store's sequence (CONFLICT_EXIT_BEFORE_READ:
  // of the later one)
  uint32_t earlier_epoch;
  // Between clusters: the strong write by which one has told the other, from a thread that had not met the
  // earlier deed's; NULL: there was none.
  const struct op *teller;
  bool told_for_later; // the other way round: the later deed is the one that its thread had not met
  // CONFLICT_LOAD_NOT_AWAITED: the later thread's last wait, for another stage's barrier; NULL: it wasn't
  const struct op *other_wait;
};

enum { MOST_SUSPICIONS = 16 }; // of a cluster
// A stale or refused wait on `barrier` (an agent) is to blame for a race if agent `other` arrives there
// after its `epoch`.
struct suspicion {
  uint32_t barrier, other, epoch;
  struct conflict conflict;
};

// The barrier of an agent, and the block that holds it; barrier NULL: none.
struct agent_barrier {
  uint32_t agent;
  struct mbarrier *barrier;
  struct block *block;
};
enum { BARRIERS_FOUND = 8 };

// A strong write that releases nothing (flag.c).
struct relaxed_flag {
  const struct op *op;
  uint64_t key;           // where: as in order_location_acquire
  uint32_t writer, epoch; // agent; of it, at that write
  uint32_t reader;        // agent: the last one that has read it since; NO_AGENT: none
};
enum { MOST_FLAGS = 8, MOST_LATE = 64 };

struct order_cluster {
  struct order_launch *launch;
  struct cluster *cluster;
  uint32_t blocks_begun, blocks_ended;
  uint32_t threads, threads_per_block;
  uint32_t agent_count; // next new agent
  // Barriers that were looked for last, by agent modulo their number: with many races each asks for the same
  // few. Forgotten when a block ends, since its barriers' records end with it.
  struct agent_barrier found[BARRIERS_FOUND];
  uint32_t dependency_agent; // its epoch 1 is the end of the launch before
  uint64_t others_seen;      // time up to which other clusters' deeds may have been seen
  bool fenced, raced; // some thread has executed a fence; threads of two blocks have raced in shared memory
  struct race_view race;
  // Of block 0, and so on by rank: epoch 1 is the beginning of that block. Only where clusters have several.
  uint32_t first_start_agent;
  uint32_t unreleased_inits;   // of barriers, at least
  struct order_thread *thread; // [threads], agent number = index + 1; see order_thread_at
  struct order_warp *warp;     // [threads / WARP_LANES]
  struct join_cache joins;
  struct clock *nothing_seen; // made when it is needed
  struct gather cluster_barrier[2];
  struct clock *cluster_barrier_done[2];
  uint64_t cluster_barrier_done_phase[2];
  struct location_sync *locations[LOCATION_BUCKETS];
  uint32_t location_count;
  uint32_t open_issues;  // barriers with an open issuer
  bool hidden_orders;    // some copy landed after things that its barrier's phase doesn't publish
  bool narrow_locations; // some were released for one block alone
  bool bar_arrives;      // some thread has executed bar.arrive
  bool relaxed; // some thread has arrived at the cluster's barrier with .relaxed, and unreleased deeds
  bool narrow;  // some thread has waited on an mbarrier with the scope of its block
  struct map_view maps;
  struct suspicion *suspicions; // [MOST_SUSPICIONS]; NULL before the first one
  uint32_t suspicion_count;
  struct relaxed_flag flags[MOST_FLAGS];
  uint32_t flag_count; // so many were set; the last ones are kept
};

struct sent {            // the last copy of a block into other blocks that completes on a barrier there
  uint32_t agent, epoch; // of the barrier's phase
  const struct op *op;
  uint32_t thread; // linear in the block
  uint32_t bytes;
};

struct peer_access { // the last access of a thread to another block's shared memory; op NULL: none
  const struct op *op;
  uint32_t epoch;
  uint8_t what; // enum deed_kind
};

struct order_block {
  uint32_t barriers_awaited; // bits: barriers of the block that some thread has come to and waited
  bool remotely_written;     // threads of other blocks have written into its shared memory
  atomic_bool lets_next_begin;
  uint32_t triggering_warps; // bits: warps of the block that have let the dependent launch begin
  struct clock *wide;        // what its threads have seen by waits and barriers that reach other blocks
  struct order_cluster *cluster;
  struct block *block;
  struct shadow shadow;
  struct gather barrier[BLOCK_MAX_BARRIERS][2];
  struct clock *barrier_done[BLOCK_MAX_BARRIERS][2];
  uint64_t barrier_done_generation[BLOCK_MAX_BARRIERS][2];
  struct gather warp_gather;
  struct named_arrivals *named; // one for each barrier, when one of them counts its threads; else NULL
  struct {
    const struct op *op; // NULL: none
    uint32_t threads, lanes[BLOCK_MAX_WARPS];
    bool counted;    // it counts its threads: of a warp that came in part, all are counted
  } partial;         // the last barrier that completed without threads that had left
  bool raced;        // a race within it is a report's example
  struct sent *sent; // one for each barrier
  uint32_t sent_count, sent_room;
  struct peer_access *accesses; // by threads of other blocks, linear in the cluster; NULL: none
  uint64_t phases_left;         // of the cluster's barrier, by any thread of the block
  struct order_block *next_free;
};

struct order_mbarrier {
  struct ring_clue anew;
  struct ring_arrivals arrived[BLOCK_MAX_WARPS];
  const struct op *fresh_wait;       // the first wait that passed before any phase was complete; NULL: none
  uint32_t fresh_agent, fresh_epoch; // of the thread that waited
  const struct op *fresh_refused;    // that thread's wait for phase 0, if it returned false; else NULL
  // Of each warp of the block: the last wait that returned false, the phase that it was for, and the lanes
  // that have not seen that phase complete since.
  struct refusal {
    const struct op *op;
    uint32_t phase, lanes;
  } refused[BLOCK_MAX_WARPS];
  // Of each warp of the block: a lane's last wait that showed it a phase, and that lane's epoch then.
  struct mbarrier_wait {
    const struct op *op; // NULL: none
    uint32_t lane, epoch;
  } waited[BLOCK_MAX_WARPS];
  uint32_t agent; // its epoch n: n phases are complete
  // The threads of its block that arrive on it, a bit for each, and how many there are; those that arrive by
  // cp.async.mbarrier.arrive.noinc; and how many arrivals all of them make if each comes once.
  uint32_t arrivers[BLOCK_MAX_WARPS], arriver_count;
  uint32_t copiers[BLOCK_MAX_WARPS], copier_count;
  uint32_t arrivals_together;
  // The same of threads of the other blocks: a bit for each thread of the cluster; NULL: none.
  uint32_t *remote_arrivers, remote_count, remote_together;
  uint32_t init_count;
  struct gather gather; // of the arrivals of the running phase
  // Of the last arrival: its thread, and that thread's first epoch after it.
  uint32_t arrival_agent, arrival_epoch;
  const struct op *news_wait;        // the last wait that showed its thread a completed phase; NULL: none
  uint32_t news_thread, news_phases; // linear in its block; phases complete then
  uint32_t bare_phases;              // phases complete after the last one that no copy belonged to; 0: none
  const struct op *bare_arrival;     // the last arrival of that one
  uint32_t known_to_copy;            // of its phases a thread has known that then issued a copy on it
  bool loose;                        // relaxed arrivals or waits, or cp.async, hand it over
  bool outrun_reported;
  uint32_t open_issuer; // of a copy on it, who has not arrived on it since it learned of others; NO_AGENT
  struct report_slot *unawaited; // reports a load for which nobody had waited yet; NULL: none
  uint32_t unawaited_epoch;      // of that load
  struct clock *completed;       // published by the completed phases
  uint32_t init_agent, init_epoch, init_thread;
  const struct op *init_op;
  bool init_reported;
  // A release that reaches the other blocks has followed the initialisation: one of the cluster's barrier, a
  // fence, or one to another block's barrier. A relaxed arrival at the cluster's barrier is none.
  bool init_released;
  // Its block has come to the cluster's barrier by such an arrival before any release: then a release tells
  // those alone who have seen that epoch of its thread.
  bool init_exposed;
  uint32_t late_count;
  struct late_release {
    uint32_t agent, epoch;
    bool together; // its warp's lanes have released at once
  } late[MOST_LATE];
  struct { // the last copy that completes on it; epoch 0: none
    struct deed deed;
    uint32_t epoch, bytes;
  } load;
};

struct global_page;
// True when all lanes of a warp access neighbouring bytes in their order.
bool order_is_row(uint32_t lanes, const uint64_t address[WARP_LANES], uint32_t bytes);
enum { GLOBAL_LOCKS = 64, REPORT_SLOTS = 1024, CAUSE_KINDS = 4 };

struct global_shadow {
  struct lone_lock page_locks[GLOBAL_LOCKS];
  struct global_pieces {
    alignas(HOST_LINE) struct pieces set;
    struct budget_share share; // of `memory`
    struct page_table table;
  } pieces[GLOBAL_LOCKS];  // of the pages of each lock
  struct page_range range; // of all pages
  struct launch *launch;   // whose writes are noted
  struct launch *now;      // the same while it runs; NULL: the next one may use it
  struct budget_part memory;
  uint64_t launch_index;            // of that launch
  struct global_shadow *late_reads; // kept: what it reads once it has let the next launch begin; or NULL
  struct global_shadow *earlier; // kept: of a launch before that one, which may run beside the next one, too
};

struct report_slot {
  enum rule_id rule;
  const struct op *first, *second;
  struct fault fault;
  uint64_t count;
  uint64_t stage;         // of the launch, in which it was met first
  uint64_t example_block; // linear; the lowest block of that stage is shown
  // The example, if it is a race of two threads of a block that may still come to a barrier which the other
  // one has left; that block, else NULL; how often it had met then.
  struct conflict race;
  const struct block *open;
  uint64_t meetings;
  uint64_t blocks[64];                             // bits, by block number modulo 4096
  uint64_t earlier_threads[16], later_threads[16]; // bits, by thread of the block
};

struct order_launch {
  struct launch *launch;
  // Threads' writes matter: there are bulk copies, or the next launch may begin early.
  bool tracks_global_writes;
  bool tracks_global_stores; // bulk stores matter: the module has copies that write global memory
  pthread_mutex_t lock;      // of everything below
  struct order_block *free_blocks;
  struct report_slot **reports;         // [REPORT_SLOTS] open addressing by (rule, first, second); NULL: free
  uint32_t report_count, fresh_reports; // fresh: of the present stage, not yet in the fault report
  uint64_t stage;
  struct possible_cause { // of order_report_if_explained
    struct fault *fault;  // NULL: none
    uint64_t block;
    uint32_t arrivers; // CONFLICT_COUNT_TOO_SMALL: how many threads arrive
  } causes[CAUSE_KINDS];
  struct global_shadow *global;       // what has been written there
  struct global_shadow *global_reads; // what threads have read there; NULL: nobody stores in bulk
  bool has_cp_async;                  // some thread may copy by cp.async
  bool fences_maps;                   // some thread may fence tensor maps in global memory
  struct global_shadow *global_loads; // what bulk loads read there; NULL: there are none
  struct between_clusters *between;   // NULL: there is one cluster, or no bulk copy
  struct race_shadow *races;          // NULL: races are not judged
  struct global_shadow *late_reads;   // by blocks that have let the dependent launch begin; NULL: none can
  atomic_bool lets_next_begin;        // a block has let the dependent launch begin early
  atomic_bool waits_first; // a block has waited for the launch before, and had not done that by then
};

// Agents of threads are numbered by their place in the cluster, from 1.
static inline uint32_t order_agent_of(const struct warp *w, uint32_t lane) {
  return w->block->rank * w->block->cluster->order->threads_per_block + warp_thread(w, lane) + 1;
}
// True for a thread that has seen a phase complete: it waits before it loads, so a buffer that it fills too
// early was given back too early.
static inline bool order_loader_waits(const struct order_thread *loader) {
  return loader->observed_epoch > 0;
}
// Afterwards each of the warp's threads has its own struct again.
void order_unfold(const struct order_cluster *c, uint32_t warp);
// A thread, by its place in the cluster; its warp is unfolded.
static inline struct order_thread *order_thread_at(const struct order_cluster *c, uint32_t thread) {
  if (c->warp[thread / WARP_LANES].folded) order_unfold(c, thread / WARP_LANES);
  return &c->thread[thread];
}
static inline struct order_thread *order_thread_of(const struct warp *w, uint32_t lane) {
  return order_thread_at(w->block->cluster->order, order_agent_of(w, lane) - 1);
}
// The same, to be read only: it may stand for its whole warp.
static inline const struct order_thread *order_view_at(const struct order_cluster *c, uint32_t thread) {
  const struct order_warp *warp = &c->warp[thread / WARP_LANES];
  return warp->folded ? &warp->all : &c->thread[thread];
}
static inline const struct order_thread *order_view_of(const struct warp *w, uint32_t lane) {
  return order_view_at(w->block->cluster->order, order_agent_of(w, lane) - 1);
}
static inline struct last_arrival order_arrival_at(const struct order_cluster *c, uint32_t thread) {
  const struct last_arrival *of_warp = c->warp[thread / WARP_LANES].arrivals;
  return of_warp ? of_warp[thread % WARP_LANES] : (struct last_arrival){0};
}
static inline struct order_warp *order_warp_of(const struct warp *w) {
  return &w->block->cluster->order->warp[(order_agent_of(w, 0) - 1) / WARP_LANES];
}
// The threads of a warp for loops over its lanes. Of a folded warp each lane has the same one.
struct order_lanes {
  const struct order_thread *first;
  uint32_t step; // 0: folded
};
static inline struct order_lanes order_lanes_of(const struct warp *w) {
  return (struct order_lanes){order_view_of(w, 0), !order_warp_of(w)->folded};
}
static inline const struct order_thread *order_lane(struct order_lanes of, uint32_t lane) {
  return of.first + (size_t)lane * of.step;
}
// Folds the warp if its lanes are alike: what stands for them; NULL: they differ. No pointer to one of its
// threads may be kept across this call.
struct order_thread *order_fold(const struct order_cluster *c, uint32_t warp);
// The thread that stands for all of these lanes; NULL: each has to be looked at.
static inline struct order_thread *order_together(const struct warp *w, uint32_t lanes) {
  const struct order_cluster *c = w->block->cluster->order;
  return lanes == UINT32_MAX ? order_fold(c, (order_agent_of(w, 0) - 1) / WARP_LANES) : NULL;
}
#define EACH_LANE(lane, lanes)                                                                   \
  for (uint32_t left_ = (lanes), lane; left_ && ((lane = (uint32_t)__builtin_ctz(left_)), true); \
       left_ &= left_ - 1)
// What is done alike to each thread of the lanes: to the one that stands for them all, if there is one.
struct thread_walk {
  struct order_thread *threads;
  uint32_t left; // one bit each
};
static inline struct thread_walk thread_walk(const struct warp *w, uint32_t lanes) {
  struct order_thread *together = order_together(w, lanes);
  if (together || !lanes) return (struct thread_walk){together, together ? 1 : 0};
  return (struct thread_walk){order_thread_of(w, 0), lanes};
}
static inline struct order_thread *thread_next(struct thread_walk *walk) {
  if (!walk->left) return NULL;
  const uint32_t lane = (uint32_t)__builtin_ctz(walk->left);
  walk->left &= walk->left - 1;
  return walk->threads + lane;
}
#define EACH_THREAD(t, w, lanes) \
  for (struct thread_walk walk_ = thread_walk((w), (lanes)); (t = thread_next(&walk_));)
// The lanes have done something in their present epochs.
void order_mark_dirty(const struct warp *w, uint32_t lanes);
// Threads' accesses to global memory matter from now on; stores: bulk stores, too.
void order_track_global(struct order_launch *l, bool stores);
uint32_t order_agent_new(struct order_cluster *c);
// Threads of a block, rounded up to whole warps.
static inline uint32_t order_rounded_threads(const struct launch *l) {
  return (l->threads_per_block + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
}
static inline struct deed order_actor_deed(struct actor a) {
  return (struct deed){.op = a.op, .block = a.w->block, .thread = actor_thread(a)};
}
// thread: linear in the cluster, so that of its agent less 1.
static inline struct deed order_thread_deed(const struct order_cluster *c, uint32_t thread,
                                            const struct op *op) {
  return (struct deed){.op = op,
                       .block = c->cluster->blocks[thread / c->threads_per_block],
                       .thread = thread % c->threads_per_block};
}
// Epoch of `agent` that thread `self` has seen.
static inline uint32_t order_seen(const struct order_thread *t, uint32_t self, uint32_t agent) {
  return agent == self ? UINT32_MAX : clock_seen(t->base, agent);
}
uint32_t order_made_visible(const struct order_thread *t, uint32_t self, enum proxy_space space,
                            uint32_t agent);
void order_acquire(struct order_cluster *c, struct order_thread *t, struct clock *from);
// The joins that a lane's acquire has made, for the lanes with the same views; zeroed before the first lane.
struct view_join {
  bool made;
  struct clock *before, *after;
};
struct acquire_memo {
  struct view_join base, strong;
};
// For lane after lane, from the same clock.
void order_acquire_next(struct order_cluster *c, struct order_thread *t, struct clock *from,
                        struct acquire_memo *memo);
void order_acquire_end(struct acquire_memo *memo);
// The same for a meeting of a warp: it orders, but is no release and acquire.
void order_acquire_weakly(struct order_cluster *c, struct order_thread *t, struct clock *from);
// What the thread has seen by releases, acquires and fences; of its own deeds those that it has released and
// acquired.
static inline const struct clock *order_strong(const struct order_thread *t) {
  return t->strong ? t->strong : t->base;
}
static inline uint32_t order_seen_strongly(const struct order_thread *t, uint32_t self, uint32_t agent) {
  const uint32_t seen = clock_seen(order_strong(t), agent);
  return agent == self && t->fenced_epoch > seen ? t->fenced_epoch : seen;
}
// Adds the thread's view to the gather, and begins a new epoch of the thread.
void order_release(struct order_cluster *c, struct gather *g, uint32_t self);
// The same for lanes of the warp whose lane 0 is `warp_agent`.
void order_release_lanes(struct order_cluster *c, struct gather *g, uint32_t warp_agent, uint32_t lanes);
void order_new_epoch(struct order_thread *t);
void order_note_told(struct order_thread *t); // it has fenced: its strong writes tell what came before

#endif
