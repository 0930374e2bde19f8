// The happens-before engine's own header, in file order: clock.c, state.c, sync.c, shadow.c, line.c, access.c, global.c, dependency.c, copy.c, unwritten.c,
// suspicion.c, report.c.
//
// Theory of operation. Everything that acts is an agent with a number: each thread of the cluster; each mbarrier (its phases stand for the
// loads that complete on it); and per issuing thread one agent for "its stores have read their source", one for "its stores have written"
// and one for its cp.async. An agent's time is its epoch. A clock says, for each agent, up to which epoch its deeds have been seen; and,
// kept apart, up to which epoch a thread's ordinary writes have been made visible to the async proxy for shared and for global memory.
// A thread's view is an immutable clock, shared with everybody who has seen the same, plus its own epoch. Releasing gathers views;
// acquiring joins with what was gathered. Shadow memory remembers who wrote and who has read each granule since.
// Two accesses conflict when the later one's thread has not seen the earlier one's epoch: whatever order they happened to run in.
// PTX ISA 8.9.5 (causality order), 8.6 (proxies).
#ifndef VIRTUAL_HOPPER_ORDER_INTERNAL_H
#define VIRTUAL_HOPPER_ORDER_INTERNAL_H

#include <pthread.h>

#include "virtual-hopper/async.h"
#include "virtual-hopper/decode/op.h"
#include "virtual-hopper/mbarrier.h"
#include "virtual-hopper/memory.h"
#include "virtual-hopper/order/order.h"

#define NO_AGENT 0u // agents are numbered from 1, so that zeroed shadow memory means "nobody"

enum proxy_space { PROXY_SHARED, PROXY_GLOBAL, PROXY_SPACES };

// clock.c -------------------------------------------------------------------------------------------------------------------------

struct clock {
  uint32_t references; // one worker runs a cluster: no atomics
  uint32_t count;      // components present; missing ones are 0
  struct clock
      *fenced[3]; // memo: this clock after a proxy fence for shared (1), global (2), both (3: index 2)
  uint32_t *seen; // [count] by agent: epoch up to which the agent's deeds have been seen
  uint32_t
      *visible[PROXY_SPACES]; // [count]: epoch up to which its ordinary writes are visible to the async proxy
};

enum { JOIN_CACHE_SLOTS = 64 };
struct join_cache {
  struct {
    struct clock *a, *b, *result;
  } slots[JOIN_CACHE_SLOTS];
};

// What is being released: the join of many views, and the releasing threads' own epochs.
struct gather {
  uint32_t capacity;
  uint32_t *seen, *visible[PROXY_SPACES];
  struct clock *last_base; // the base merged last: threads that share it cost nothing more
  bool any;
  uint64_t generation;
};

struct clock *clock_create(uint32_t count);
struct clock *clock_hold(struct clock *c); // NULL is allowed in all of these: the empty clock
void clock_drop(struct clock *c);
static inline uint32_t clock_seen(const struct clock *c, uint32_t agent) {
  return c && agent < c->count ? c->seen[agent] : 0;
}
uint32_t clock_visible(const struct clock *c, enum proxy_space space, uint32_t agent);
struct clock *clock_join(struct join_cache *cache, struct clock *a, struct clock *b); // a new reference
struct clock *clock_with(struct clock *c, uint32_t agent,
                         uint32_t epoch); // c with one component raised; a new reference
struct clock *clock_fence(struct clock *c, bool shared, bool global); // visible := seen; a new reference
void join_cache_clear(struct join_cache *cache);
void gather_reset(struct gather *g);
void gather_free(struct gather *g);
void gather_clock(struct gather *g, struct clock *c);
void gather_raise(struct gather *g, uint32_t agent, uint32_t epoch, const uint32_t visible[PROXY_SPACES]);
struct clock *gather_finish(
    struct gather *g); // the gathered clock, a new reference; the gather is empty afterwards

// state.c -------------------------------------------------------------------------------------------------------------------------

struct order_thread {
  struct clock *base;
  uint32_t epoch;                   // of what it does now; starts at 1
  uint32_t visible[PROXY_SPACES];   // own epochs that a proxy fence of its own has covered
  bool dirty;                       // did something since its epoch began
  bool fenced_since_release;        // executed a membar: its next strong write publishes what came before
  uint32_t read_agent, write_agent; // of its bulk stores; NO_AGENT before the first
  uint32_t store_sequence;          // stores issued
  uint32_t cp_async_agent, cp_async_sequence;
  const struct op *last_wait;  // that returned true; NULL: none yet
  uint32_t last_agent;         // of its barrier
  const struct op *stale_wait; // its last wait returned true on a phase that it knew already
  uint32_t stale_agent;        // of that barrier
  uint32_t stale_since;        // its epoch then
  uint32_t stale_phases;       // how many phases of that barrier were complete
  bool stale_again;            // none, and it had passed that barrier before
  uint32_t observed_epoch;     // its epoch when it last saw a phase complete; 0: never
};

struct location_sync { // a flag in memory: what has been released into it
  uint64_t key;
  struct gather gather;
  struct clock *released;
  struct location_sync *next;
};
enum { LOCATION_BUCKETS = 64, MOST_LOCATIONS = 2048, MOST_MAP_ACQUIRES = 4096 };

struct map_acquire { // a thread has executed the acquiring tensormap fence on a map in global memory
  uint64_t address;
  struct clock *base; // what it had seen then
  uint32_t agent, epoch;
  struct map_acquire *next;
};

// report.c's, here because suspicions hold them:
struct conflict { // the earlier deed against the later one
  const char *rule;
  const struct op *earlier_op, *later_op;
  struct block *earlier_block, *later_block; // earlier_block NULL: unknown thread
  uint32_t earlier_thread, later_thread;     // linear in their blocks
  const char *earlier_role, *later_role;
  int edit; // as struct fault's: 0 the earlier deed (the only one), 1 the later
  uint32_t load_agent,
      load_epoch; // of a load that the later deed didn't wait for: somebody else may have; NO_AGENT: none
  uint32_t shared_offset; // of the first byte concerned; 0: not in shared memory
  char message[768];
  char remedy[384];
};

enum { MOST_SUSPICIONS = 16 }; // of a cluster
// A race that a wait is to blame for, if `other` arrives on that barrier with `epoch` behind it.
struct suspicion {
  uint32_t barrier, other, epoch;
  struct conflict conflict;
};

struct order_cluster {
  struct order_launch *launch;
  struct cluster *cluster;
  uint32_t blocks_begun, blocks_ended;
  uint32_t threads, threads_per_block;
  uint32_t agent_count;        // next new agent
  uint32_t dependency_agent;   // whoever has seen its epoch 1 knows that the launch before has ended
  struct order_thread *thread; // [threads], agent number = index + 1
  struct join_cache joins;
  struct gather cluster_barrier[2];
  struct clock *cluster_barrier_done[2];
  uint64_t cluster_barrier_done_phase[2];
  struct location_sync *locations[LOCATION_BUCKETS];
  uint32_t location_count;
  struct map_acquire *map_acquires;
  uint32_t map_acquire_count;   // beyond MOST_MAP_ACQUIRES every map counts as fresh
  struct suspicion *suspicions; // [MOST_SUSPICIONS]; NULL before the first one
  uint32_t suspicion_count;
};

struct shadow_reader { // lanes of one warp that have read a granule since its last write, at one epoch
  const struct op *op;
  uint32_t agent; // of lane 0 of the warp, or of a store's read agent (mask 0)
  uint32_t mask;  // lanes; 0: the agent itself
  bool strong;    // volatile, relaxed or acquire: no race with a strong write
  uint32_t epoch;
  uint32_t thread;       // issuing thread of a store, linear in the cluster
  uint32_t issued_epoch; // of that thread, when it issued the store
  uint32_t next;         // index into the pool, 0 ends
};

// A line is 128 bytes of shared memory. As long as whole lines are written and read, by a copy or by neighbouring lanes of one warp in
// their order, one record tells about all of a line's granules; anything else spells the line out, until the next write of all of it.
enum { LINE_SHIFT = 7, LINE_BYTES = 1 << LINE_SHIFT, LINE_READERS = 4 };

struct
    line_stamp { // who wrote or reads a line: agent `agent` its first 2^lane_shift bytes, agent + 1 the next ones, ...
  const struct op *op;
  uint32_t agent, epoch;
  uint32_t thread;       // of a copy: its issuing thread, linear in the cluster
  uint32_t issued_epoch; // of a store's read
  uint32_t warp_agent;   // of lanes' reads: that of lane 0; NO_AGENT: a store's
  uint8_t lane_shift;    // LINE_SHIFT: one agent for the line
  bool atomic;
};

struct shadow_line {
  bool detailed; // the granules tell; what follows is stale then, and else they are
  uint8_t reader_count;
  struct line_stamp write, readers[LINE_READERS]; // write.agent NO_AGENT: nobody
};

struct
    shadow { // of one block's shared memory; granules of 4 bytes, or of 1 once anything narrower was accessed
  uint32_t shift; // log2 of the granule's bytes
  uint32_t granules;
  struct shadow_line *lines;
  uint32_t line_count;
  uint32_t *write_agent, *write_epoch, *write_thread;
  const struct op **write_op;
  bool *write_atomic;
  uint32_t *readers; // head of the list in the pool
  struct shadow_reader *pool;
  uint32_t pool_used, pool_capacity, pool_free;
};

struct order_block {
  struct order_cluster *cluster;
  struct block *block;
  struct shadow shadow;
  struct gather barrier[BLOCK_MAX_BARRIERS][2];
  struct clock *barrier_done[BLOCK_MAX_BARRIERS][2];
  uint64_t barrier_done_generation[BLOCK_MAX_BARRIERS][2];
  struct gather warp_gather;
  struct {
    const struct op *op; // NULL: none
    uint32_t threads, lanes[BLOCK_MAX_WARPS];
  } partial; // the last barrier that completed though some threads of the block never came: they had left
  struct order_block *next_free;
};

struct order_mbarrier {
  const struct op *fresh_wait;       // the first wait that passed before any phase was complete; NULL: none
  uint32_t fresh_agent, fresh_epoch; // whose, and when
  uint32_t agent;                    // its phases as deeds: epoch n = n phases complete
  struct gather gather;              // arrivals of the running phase
  uint32_t arrival_agent,
      arrival_epoch; // of the last arrival; what that thread has done since has this epoch or a later one
  const struct op *news_wait;        // the last wait that told its thread of a phase complete; NULL: none
  uint32_t news_thread, news_phases; // linear in its block; how many were complete
  struct report_slot *unawaited;     // a report of a load that nobody had waited for yet; NULL: none
  uint32_t unawaited_epoch;          // of that load
  struct clock *completed;           // what the last completed phase (and all before it) published
  uint32_t init_agent, init_epoch, init_thread;
  const struct op *init_op;
  bool init_reported;
};

struct global_page;
enum { GLOBAL_BUCKETS = 4096, REPORT_SLOTS = 1024 };

struct global_shadow {
  pthread_mutex_t page_locks[64];
  _Atomic(struct global_page *) pages[GLOBAL_BUCKETS];
  atomic_size_t page_bytes;
};

struct report_slot {
  const char *rule;
  const struct op *first, *second;
  struct fault fault;
  uint64_t count;
  uint64_t example_block;                          // linear; the lowest block is shown
  uint64_t blocks[64];                             // bits, by block number modulo 4096
  uint64_t earlier_threads[16], later_threads[16]; // bits, by thread of the block
};

struct order_launch {
  struct launch *launch;
  bool tracks_global_writes; // some copy may read global memory that threads have written
  bool tracks_global_stores; // some copy writes global memory that threads may read
  atomic_uint byte_granules; // a narrow access was met: later blocks start with 1-byte granules
  pthread_mutex_t lock;      // of everything below
  struct order_block *free_blocks;
  struct report_slot *reports; // [REPORT_SLOTS] open addressing by (rule, first, second)
  uint32_t report_count;
  struct global_shadow *global; // what has been written there
  atomic_bool lets_next_begin;  // some block has let the launch that depends on this one begin
};

// Agents of threads are numbered by their place in the cluster, from 1.
static inline uint32_t order_agent_of(const struct warp *w, uint32_t lane) {
  return w->block->rank * w->block->cluster->order->threads_per_block + warp_thread(w, lane) + 1;
}
// A buffer is filled while it is read: by a loader that waits for phases, so that the reader gives it back too early; or by one that waits for nobody.
static inline int order_refill_edit(const struct order_thread *loader) {
  return loader->observed_epoch > 0 ? 0 : 1;
}
static inline struct order_thread *order_thread_of(const struct warp *w, uint32_t lane) {
  return &w->block->cluster->order->thread[order_agent_of(w, lane) - 1];
}
uint32_t order_agent_new(struct order_cluster *c);
// Epoch of `agent` that thread `self` has seen.
static inline uint32_t order_seen(const struct order_thread *t, uint32_t self, uint32_t agent) {
  return agent == self ? UINT32_MAX : clock_seen(t->base, agent);
}
uint32_t order_made_visible(const struct order_thread *t, uint32_t self, enum proxy_space space,
                            uint32_t agent);
void order_acquire(struct order_cluster *c, struct order_thread *t, struct clock *from);
void order_release(struct order_cluster *c, struct gather *g,
                   uint32_t self); // contributes the view and begins a new epoch
void order_new_epoch(struct order_thread *t);

// sync.c --------------------------------------------------------------------------------------------------------------------------
void order_location_acquire(struct warp *w, uint32_t lane, uint64_t key);
void order_location_release(struct warp *w, uint32_t lane, uint64_t key, enum order_strength strength);
void order_mbarrier_check_init(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                               struct mbarrier *m);
void order_mbarrier_forget(struct mbarrier *m);

// shadow.c ------------------------------------------------------------------------------------------------------------------------
void shadow_begin(struct shadow *s, uint32_t bytes, uint32_t shift);
void shadow_free(struct shadow *s);
void shadow_refine(struct shadow *s); // to granules of one byte
bool shadow_range(const struct shadow *s, uint32_t offset, uint32_t bytes, uint32_t *first, uint32_t *count);
void shadow_read(struct shadow *s, uint32_t granule, uint32_t warp_agent, uint32_t lane, uint32_t epoch,
                 const struct op *op, bool strong);
void shadow_read_by_store(struct shadow *s, uint32_t granule, const struct shadow_reader *store);
void shadow_clear_readers(struct shadow *s, uint32_t granule);

// line.c: what can be said of whole lines ---------------------------------------------------------------------------------------------
static inline uint32_t line_granules(const struct shadow *s) {
  return 1u << (LINE_SHIFT - s->shift);
}
// Spells out the lines that these granules lie in; before any granule is looked at.
void line_spell_out(struct shadow *s, uint32_t first, uint32_t count);
// True when `c` has seen whatever the record tells; `self` (NO_AGENT: none) need not see itself.
bool line_stamp_seen(const struct line_stamp *stamp, const struct clock *c, uint32_t self);
bool line_readers_seen(const struct shadow_line *line, const struct clock *c, uint32_t self);
void line_written(struct shadow *s, uint32_t line,
                  const struct line_stamp *stamp); // all of it; its readers are forgotten
bool line_read(struct shadow_line *line, const struct line_stamp *stamp); // false: no room, spell it out
// The weak access of a full warp whose lanes touch neighbouring bytes, from the beginning of a line on: checks and notes what records can
// tell. Returns the lanes that are done with; 0 for any other access.
uint32_t line_warp_access(struct warp *w, const struct op *op, struct shadow *s,
                          const uint32_t offset[WARP_LANES], uint32_t bytes, bool write);
// The other lanes' writes have been judged granule by granule: from now on records tell about them too.
void line_warp_wrote(struct warp *w, const struct op *op, struct shadow *s, const uint32_t offset[WARP_LANES],
                     uint32_t bytes, uint32_t lanes);

// global.c ------------------------------------------------------------------------------------------------------------------------
struct global_write {
  uint64_t cluster;            // index + 1; 0: nothing
  struct order_cluster *owner; // NULL once the cluster has ended: then everything it did is complete
  const struct op *op;
  uint32_t agent, epoch, thread;
  uint32_t read_agent; // of a bulk store: tells a missing wait from a too weak one
};
struct global_shadow *global_create(void);
void global_free(struct global_shadow *s); // NULL is allowed
void global_note(struct global_shadow *s, uint64_t address, uint64_t bytes, const struct global_write *write);
// Visits the distinct runs of notes in [address, address+bytes).
void global_visit(struct global_shadow *s, uint64_t address, uint64_t bytes,
                  void (*visit)(const struct global_write *, uint64_t address, void *), void *context);
void global_check_plain_read(struct warp *w, const struct op *op, uint32_t lane, uint64_t address,
                             uint32_t bytes);
void global_check_copy_read(struct warp *w, const struct op *op, uint32_t lane,
                            const struct async_copy *copy);
void global_note_copy_write(struct warp *w, const struct op *op, uint32_t lane, const struct async_copy *copy,
                            uint32_t sequence);

// dependency.c --------------------------------------------------------------------------------------------------------------------
// A thread touches global memory in a launch that may run beside the one before it (launch->before). strong: a look at a flag, or an atomic: it
// may be how the two meet, and is taken for that.
void dependency_check(struct warp *w, const struct op *op, uint32_t lane, uint64_t address, uint64_t bytes,
                      enum order_kind kind, bool strong);
void dependency_check_copy(struct warp *w, const struct op *op, uint32_t lane, const struct async_copy *copy);

// copy.c ----------------------------------------------------------------------------------------------------------------------------
// The reader, of mask 0, is a copy into another block, not a store to global memory.
bool order_sent_to_block(const struct order_cluster *c, const struct shadow_reader *r);
void order_source_of_cluster_copy(struct conflict *k,
                                  const char *before); // words for a source that is overwritten

// suspicion.c -----------------------------------------------------------------------------------------------------------------------
// " The load completes on the barrier `full[1]`; this thread's last wait, at line 66, was for the barrier `full[0]`."; "": nothing to tell. load: the agent
// of the barrier that the load completes on. True when that last wait was for another barrier.
bool order_load_words(struct order_cluster *c, uint32_t index, uint32_t load, char *text, size_t size);
// " The first one completes on the barrier `full[0]`, the second one on the barrier `full[1]`."; "": it is the same barrier.
void order_two_loads_words(struct order_cluster *c, uint32_t earlier, uint32_t later, char *text,
                           size_t size);
struct load_wait {                // who waits, or has waited, for the phase of a load
  struct order_mbarrier *barrier; // NULL: it is gone
  struct block *block;            // that holds it, and the thread
  const struct op *op;            // NULL: nobody yet
  uint32_t thread;                // linear in its block
};
// epoch: of the load's write, number of the phases complete when it has landed
struct load_wait order_load_wait(struct order_cluster *c, uint32_t load, uint32_t epoch);
// What thread `index` (linear in the cluster) asked for when its last wait returned at once; ends without a full stop.
void order_wait_words(struct order_cluster *c, uint32_t index, char *text, size_t size);
extern const char *const order_parity_remedy;
// A write raced with a read of thread `reader`: did `writer` arrive first and write then, on the very barrier whose phase the reader has seen?
void order_blame_arrival(struct order_cluster *c, struct conflict *k, uint32_t writer, uint32_t epoch,
                         uint32_t reader);
// Makes the conflict the fault of that thread: its last wait returned at once, and `consequence` came of it.
void order_blame_wait(struct order_cluster *c, struct conflict *k, uint32_t index, const char *consequence);
// Who comes to fill a stage again has waited for it, but in vain: the same barrier, passed once more before any of its phases was complete.
bool order_waited_in_vain(const struct order_thread *loader);
extern const char *const order_refill_in_vain; // the consequence

struct suspect { // one of the two threads of a race, and the other
  struct block *block;
  const struct op *op;
  uint32_t thread;       // linear in its block
  uint32_t agent, epoch; // of the access
  enum order_kind kind;
  uint32_t other, other_epoch, other_thread;
};
// Says in the race's message that the suspect's last wait returned at once, and records the wait's own fault if that is what it is, now or when
// the other thread arrives on the barrier.
void order_suspect(struct order_cluster *c, const struct suspect *s, struct conflict *race);
void order_suspicions_confirm(struct order_cluster *c, const struct order_mbarrier *o); // after an arrival

// report.c ------------------------------------------------------------------------------------------------------------------------
void order_report(struct order_launch *l, const struct conflict *k);
// Somebody has waited, after the report, for the load that another thread did not wait for: the report shows where.
void order_report_awaited(struct order_launch *l, struct order_mbarrier *o, struct block *b,
                          const struct op *op, uint32_t thread);
void order_report_flush(struct order_launch *l);

#endif
