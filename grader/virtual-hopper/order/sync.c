// Synchronisation: who acquires what from whom. In: arrivals, phases, fences. Out: the threads' views. Where
// PTX leaves room, more order is assumed than PTX promises: a relaxed cluster barrier, a shuffle and a strong
// read synchronise.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/touched.h"

// The usual case of a part of a warp: its lanes share a view, and it is complete. Returns false for any other
// case.
static bool acquire_together(struct order_cluster *c, struct warp *w, uint32_t lanes, struct clock *from) {
  struct order_thread *threads = order_thread_of(w, 0);
  struct clock *base = threads[__builtin_ctz(lanes)].base;
  bool together = base != NULL;
  EACH_LANE(lane, lanes) together &= threads[lane].base == base && !threads[lane].strong;
  if (!together) return false;
  struct clock *joined = clock_join(&c->joins, base, from);
  const uint32_t others = (uint32_t)__builtin_popcount(lanes) - 1;
  joined->references += others;
  EACH_LANE(lane, lanes) {
    threads[lane].base = joined;
    threads[lane].inits_barriers = false; // a fence for them comes before it meets others
  }
  base->references -= others;
  clock_drop(base);
  return true;
}

static void acquire_all(struct order_cluster *c, struct warp *w, uint32_t lanes, struct clock *from) {
  struct acquire_memo memo = {0};
  if (!lanes) return;
  struct order_thread *all = order_together(w, lanes);
  if (all) return order_acquire(c, all, from);
  if (acquire_together(c, w, lanes, from)) return;
  EACH_LANE(lane, lanes) order_acquire_next(c, order_thread_of(w, lane), from, &memo);
  order_acquire_end(&memo);
}

struct init_release { // who releases which initialisations
  struct warp *w;
  uint32_t lane;
  bool own;      // the lane's own ones only
  bool together; // all lanes of its warp do so at once, and whoever is told by one is told by all
};

static void end_release(struct order_cluster *c, struct order_mbarrier *o) {
  o->init_released = true;
  o->init_exposed = false;
  o->late_count = 0;
  c->unreleased_inits--;
}

static bool same_warp(uint32_t agent, uint32_t other) {
  return (agent - 1) / WARP_LANES == (other - 1) / WARP_LANES;
}

// The first release of each thread counts. Beyond MOST_LATE all are taken to know.
static void release_late(struct order_cluster *c, struct order_mbarrier *o, struct late_release late) {
  o->init_released = true;
  for (uint32_t i = 0; i < o->late_count; i++)
    if (o->late[i].agent == late.agent ||
        (late.together && o->late[i].together && same_warp(o->late[i].agent, late.agent)))
      return;
  if (o->late_count < MOST_LATE)
    o->late[o->late_count++] = late;
  else
    end_release(c, o);
}

static bool has_seen_init(const struct warp *w, uint32_t lane, const struct order_mbarrier *o) {
  return order_seen(order_view_of(w, lane), order_agent_of(w, lane), o->init_agent) >= o->init_epoch;
}

static void release_init(struct mbarrier *m, void *context) {
  const struct init_release *r = context;
  struct order_mbarrier *o = m->order;
  if (!o || (o->init_released && !o->init_exposed)) return;
  const uint32_t self = order_agent_of(r->w, r->lane);
  if (r->own ? o->init_agent != self : !has_seen_init(r->w, r->lane, o)) return;
  struct order_cluster *c = r->w->block->order->cluster;
  if (!o->init_exposed) return end_release(c, o);
  const struct order_thread *t = order_view_of(r->w, r->lane);
  // Who belongs to another block knows of it no better than those whom it tells.
  if ((self - 1) / c->threads_per_block == (o->init_agent - 1) / c->threads_per_block)
    release_late(c, o, (struct late_release){self, t->dirty ? t->epoch : t->epoch - 1, r->together});
}

static void expose_init(struct mbarrier *m, void *context) {
  const struct init_release *r = context;
  struct order_mbarrier *o = m->order;
  if (o && !o->init_released && has_seen_init(r->w, r->lane, o)) o->init_exposed = true;
}

static void release_inits(struct warp *w, uint32_t lanes, bool own, bool together) {
  const struct cluster *c = w->block->cluster;
  if (c->block_count == 1 || !c->order->unreleased_inits) return;
  EACH_LANE(lane, lanes) {
    struct init_release r = {w, lane, own, together};
    for (uint32_t rank = 0; rank < c->block_count && c->order->unreleased_inits; rank++)
      if (c->blocks[rank]->order) mbarrier_each(c->blocks[rank], release_init, &r);
  }
}

void order_release_inits(struct warp *w, uint32_t lanes, bool own) {
  release_inits(w, lanes, own, false);
}

// ---- bar.sync, barrier.cluster (PTX ISA 9.7.13.1, 9.7.13.3) ----

static void arrive(struct order_cluster *c, struct warp *w, uint32_t lanes, struct gather *g,
                   uint64_t generation) {
  if (g->generation != generation + 1) { // a slot is reused two generations later
    gather_reset(g);
    g->generation = generation + 1;
  }
  order_release_lanes(c, g, order_agent_of(w, 0), lanes);
}

static void leave(struct order_cluster *c, struct warp *w, uint32_t lanes, struct gather *g,
                  struct clock **done, uint64_t *done_generation, uint64_t generation) {
  if (*done_generation != generation + 1) { // the first to leave; nobody arrives in this generation any more
    clock_drop(*done);
    *done = g->generation == generation + 1 ? gather_finish(g) : NULL;
    *done_generation = generation + 1;
  }
  acquire_all(c, w, lanes, *done);
}

void order_cta_barrier_arrive(struct warp *w, uint32_t lanes, uint32_t barrier, uint64_t generation) {
  struct order_block *b = w->block->order;
  arrive(b->cluster, w, lanes, &b->barrier[barrier][generation & 1], generation);
}

void order_cta_barrier_come(struct warp *w, const struct op *op, uint32_t lanes, uint32_t barrier,
                            bool waits) {
  struct order_thread *t;
  if (waits) {
    w->block->order->barriers_awaited |= 1u << barrier;
    if (barrier == 0) return;
    EACH_THREAD(t, w, lanes) {
      t->bar_sync_at = barrier;
      t->bar_sync_epoch = t->epoch;
    }
    return;
  }
  w->block->order->cluster->bar_arrives = true;
  EACH_THREAD(t, w, lanes) {
    t->bar_arrive = op;
    t->bar_arrive_at = barrier;
    t->bar_arrive_epoch = t->epoch;
  }
}

void order_cta_barrier_partial(struct block *b, const struct cta_barrier *barrier) {
  struct order_block *o = b->order;
  o->partial.op = NULL;
  o->partial.threads = barrier->arrived_threads;
  o->partial.counted = barrier->expected_threads > 0;
  memcpy(o->partial.lanes, barrier->arrived_lanes, sizeof o->partial.lanes);
  for (uint32_t i = 0; i < b->warp_count && !o->partial.op; i++) {
    const uint32_t lanes = barrier->arrived_lanes[i];
    if (lanes && !(o->partial.counted && lanes == UINT32_MAX)) o->partial.op = barrier->arrived_at[i];
  }
  if (o->raced && barrier == &b->barriers[0] && !o->partial.counted)
    order_report_partial(b->cluster->order->launch, b);
}

void order_cta_barrier_full(struct block *b) {
  struct order_block *o = b->order;
  if (!o->cluster->bar_arrives) log_barrier(&o->shadow);
}

void order_cta_barrier_leave(struct warp *w, uint32_t lanes, uint32_t barrier, uint64_t generation) {
  struct order_block *b = w->block->order;
  uint32_t slot = generation & 1;
  order_warp_of(w)->news++;
  leave(b->cluster, w, lanes, &b->barrier[barrier][slot], &b->barrier_done[barrier][slot],
        &b->barrier_done_generation[barrier][slot], generation);
  if (!b->cluster->bar_arrives) return;
  struct order_thread *t;
  EACH_THREAD(t, w, lanes) t->bar_arrive = NULL;
}

void order_widen(struct block *b, struct clock *from) {
  struct order_block *o = b->order;
  if (b->cluster->block_count == 1 || !from) return;
  struct clock *joined = clock_join(&o->cluster->joins, o->wide, from);
  clock_drop(o->wide);
  o->wide = joined;
}

// PTX ISA 9.7.13.3: .relaxed gives no guarantee for the memory accesses before the arrival.
static void note_relaxed(struct order_cluster *c, const struct warp *w, uint32_t lane, uint32_t released) {
  struct order_thread *t = order_thread_of(w, lane);
  const uint32_t after = released > t->fenced_epoch ? released : t->fenced_epoch;
  t->relaxed_after = after;
  t->relaxed_upto = t->released_epoch;
  c->relaxed = c->relaxed || t->relaxed_upto > after;
  t->released_epoch = released;
  t->dirty = true; // a release from now on shows another epoch
}

// A relaxed arrival counts as a release nevertheless: of what others read and barriers they use, more
// order is assumed than there may be. Only for data that was written it is noted.
void order_cluster_barrier_arrive(struct warp *w, uint32_t lanes, uint64_t phase, bool release) {
  struct order_cluster *c = w->block->order->cluster;
  uint32_t released[WARP_LANES];
  if (release) {
    release_inits(w, lanes, false, true);
    maps_release(w, NULL, lanes);
  } else {
    EACH_LANE(lane, lanes) {
      released[lane] = order_view_of(w, lane)->released_epoch;
      struct init_release r = {.w = w, .lane = lane};
      if (c->unreleased_inits) mbarrier_each(w->block, expose_init, &r);
    }
  }
  arrive(c, w, lanes, &c->cluster_barrier[phase & 1], phase);
  if (release) return;
  EACH_LANE(lane, lanes) note_relaxed(c, w, lane, released[lane]);
}

void order_cluster_barrier_leave(struct warp *w, uint32_t lanes, uint64_t phase, bool acquire) {
  (void)acquire;
  struct order_cluster *c = w->block->order->cluster;
  w->block->order->phases_left = phase + 1;
  order_warp_of(w)->news++;
  leave(c, w, lanes, &c->cluster_barrier[phase & 1], &c->cluster_barrier_done[phase & 1],
        &c->cluster_barrier_done_phase[phase & 1], phase);
  order_widen(w->block, c->cluster_barrier_done[phase & 1]);
}

void order_warp_sync(struct warp *w, uint32_t lanes) {
  struct order_block *b = w->block->order;
  struct order_thread *t = order_together(w, lanes);
  if (t && !t->dirty && clock_least(t->base, order_agent_of(w, 0), WARP_LANES) + 1 >= t->epoch) return;
  const struct order_lanes threads = order_lanes_of(w);
  const struct clock *base = order_lane(threads, (uint32_t)__builtin_ctz(lanes))->base;
  bool news = false;
  EACH_LANE(lane, lanes) {
    const struct order_thread *each = order_lane(threads, lane);
    // An arrival or a fence has begun a new epoch, and the other lanes have not seen the one before.
    news |= each->dirty || each->base != base || clock_seen(base, order_agent_of(w, lane)) + 1 < each->epoch;
  }
  if (!news) return; // they have done nothing since they last met
  gather_reset(&b->warp_gather);
  order_release_lanes(b->cluster, &b->warp_gather, order_agent_of(w, 0), lanes);
  struct clock *met = gather_finish(&b->warp_gather);
  EACH_THREAD(t, w, lanes) order_acquire_weakly(b->cluster, t, met);
  clock_drop(met);
}

// ---- fences (PTX ISA 9.7.13.4) ----

void order_glimpse(struct order_cluster *c, struct order_thread *t, struct clock *from) {
  struct clock *joined = clock_join(&c->joins, t->glimpsed, from);
  clock_drop(t->glimpsed);
  t->glimpsed = joined;
}

// A relaxed wait or read and a fence after it are an acquire (PTX ISA 8.8).
static void acquire_glimpsed(struct warp *w, uint32_t lanes) {
  struct order_thread *t;
  EACH_THREAD(t, w, lanes) {
    if (!t->glimpsed) continue;
    order_acquire(w->block->order->cluster, t, t->glimpsed);
    order_widen(w->block, t->glimpsed);
    clock_drop(t->glimpsed);
    t->glimpsed = NULL;
    t->relaxed_wait = NULL;
  }
}

// fence.sc; membar is one, too (PTX ISA 9.7.13.4).
static bool is_total(const struct op *op) {
  const char *opcode = op && op->source ? op->source->opcode : NULL;
  return opcode && (strcmp(opcode, "membar") == 0 || ptx_has_modifier(op->source, "sc"));
}

void order_fence(struct warp *w, const struct op *op, uint32_t lanes, enum order_strength strength,
                 bool narrow) {
  acquire_glimpsed(w, lanes);
  if (strength == ORDER_ACQUIRE) return;
  w->block->order->cluster->fenced = true;
  maps_release(w, op, lanes);
  race_fence(w->block->order->cluster, narrow);
  if (!narrow && is_total(op)) race_total_fence(w->block->order->cluster);
  if (w->launch->touched && !narrow) touched_note_fence(w->launch->touched);
  order_release_inits(w, lanes, false);
  struct order_thread *t;
  EACH_THREAD(t, w, lanes) {
    t->fence_of_memory = op;
    clock_drop(t->strong); // it orders all that comes before it, the thread's own deeds too
    t->strong = NULL;
    t->fenced_epoch = t->dirty ? t->epoch : t->epoch - 1;
    order_note_told(t);
  }
}

// The first one after an initialisation is taken to be meant for the barrier.
static void note_fence(struct order_thread *t, const struct op *op, bool own_block) {
  if (!t->inits_barriers) {
    t->fence = op;
    t->fence_own_block = own_block;
    t->fence_epoch = t->epoch;
  } else {
    t->fence_after_init = op;
  }
  t->inits_barriers = false;
}

// A fence of .shared::cta says nothing of what threads of other blocks have written into their own memory.
// Where they have written into this block's memory, too, it is taken to be meant for all that they wrote.
static struct clock *fenced_clock(const struct warp *w, struct clock *base, struct proxy_reach reach) {
  const struct order_block *b = w->block->order;
  const struct order_cluster *c = b->cluster;
  if (!reach.own_block || reach.global || c->cluster->block_count == 1 || b->remotely_written)
    return clock_fence(base, reach.shared, reach.global);
  const uint32_t first = w->block->rank * c->threads_per_block + 1;
  return clock_fence_block(base, first, c->threads_per_block, c->threads);
}

void order_fence_proxy_async(struct warp *w, const struct op *op, uint32_t lanes, struct proxy_reach reach) {
  const bool shared = reach.shared, global = reach.global;
  struct order_thread *t;
  EACH_THREAD(t, w, lanes) {
    if (shared) note_fence(t, op, reach.own_block);
    if (!shared) t->fence_global = op;
    struct clock *fenced = fenced_clock(w, t->base, reach);
    clock_drop(t->base);
    t->base = fenced;
    if (shared) t->visible[PROXY_SHARED] = t->epoch;
    if (global) t->visible[PROXY_GLOBAL] = t->epoch;
    t->released_epoch = t->epoch; // PTX does not say so: a relaxed arrival after it is let pass
    t->epoch++;                   // what it writes from now on isn't covered
    t->dirty = false;
  }
  if (global) between_fence_proxy(w->block->order->cluster);
}

void order_fence_mbarrier_init(struct warp *w, const struct op *op, uint32_t lanes) {
  order_release_inits(w, lanes, true);
  struct order_thread *t;
  EACH_THREAD(t, w, lanes) {
    order_note_told(t);
    if (!t->inits_barriers) t->fence_of_inits = op; // else it stands where it belongs
    t->inits_barriers = false;                      // a proxy fence from now on is meant for something else
  }
}

// ---- flags in memory: strong accesses (PTX ISA 8.8, release and acquire patterns) ----

static struct location_sync *location_find(struct order_cluster *c, uint64_t key) {
  for (struct location_sync *s = c->locations[(key * 0x9e3779b97f4a7c15ull) >> 58]; s; s = s->next) {
    if (s->key == key) return s;
  }
  return NULL;
}

// Beyond MOST_LOCATIONS, addresses share LOCATION_BUCKETS flags. Then more order is assumed than there is,
// and memory stays bounded.
static uint64_t shared_key(uint64_t key) {
  return UINT64_MAX - (key >> 2) % LOCATION_BUCKETS;
}

static struct location_sync *location_make(struct order_cluster *c, uint64_t key) {
  struct location_sync *s = location_find(c, key);
  if (!s && c->location_count >= MOST_LOCATIONS) s = location_find(c, key = shared_key(key));
  if (s) return s;
  s = calloc(1, sizeof *s);
  if (!s) die("out of memory for the order engine");
  size_t bucket = (key * 0x9e3779b97f4a7c15ull) >> 58;
  s->key = key;
  s->next = c->locations[bucket];
  c->locations[bucket] = s;
  c->location_count++;
  return s;
}

static void acquire_from(struct warp *w, struct order_thread *t, struct location_sync *s, bool weakly) {
  struct order_cluster *c = w->block->order->cluster;
  if (!s) return;
  if (s->gather.any) { // released since the clock was last made
    gather_clock(&s->gather, s->released);
    clock_drop(s->released);
    s->released = gather_finish(&s->gather);
  }
  if (weakly) {
    order_glimpse(c, t, s->released);
    order_acquire_weakly(c, t, s->released);
  } else {
    order_acquire(c, t, s->released);
  }
  order_widen(w->block, s->released);
}

// What is released for the own block alone, .cta, in a cluster of several blocks (PTX ISA 8.8: a release and
// an acquire order something only if each one's scope holds the other thread).
static uint64_t key_of_block(const struct warp *w, uint64_t key) {
  return key ^ (uint64_t)(w->block->rank + 1) << 57;
}

// A strong read or atomic acquires what was released into the location. If it needs a fence after it to do
// so, that fence is assumed; but with --strict, what is so little is not taken for an acquire.
void order_location_acquire(struct warp *w, uint32_t lane, uint64_t key, enum order_strength strength) {
  struct order_cluster *c = w->block->order->cluster;
  const bool weakly = w->launch->strict && strength != ORDER_ACQUIRE && strength != ORDER_ACQ_REL;
  struct order_thread *t = order_thread_of(w, lane);
  order_warp_of(w)->news++;
  if (c->location_count == 0) return;
  acquire_from(w, t, location_find(c, key), weakly);
  if (c->location_count >= MOST_LOCATIONS) acquire_from(w, t, location_find(c, shared_key(key)), weakly);
  if (c->narrow_locations) acquire_from(w, t, location_find(c, key_of_block(w, key)), weakly);
}

// What a relaxed write tells behind a fence is what came before that fence (PTX ISA 8.8). What lanes of its
// warp have done, it tells as far as they have fenced by themselves and it has met them since.
static void tell_fenced(struct actor by, struct gather *g) {
  const struct order_lanes threads = order_lanes_of(by.w);
  const struct order_thread *t = order_lane(threads, by.lane);
  const uint32_t self = order_agent_of(by.w, by.lane);
  gather_clock(g, t->strong ? t->strong : t->base);
  EACH_LANE(lane, UINT32_MAX) {
    const uint32_t agent = order_agent_of(by.w, lane), told = order_lane(threads, lane)->told_epoch;
    if (lane != by.lane && (!told || clock_seen(t->base, agent) < told)) continue;
    uint32_t visible[PROXY_SPACES];
    for (enum proxy_space s = 0; s < PROXY_SPACES; s++)
      visible[s] = order_made_visible(t, self, s, agent);
    gather_raise(g, agent, told, visible);
  }
}

bool order_releases(const struct order_thread *t, enum order_strength strength) {
  return t->has_fenced || strength == ORDER_RELEASE || strength == ORDER_ACQ_REL;
}

// A strong write or atomic releases if it is a release itself or follows a fence. Call it after the access
// has been stamped: the access is part of what is released.
void order_location_release(struct actor by, uint64_t key, enum order_strength strength) {
  struct warp *w = by.w;
  const uint32_t lane = by.lane;
  struct order_cluster *c = w->block->order->cluster;
  const struct order_thread *t = order_thread_of(w, lane);
  const bool by_itself = strength == ORDER_RELEASE || strength == ORDER_ACQ_REL;
  if (!order_releases(t, strength)) return;
  if (!t->has_fenced && c->cluster->block_count > 1 && ptx_has_modifier(by.op->source, "cta")) {
    key = key_of_block(w, key);
    c->narrow_locations = true;
  }
  order_release_inits(w, 1u << lane, false);
  maps_release(w, by.op, 1u << lane);
  struct gather *g = &location_make(c, key)->gather;
  if (by_itself)
    order_release(c, g, order_agent_of(w, lane));
  else
    tell_fenced(by, g);
}
