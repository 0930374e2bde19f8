// What one cluster may know of another, and what follows for global memory. In: fences, strong accesses,
// copies. Out: conflicts. One idea: between clusters a single clock of the launch takes the place of vector
// clocks. It counts releases. A cluster that acquires from a location has seen all that had happened anywhere
// when another cluster last released there. That is more than it may know, so too much order is assumed, and
// never too little. PTX ISA 8.8 (release and acquire patterns), 8.9.5 (causality order).
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

enum { LOCATIONS = 4096 }; // addresses that share an entry synchronise with one another
enum { STORE_LOCKS = 64, STORE_LOCK_BYTES = 16384 };

struct location_releases {
  uint64_t cluster, time; // the last release: index + 1 of the cluster, 0: none yet
  uint64_t time_before;   // of the last release by any other cluster
};

struct between_clusters {
  pthread_mutex_t lock; // of the locations
  // of the stores to each STORE_LOCK_BYTES of memory, whose number counts modulo STORE_LOCKS
  struct lone_lock stores[STORE_LOCKS];
  _Atomic uint64_t time;
  _Atomic uint64_t seen_fenced; // what is older had been seen by a cluster that then called a proxy fence
  atomic_bool rivals;           // two clusters store to the same bytes, not ordered
  struct location_releases locations[LOCATIONS];
  _Atomic uint64_t *own_fence; // of each cluster: the time of its last proxy fence
};

struct between_clusters *between_create(uint64_t clusters) {
  const size_t bytes = sizeof(struct between_clusters); // a multiple of its alignment
  struct between_clusters *b = aligned_alloc(alignof(struct between_clusters), bytes);
  if (!b) die("out of memory for the order engine");
  memset(b, 0, bytes);
  b->own_fence = calloc(clusters, sizeof *b->own_fence);
  if (!b->own_fence) die("out of memory for the order engine");
  pthread_mutex_init(&b->lock, NULL);
  return b;
}

void between_destroy(struct between_clusters *b) {
  if (!b) return;
  pthread_mutex_destroy(&b->lock);
  free(b->own_fence);
  free(b);
}

static struct location_releases *releases_at(struct between_clusters *b, uint64_t address) {
  return &b->locations[((address >> 2) * 0x9e3779b97f4a7c15ull) >> 52];
}

void between_acquire(struct order_cluster *c, uint64_t address) {
  struct between_clusters *b = c->launch->between;
  if (!b) return;
  pthread_mutex_lock(&b->lock);
  const struct location_releases *at = releases_at(b, address);
  const uint64_t time = at->cluster == c->cluster->index + 1 ? at->time_before : at->time;
  if (time > c->others_seen) c->others_seen = time;
  pthread_mutex_unlock(&b->lock);
}

// A fence of any of its threads is taken to stand before every strong write of the cluster.
void between_release(struct order_cluster *c, uint64_t address, enum order_strength strength) {
  struct between_clusters *b = c->launch->between;
  if (!b || !(c->fenced || strength == ORDER_RELEASE || strength == ORDER_ACQ_REL)) return;
  pthread_mutex_lock(&b->lock);
  struct location_releases *at = releases_at(b, address);
  if (at->cluster != c->cluster->index + 1) {
    at->time_before = at->time;
    at->cluster = c->cluster->index + 1;
  }
  at->time = atomic_fetch_add(&b->time, 1) + 1;
  pthread_mutex_unlock(&b->lock);
}

// A proxy fence is of use only on the way from a write to the copy that meets it: in the writer's cluster
// after the write, or in a cluster that has seen the write. One before that orders nothing.
void between_fence_proxy(struct order_cluster *c) {
  struct between_clusters *b = c->launch->between;
  if (!b) return;
  atomic_store(&b->own_fence[c->cluster->index], atomic_fetch_add(&b->time, 1) + 1);
  uint64_t seen = atomic_load(&b->seen_fenced);
  while (seen < c->others_seen && !atomic_compare_exchange_weak(&b->seen_fenced, &seen, c->others_seen)) {
  }
}

uint64_t between_now(const struct order_launch *l) {
  return l->between ? atomic_load(&l->between->time) : 0;
}

static bool is_of_other_cluster(const struct global_write *g, const struct cluster *c) {
  return g->cluster && g->cluster != c->index + 1;
}

bool between_may_have_seen(const struct order_cluster *c, const struct global_write *g) {
  return c->others_seen > g->time;
}

bool between_is_unfenced(const struct order_cluster *c, const struct global_write *g) {
  const struct between_clusters *b = c->launch->between;
  return b && is_of_other_cluster(g, c->cluster) && g->read_agent == NO_AGENT &&
         between_may_have_seen(c, g) && atomic_load(&b->own_fence[g->cluster - 1]) <= g->time &&
         atomic_load(&b->seen_fenced) <= g->time;
}

// ---- bulk stores of two clusters to the same bytes --------------------------------------------------------
//
// Which of two stores lands last is open, unless they are ordered. Equal bytes do no harm: overlapping tiles
// at an edge are often stored twice. So the bytes are compared when the second store lands. The note of a
// store says whether it has landed, and which rival was there before it. To look for rivals and leave a note
// is one step, and so is a landing: of two workers' stores each could miss the other one otherwise.

static void collect_locks(const struct copy_span *span, void *context) {
  uint64_t *locks = context, first = span->address / STORE_LOCK_BYTES,
           last = (span->address + span->bytes - 1) / STORE_LOCK_BYTES;
  if (last - first >= STORE_LOCKS) last = first + STORE_LOCKS - 1;
  for (uint64_t i = first; span->bytes && i <= last; i++)
    *locks |= 1ull << i % STORE_LOCKS;
}

uint64_t order_stores_lock(const struct async_copy *copy) {
  struct between_clusters *b = copy->block->launch->order->between;
  uint64_t locks = 0;
  if (b) copy_each_global_span(copy, collect_locks, &locks);
  // All take them in the same order, so that nobody waits for somebody who waits for him.
  for (uint32_t i = 0; i < STORE_LOCKS; i++)
    if (locks >> i & 1) lone_lock_take(&b->stores[i]);
  return locks;
}

void order_stores_unlock(const struct async_copy *copy, uint64_t locks) {
  struct between_clusters *b = copy->block->launch->order->between;
  for (uint32_t i = 0; i < STORE_LOCKS; i++)
    if (locks >> i & 1) lone_lock_give(&b->stores[i]);
}

static bool is_plain_store(const struct async_copy *copy) {
  return copy->kind == ASYNC_BULK_STORE || copy->kind == ASYNC_TENSOR_STORE;
}

struct visit {
  const struct async_copy *copy;
  const struct actor *by; // who issues it
  global_change *change;
  struct order_landing *found;
};

static void change_span(const struct copy_span *span, void *context) {
  const struct visit *v = context;
  global_each_run(v->copy->block->launch->order->global, span->address, span->bytes, v->change, context);
}

static void visit_notes(const struct async_copy *copy, const struct actor *by, global_change *change,
                        struct order_landing *found) {
  struct visit v = {copy, by, change, found};
  copy_each_global_span(copy, change_span, &v);
}

// Runs for which there is no room are not compared.
static void add_run(struct order_landing *l, const struct order_rival *rival) {
  if (l->count < ORDER_MOST_RIVALS) l->run[l->count++] = *rival;
}

static void find_rival(struct global_write *g, uint64_t address, uint64_t bytes, void *context) {
  const struct visit *v = context;
  const struct order_cluster *c = v->copy->block->order->cluster;
  const struct actor by = *v->by;
  const bool own = !is_of_other_cluster(g, c->cluster);
  if (!g->cluster || g->read_agent == NO_AGENT || g->state & NOTE_REDUCES) return;
  const bool told = !own && between_may_have_seen(c, g);
  // What another cluster knows of the store's issue says nothing of its end.
  if (own ? order_seen(order_view_of(by.w, by.lane), order_agent_of(by.w, by.lane), g->agent) >= g->epoch
          : told && !race_store_is_open(by, address))
    return;
  add_run(v->found, &(struct order_rival){address, bytes, g->op, g->state & NOTE_LANDED, own, told});
}

void between_find_rivals(struct actor by, const struct async_copy *copy, struct order_landing *rivals) {
  rivals->count = 0;
  if (copy->block->launch->order->between && is_plain_store(copy)) visit_notes(copy, &by, find_rival, rivals);
  if (rivals->count) atomic_store(&copy->block->launch->order->between->rivals, true);
}

void between_note_rivals(const struct global_write *write, struct global_shadow *shadow,
                         const struct order_landing *rivals) {
  for (uint32_t i = 0; i < rivals->count; i++) {
    const struct order_rival *r = &rivals->run[i];
    struct global_write beside = *write;
    beside.rival = r->op;
    if (r->landed) beside.state |= NOTE_RIVAL_LANDED;
    if (r->own) beside.state |= NOTE_RIVAL_OWN;
    if (r->told) beside.state |= NOTE_RIVAL_TOLD;
    global_note(shadow, r->address, r->bytes, &beside);
  }
}

static bool is_note_of(const struct global_write *g, const struct async_copy *copy) {
  const struct block *b = copy->block;
  return !is_of_other_cluster(g, b->cluster) && g->op == copy->op &&
         g->epoch == (uint32_t)(uintptr_t)copy->order && g->read_agent != NO_AGENT &&
         g->thread == b->rank * order_rounded_threads(b->launch) + copy->thread;
}

// The note of a store that was issued there after this one: it has found them not ordered.
static bool is_younger_rival(const struct global_write *g, const struct async_copy *copy) {
  const bool own = g->state & NOTE_RIVAL_OWN;
  return g->rival == copy->op && !is_note_of(g, copy) && own != is_of_other_cluster(g, copy->block->cluster);
}

static void find_landed_rival(struct global_write *g, uint64_t address, uint64_t bytes, void *context) {
  const struct visit *v = context;
  struct order_rival run = {
      address, bytes, g->rival, true, g->state & NOTE_RIVAL_OWN, g->state & NOTE_RIVAL_TOLD};
  if (is_note_of(g, v->copy) && g->state & NOTE_RIVAL_LANDED) add_run(v->found, &run);
  if (!is_younger_rival(g, v->copy)) return;
  run.op = g->op;
  if (g->state & NOTE_LANDED) add_run(v->found, &run);
  g->state |= NOTE_RIVAL_LANDED;
}

bool order_store_lands(const struct async_copy *copy, struct order_landing *landing) {
  const struct order_launch *l = copy->block->launch->order;
  landing->count = 0;
  if (l->between && atomic_load(&l->between->rivals) && is_plain_store(copy))
    visit_notes(copy, NULL, find_landed_rival, landing);
  return landing->count > 0 || (is_plain_store(copy) && race_has_rivals(copy->block->launch));
}

void order_store_compare(const struct async_copy *copy, const struct order_landing *landing, uint64_t address,
                         const uint8_t *there, const uint8_t *fresh, uint32_t bytes) {
  if (race_has_rivals(copy->block->launch)) race_copy_compare(copy, address, fresh, bytes);
  for (uint32_t i = 0; i < landing->count; i++) {
    const struct order_rival *r = &landing->run[i];
    const uint64_t first = r->address > address ? r->address : address, ends = r->address + r->bytes,
                   end = ends < address + bytes ? ends : address + bytes;
    if (first >= end || memcmp(there + (first - address), fresh + (first - address), end - first) == 0)
      continue;
    const struct conflict k = {.facts = {.kind = r->own    ? CONFLICT_TWO_OWN_STORES
                                                 : r->told ? CONFLICT_STORE_NOT_DONE_THEN_STORE
                                                           : CONFLICT_TWO_STORES,
                                         .earlier = DEED_STORE,
                                         .later = DEED_STORE},
                               .earlier = {.op = r->op},
                               .later = {copy->op, copy->block, copy->thread},
                               .global_address = first};
    order_report(copy->block->launch->order, &k);
    return;
  }
}

static void mark_landed(struct global_write *g, uint64_t address, uint64_t bytes, void *context) {
  const struct visit *v = context;
  (void)address, (void)bytes;
  if (is_note_of(g, v->copy)) g->state |= NOTE_LANDED;
}

void order_store_landed(const struct async_copy *copy) {
  if (!is_plain_store(copy)) return;
  if (copy->block->launch->order->between) visit_notes(copy, NULL, mark_landed, NULL);
  race_copy_landed(copy);
}
