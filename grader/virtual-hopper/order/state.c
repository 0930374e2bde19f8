// The engine's state: launch > cluster > block, threads and their views. In: their beginnings and ends. Out:
// the structs that the other files work on.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

static bool instruction_is(const struct ptx_instruction *in, const char *opcode, const char *modifier) {
  return strcmp(in->opcode, opcode) == 0 && ptx_has_modifier(in, modifier);
}

void order_track_global(struct order_launch *l, bool stores) {
  l->tracks_global_writes = true;
  l->tracks_global_stores |= stores;
  if (l->tracks_global_stores && !l->global_reads) l->global_reads = global_create(l->launch);
  if ((l->launch->cluster_count > 1 || stores) && !l->between)
    l->between = between_create(l->launch->cluster_count);
}

// Notes what may conflict in global memory: threads' writes with copies or the next launch, stores with any
// reader.
static void scan_module(struct order_launch *l, const struct ptx_module *module) {
  for (uint32_t f = 0; module && f < module->function_count; f++) {
    for (uint32_t i = 0; i < module->functions[f].instruction_count; i++) {
      const struct ptx_instruction *in = &module->functions[f].instructions[i];
      if (instruction_is(in, "griddepcontrol", "launch_dependents")) {
        order_track_global(l, false);
        if (!l->late_reads) l->late_reads = global_create(l->launch);
      }
      l->has_cp_async |= instruction_is(in, "cp", "async") && !ptx_has_modifier(in, "bulk");
      l->fences_maps |= ptx_has_modifier(in, "tensormap::generic");
      if (!instruction_is(in, "cp", "bulk")) continue;
      order_track_global(l, ptx_has_modifier(in, "bulk_group"));
      if (ptx_has_modifier(in, "mbarrier::complete_tx::bytes") && !l->global_loads)
        l->global_loads = global_create(l->launch);
    }
  }
}

void order_launch_begin(struct launch *launch) {
  struct order_launch *l = calloc(1, sizeof *l);
  if (!l) die("out of memory for the order engine");
  l->launch = launch;
  l->reports = calloc(REPORT_SLOTS, sizeof *l->reports);
  if (!l->reports) die("out of memory for the order engine");
  pthread_mutex_init(&l->lock, NULL);
  l->global = global_create(launch);
  if (launch->function) scan_module(l, launch->function->module);
  l->races = race_create(launch);
  launch->order = l;
}

static void block_free(struct order_block *b) {
  shadow_free(&b->shadow);
  for (int i = 0; i < BLOCK_MAX_BARRIERS; i++) {
    for (int g = 0; g < 2; g++)
      gather_free(&b->barrier[i][g]);
  }
  gather_free(&b->warp_gather);
  free(b->named);
  free(b->sent);
  free(b->accesses);
  free(b);
}

bool order_launch_outgrown(const struct launch *launch) {
  return launch->order && race_outgrown(launch, launch->order->races);
}

void order_launch_end(struct launch *launch) {
  struct order_launch *l = launch->order;
  if (!l) return;
  order_report_flush(l);
  global_free(l->global);
  global_free(l->global_reads);
  global_free(l->late_reads);
  global_free(l->global_loads);
  between_destroy(l->between);
  race_destroy(l->races);
  while (l->free_blocks) {
    struct order_block *b = l->free_blocks;
    l->free_blocks = b->next_free;
    block_free(b);
  }
  pthread_mutex_destroy(&l->lock);
  for (uint32_t i = 0; i < REPORT_SLOTS; i++)
    free(l->reports[i]);
  free(l->reports);
  free(l);
  launch->order = NULL;
}

// Every thread knows that its own block has begun; the others learn it from those who do.
static void note_beginnings(struct order_cluster *c) {
  const uint32_t blocks = c->cluster->launch->blocks_per_cluster, warps = c->threads_per_block / WARP_LANES;
  c->first_start_agent = c->agent_count;
  c->agent_count += blocks;
  for (uint32_t rank = 0; rank < blocks; rank++) {
    struct clock *begun = clock_with(NULL, c->first_start_agent + rank, 1);
    for (uint32_t i = 0; i < warps; i++)
      c->warp[rank * warps + i].all.base = clock_hold(begun);
    clock_drop(begun);
  }
}

// At the beginning the lanes of a warp are alike. So a thread's own struct is written when its warp is
// unfolded, and not before.
static void begin_threads(struct order_cluster *c) {
  c->thread = malloc(c->threads * sizeof *c->thread);
  c->warp = calloc(c->threads / WARP_LANES, sizeof *c->warp);
  if (!c->thread || !c->warp) die("out of memory for the order engine");
  for (uint32_t i = 0; i < c->threads / WARP_LANES; i++) {
    c->warp[i].all.epoch = 1;
    c->warp[i].folded = true;
  }
}

static struct order_cluster *cluster_create(struct cluster *cluster) {
  struct order_cluster *c = calloc(1, sizeof *c);
  if (!c) die("out of memory for the order engine");
  c->launch = cluster->launch->order;
  c->cluster = cluster;
  // Every lane of the last warp has an agent number of its own block.
  c->threads_per_block = order_rounded_threads(cluster->launch);
  c->threads = c->threads_per_block * cluster->launch->blocks_per_cluster;
  begin_threads(c);
  c->agent_count = c->threads + 1;
  if (cluster->launch->before) c->dependency_agent = order_agent_new(c);
  if (cluster->launch->blocks_per_cluster > 1) note_beginnings(c);
  return c;
}

static void thread_end(const struct order_thread *t) {
  clock_drop(t->base), clock_drop(t->strong), clock_drop(t->glimpsed);
}

static void cluster_destroy(struct order_cluster *c) {
  for (uint32_t i = 0; i < c->threads / WARP_LANES; i++) {
    clock_drop(c->warp[i].told);
    free(c->warp[i].arrivals);
    free(c->warp[i].rings);
    if (c->warp[i].folded) thread_end(&c->warp[i].all);
    for (uint32_t lane = 0; lane < WARP_LANES && !c->warp[i].folded; lane++)
      thread_end(&c->thread[i * WARP_LANES + lane]);
  }
  clock_drop(c->nothing_seen);
  free(c->thread);
  free(c->warp);
  free(c->suspicions);
  join_cache_clear(&c->joins);
  for (int g = 0; g < 2; g++) {
    gather_free(&c->cluster_barrier[g]);
    clock_drop(c->cluster_barrier_done[g]);
  }
  maps_free(&c->maps);
  for (size_t i = 0; i < LOCATION_BUCKETS; i++) {
    while (c->locations[i]) {
      struct location_sync *s = c->locations[i];
      c->locations[i] = s->next;
      gather_free(&s->gather);
      clock_drop(s->released);
      free(s);
    }
  }
  free(c);
}

void order_block_begin(struct block *b) {
  struct order_launch *l = b->launch->order;
  if (!b->cluster->order) b->cluster->order = cluster_create(b->cluster);
  b->cluster->order->blocks_begun++;
  pthread_mutex_lock(&l->lock);
  struct order_block *o = l->free_blocks;
  if (o) l->free_blocks = o->next_free;
  pthread_mutex_unlock(&l->lock);
  if (!o) o = calloc(1, sizeof *o);
  if (!o) die("out of memory for the order engine");
  o->next_free = NULL;
  o->triggering_warps = 0;
  atomic_store(&o->lets_next_begin, false);
  o->cluster = b->cluster->order;
  o->block = b;
  shadow_begin(&o->shadow, b->launch->shared_bytes, !b->launch->strict && !b->launch->plain,
               b->launch->blocks_per_cluster == 1);
  b->order = o;
}

static void forget_mbarrier(struct mbarrier *m, void *context) {
  (void)context;
  order_mbarrier_forget(m);
}

void order_block_end(struct block *b) {
  struct order_block *o = b->order;
  if (!o) return;
  mbarrier_each(b, forget_mbarrier, NULL);
  memset(o->cluster->found, 0, sizeof o->cluster->found);
  for (int i = 0; i < BLOCK_MAX_BARRIERS; i++) {
    for (int g = 0; g < 2; g++) {
      gather_reset(&o->barrier[i][g]);
      clock_drop(o->barrier_done[i][g]);
      o->barrier_done[i][g] = NULL;
      o->barrier_done_generation[i][g] = 0;
      o->barrier[i][g].generation = 0;
    }
  }
  gather_reset(&o->warp_gather);
  quick_end(&o->shadow);
  o->partial.op = NULL;
  o->raced = false;
  free(o->named);
  o->named = NULL;
  o->sent_count = 0;
  free(o->accesses);
  o->accesses = NULL;
  o->phases_left = 0;
  o->barriers_awaited = 0;
  clock_drop(o->wide);
  o->wide = NULL;
  struct order_cluster *c = o->cluster;
  struct order_launch *l = b->launch->order;
  b->order = NULL;
  pthread_mutex_lock(&l->lock);
  o->next_free = l->free_blocks;
  l->free_blocks = o;
  pthread_mutex_unlock(&l->lock);
  if (++c->blocks_ended == b->launch->blocks_per_cluster) {
    b->cluster->order = NULL;
    cluster_destroy(c);
  }
}

uint32_t order_agent_new(struct order_cluster *c) {
  return c->agent_count++;
}

uint32_t order_made_visible(const struct order_thread *t, uint32_t self, enum proxy_space space,
                            uint32_t agent) {
  return agent == self ? t->visible[space] : clock_visible(t->base, space, agent);
}

static void join_into(struct order_cluster *c, struct clock **view, struct clock *from) {
  struct clock *joined = clock_join(&c->joins, *view, from);
  clock_drop(*view);
  *view = joined;
}

static void join_next(struct order_cluster *c, struct clock **view, struct clock *from,
                      struct view_join *memo) {
  if (memo->made && *view == memo->before) {
    clock_hold(memo->after);
    clock_drop(*view);
    *view = memo->after;
    return;
  }
  clock_drop(memo->before);
  clock_drop(memo->after);
  memo->before = clock_hold(*view); // held: its address must not be reused
  join_into(c, view, from);
  memo->after = clock_hold(*view);
  memo->made = true;
}

void order_acquire_next(struct order_cluster *c, struct order_thread *t, struct clock *from,
                        struct acquire_memo *memo) {
  join_next(c, &t->base, from, &memo->base);
  t->inits_barriers = false; // a fence for them comes before it meets others
  if (!t->strong) return;
  join_next(c, &t->strong, from, &memo->strong);
  if (t->strong != t->base) return;
  clock_drop(t->strong); // a barrier has brought everything
  t->strong = NULL;
}

void order_acquire_end(struct acquire_memo *memo) {
  clock_drop(memo->base.before);
  clock_drop(memo->base.after);
  clock_drop(memo->strong.before);
  clock_drop(memo->strong.after);
}

void order_acquire(struct order_cluster *c, struct order_thread *t, struct clock *from) {
  struct acquire_memo memo = {0};
  order_acquire_next(c, t, from, &memo);
  order_acquire_end(&memo);
}

void order_acquire_weakly(struct order_cluster *c, struct order_thread *t, struct clock *from) {
  if (!c->nothing_seen) c->nothing_seen = clock_create(0);
  if (!t->strong) t->strong = clock_hold(t->base ? t->base : c->nothing_seen);
  join_into(c, &t->base, from);
}

// ---- warps whose threads are all alike --------------------------------------------------------------------

// A clock's references by the lanes of a warp become one, or one becomes one for each lane.
static void count_references(const struct order_thread *t, bool folds) {
  const uint32_t others = WARP_LANES - 1;
  if (t->base) t->base->references += folds ? 0 - others : others;
  if (t->strong) t->strong->references += folds ? 0 - others : others;
  if (t->glimpsed) t->glimpsed->references += folds ? 0 - others : others;
}

_Static_assert(sizeof(struct order_thread) % sizeof(uint64_t) == 0, ""); // compared word by word

OVER_ALL_AGENTS static void give_to_all(struct order_thread *restrict threads,
                                        const struct order_thread *restrict all) {
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    memcpy(&threads[lane], all, sizeof *all); // with its padding: it is compared, too
}

void order_unfold(const struct order_cluster *c, uint32_t warp) {
  struct order_warp *w = &c->warp[warp];
  give_to_all(&c->thread[warp * WARP_LANES], &w->all);
  count_references(&w->all, false);
  w->folded = false;
}

// Byte by byte, with the padding: what differs there alone only keeps a warp unfolded.
OVER_ALL_AGENTS static bool are_alike(const struct order_thread threads[WARP_LANES]) {
  const unsigned char *first = (const unsigned char *)threads;
  for (uint32_t lane = 1; lane < WARP_LANES; lane++) {
    const unsigned char *other = first + lane * sizeof *threads;
    uint64_t different = 0;
    for (size_t at = 0; at < sizeof *threads; at += sizeof different) {
      uint64_t a, b;
      memcpy(&a, first + at, sizeof a);
      memcpy(&b, other + at, sizeof b);
      different |= a ^ b;
    }
    if (different) return false;
  }
  return true;
}

struct order_thread *order_fold(const struct order_cluster *c, uint32_t warp) {
  struct order_warp *w = &c->warp[warp];
  const struct order_thread *threads = &c->thread[warp * WARP_LANES];
  if (w->folded) return &w->all;
  if (!are_alike(threads)) return NULL;
  memcpy(&w->all, threads, sizeof w->all); // with its padding: it is compared, too
  count_references(&w->all, true);
  w->folded = true;
  return &w->all;
}

void order_mark_dirty(const struct warp *w, uint32_t lanes) {
  struct order_warp *warp = order_warp_of(w);
  if (warp->folded && (warp->all.dirty || lanes == UINT32_MAX)) {
    warp->all.dirty = true;
    return;
  }
  struct order_thread *threads = order_thread_of(w, 0);
  for (; lanes; lanes &= lanes - 1)
    threads[__builtin_ctz(lanes)].dirty = true;
}

// ---- epochs and releases ----------------------------------------------------------------------------------

void order_new_epoch(struct order_thread *t) {
  if (!t->dirty) return; // nothing carries this epoch yet
  t->epoch++;
  t->dirty = false;
}

void order_note_told(struct order_thread *t) {
  t->has_fenced = true;
  t->told_epoch = t->dirty ? t->epoch : t->epoch - 1;
  order_new_epoch(t);
}

void order_release(struct order_cluster *c, struct gather *g, uint32_t self) {
  const struct order_thread *all = &c->warp[(self - 1) / WARP_LANES].all;
  if (c->warp[(self - 1) / WARP_LANES].folded && !all->dirty && all->released_epoch == all->epoch - 1) {
    gather_clock(g, all->base); // nothing changes for the thread, so its warp stays folded
    gather_raise(g, self, all->released_epoch, all->visible);
    return;
  }
  struct order_thread *t = order_thread_at(c, self - 1);
  gather_clock(g, t->base);
  t->released_epoch = t->dirty ? t->epoch : t->epoch - 1; // its next deeds aren't released
  gather_raise(g, self, t->released_epoch, t->visible);
  order_new_epoch(t);
}

// What threads of a warp release of their own: raises these numbers, one for each lane.
struct released {
  uint32_t *restrict seen, *restrict shared, *restrict global;
};

static inline void release_lane(struct order_thread *t, const struct released *r, uint32_t lane) {
  const uint32_t epoch = t->epoch - !t->dirty; // its next deeds aren't released
  const uint32_t seen = r->seen[lane], shared = r->shared[lane], global = r->global[lane];
  r->seen[lane] = seen < epoch ? epoch : seen;
  r->shared[lane] = shared < t->visible[PROXY_SHARED] ? t->visible[PROXY_SHARED] : shared;
  r->global[lane] = global < t->visible[PROXY_GLOBAL] ? t->visible[PROXY_GLOBAL] : global;
  t->released_epoch = epoch;
  t->epoch = epoch + 1;
  t->dirty = false;
}

OVER_ALL_AGENTS static void release_warp(struct order_thread *threads, struct released r) {
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    release_lane(&threads[lane], &r, lane);
}

OVER_ALL_AGENTS static void raise_lanes(uint32_t *seen, uint32_t epoch) {
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    seen[lane] = seen[lane] < epoch ? epoch : seen[lane];
}

static void release_together(struct order_thread *all, struct gather *g, uint32_t warp_agent) {
  const uint32_t epoch = all->epoch - !all->dirty; // their next deeds aren't released
  if (all->base != g->last_base) gather_clock(g, all->base);
  raise_lanes(&g->seen[warp_agent], epoch);
  for (int space = 0; space < PROXY_SPACES; space++)
    if (all->visible[space]) {
      raise_lanes(&g->visible[space][warp_agent], all->visible[space]);
      g->any_visible[space] = true;
    }
  all->released_epoch = epoch;
  all->epoch = epoch + 1;
  all->dirty = false;
  g->any = true;
}

void order_release_lanes(struct order_cluster *c, struct gather *g, uint32_t warp_agent, uint32_t lanes) {
  struct order_thread *all = lanes == UINT32_MAX ? order_fold(c, (warp_agent - 1) / WARP_LANES) : NULL;
  gather_reserve(g, warp_agent + WARP_LANES);
  if (all) return release_together(all, g, warp_agent);
  struct order_thread *threads = order_thread_at(c, warp_agent - 1);
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    if (lanes >> lane & 1 && threads[lane].base != g->last_base) gather_clock(g, threads[lane].base);
  const struct released r = {&g->seen[warp_agent], &g->visible[PROXY_SHARED][warp_agent],
                             &g->visible[PROXY_GLOBAL][warp_agent]};
  if (lanes == UINT32_MAX) {
    release_warp(threads, r);
  } else {
    for (uint32_t left = lanes; left; left &= left - 1)
      release_lane(&threads[__builtin_ctz(left)], &r, (uint32_t)__builtin_ctz(left));
  }
  for (uint32_t left = lanes; left; left &= left - 1)
    for (int space = 0; space < PROXY_SPACES; space++)
      g->any_visible[space] |= threads[__builtin_ctz(left)].visible[space] > 0;
  g->any = true;
}
