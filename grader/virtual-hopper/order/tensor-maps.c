// Tensor maps in global memory. In: fences, releases, copies that read a map, and writes to one. Out:
// conflicts. One idea: a map is handed to the proxy that reads it (write, release, acquire, use), and taken
// back (use, wait, write), and each step must have seen the one before. PTX ISA 9.7.13.4
// (fence.proxy.tensormap), 9.7.9.25.1 (a map must not be changed under a copy), 9.7.9.27.2 (a wait for bulk
// groups covers the reading of the map).
#include <stdlib.h>

#include "virtual-hopper/base/tensor-map.h"
#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/touched.h"

void maps_free(struct map_view *v) {
  while (v->acquires) {
    struct map_acquire *m = v->acquires;
    v->acquires = m->next;
    clock_drop(m->base);
    free(m);
  }
  gather_free(&v->released);
  free(v->uses);
}

// ---- fences -----------------------------------------------------------------------------------------------

static void release(struct warp *w, uint32_t lanes) {
  struct order_cluster *c = w->block->order->cluster;
  if (!c->launch->fences_maps) return;
  EACH_LANE(lane, lanes) {
    const struct order_thread *t = order_view_of(w, lane);
    gather_clock(&c->maps.released, t->base);
    gather_raise(&c->maps.released, order_agent_of(w, lane), t->epoch - !t->dirty, NULL);
  }
}

// On the chip a release of a map is the same instruction as any fence or release that reaches beyond the
// block (MEMBAR, by nvdisasm). So all of these count, but by the letter, which knows one release of a map.
void maps_release(struct warp *w, const struct op *op, uint32_t lanes) {
  if (w->launch->strict || (op && op->source && ptx_has_modifier(op->source, "cta"))) return;
  release(w, lanes);
}

static void acquire(struct warp *w, const struct op *op, uint32_t lane, uint64_t address) {
  struct order_cluster *c = w->block->order->cluster;
  struct order_thread *t = order_thread_of(w, lane);
  if (c->maps.acquire_count++ >= MOST_MAP_ACQUIRES) return;
  struct map_acquire *m = calloc(1, sizeof *m);
  if (!m) die("out of memory for the order engine");
  *m = (struct map_acquire){.address = address,
                            .base = clock_hold(t->base),
                            .agent = order_agent_of(w, lane),
                            .epoch = t->epoch,
                            .op = op,
                            .others_seen = c->others_seen,
                            .now = between_now(c->launch),
                            .next = c->maps.acquires};
  c->maps.acquires = m;
  t->epoch++; // what it writes from now on isn't covered
  t->dirty = false;
}

void order_fence_proxy_tensormap(struct warp *w, const struct op *op, uint32_t lane, bool acquires,
                                 uint64_t address) {
  struct order_cluster *c = w->block->order->cluster;
  struct order_thread *t = order_thread_of(w, lane);
  if (acquires) { // the writes to the map at `address` that it has seen are visible to its copies now
    acquire(w, op, lane, address);
    return;
  }
  release(w, 1u << lane);
  order_note_told(t);
  c->fenced = true;
  c->maps.releases = true;
}

// ---- a copy uses a map ------------------------------------------------------------------------------------

struct map_user {
  struct actor by;
  uint32_t self;
  struct order_cluster *cluster;
  const struct order_thread *thread;
  uint64_t map;
  bool reported;
};

// True when some thread saw the write and then fenced the map, and the user has seen that fence.
static bool is_fresh(const struct map_user *u, const struct global_write *g) {
  const struct order_cluster *c = u->cluster;
  if (c->maps.acquire_count > MOST_MAP_ACQUIRES) return true;
  for (const struct map_acquire *m = c->maps.acquires; m; m = m->next) {
    if (m->address != u->map) continue;
    bool saw_write = m->agent == g->agent ? m->epoch >= g->epoch : clock_seen(m->base, g->agent) >= g->epoch;
    if (saw_write && order_seen(u->thread, u->self, m->agent) >= m->epoch) return true;
  }
  return false;
}

// Whatever was written before the launch must be fenced as well, once in each block that uses the map.
// True when the user has seen an acquiring fence on the map, by whichever thread.
static bool was_acquired(const struct map_user *u) {
  const struct order_cluster *c = u->cluster;
  if (c->maps.acquire_count > MOST_MAP_ACQUIRES) return true;
  for (const struct map_acquire *m = c->maps.acquires; m; m = m->next)
    if (m->address == u->map && order_seen(u->thread, u->self, m->agent) >= m->epoch) return true;
  return false;
}

static bool was_released(const struct map_user *u, const struct global_write *g) {
  const struct gather *released = &u->cluster->maps.released;
  if (g->read_agent != NO_AGENT || !u->cluster->launch->fences_maps) return true;
  return g->agent < released->capacity && released->seen[g->agent] >= g->epoch;
}

// Another cluster's write that this one knows of now, and didn't at any of its acquiring fences on the map.
// Who has learned of something by plain loads may have known all the same, unless the fence came first.
static bool is_stale(const struct map_user *u, const struct global_write *g) {
  const struct order_cluster *c = u->cluster;
  const bool plain = c->race.glanced || c->race.polled.cluster;
  if (!between_may_have_seen(c, g) || c->maps.acquire_count > MOST_MAP_ACQUIRES) return false;
  for (const struct map_acquire *m = c->maps.acquires; m; m = m->next)
    if (m->address == u->map && (m->others_seen > g->time || (plain && m->now > g->time))) return false;
  return true;
}

static void report_use(struct map_user *u, const struct global_write *g, enum conflict_kind kind) {
  struct conflict k = {.facts = {.kind = kind, .earlier = DEED_WRITE, .later = DEED_MAP_USE, .map = u->map},
                       .earlier = {.op = g->op},
                       .later = order_actor_deed(u->by)};
  if (g->owner == u->cluster) k.earlier = order_thread_deed(u->cluster, g->thread, g->op);
  order_report(u->by.w->launch->order, &k);
  u->reported = true;
}

static void check_note(const struct global_write *g, uint64_t address, void *context) {
  struct map_user *u = context;
  (void)address;
  if (u->reported) return;
  if (g->owner != u->cluster || g->cluster != u->cluster->cluster->index + 1) {
    if (was_acquired(u) && is_stale(u, g)) report_use(u, g, CONFLICT_UNFENCED_TENSOR_MAP);
  } else if (!is_fresh(u, g)) {
    report_use(u, g, CONFLICT_UNFENCED_TENSOR_MAP);
  } else if (!was_released(u, g)) {
    report_use(u, g, CONFLICT_MAP_NOT_RELEASED);
  }
}

void order_tensormap_use(struct actor by, uint64_t address) {
  struct map_user u = {.by = by,
                       .self = order_agent_of(by.w, by.lane),
                       .cluster = by.w->block->order->cluster,
                       .thread = order_view_of(by.w, by.lane),
                       .map = address};
  if (address < GLOBAL_BASE) return;
  if (by.w->launch->touched) touched_note_map(by.w->launch->touched, address, by.op);
  global_visit(by.w->launch->order->global, address, TENSOR_MAP_BYTES, check_note, &u);
  const struct memory_allocation *in = memory_find(by.w->launch->memory, address);
  if (u.reported || (in && in->constant) || was_acquired(&u)) return;
  const struct conflict k = {
      .facts = {.kind = CONFLICT_MAP_NOT_ACQUIRED, .later = DEED_MAP_USE, .map = address},
      .later = order_actor_deed(by)};
  order_report(by.w->launch->order, &k);
}

// ---- a map is changed that a copy may still read ----------------------------------------------------------
//
// DeepGEMM's pull request 343 shows what comes of it on an H200. CUTLASS commits a bulk group after its loads
// and waits for it by the .read form, although loads complete on barriers: the wait covers them too (its
// issue 2912; UTMACMDFLUSH in the machine code). Its older releases waited for the last stage's barrier.

static struct map_use *use_of(struct map_view *v, uint64_t address, uint32_t thread) {
  if (!v->uses) v->uses = calloc(MOST_MAP_USES, sizeof *v->uses);
  if (!v->uses) die("out of memory for the order engine");
  for (uint32_t i = 0; i < v->use_count; i++)
    if (v->uses[i].address == address && v->uses[i].thread == thread) return &v->uses[i];
  if (v->use_count == MOST_MAP_USES) return NULL;
  if (!v->use_count || address < v->first) v->first = address;
  if (address + TENSOR_MAP_BYTES > v->end) v->end = address + TENSOR_MAP_BYTES;
  return &v->uses[v->use_count++];
}

// A load into several blocks completes on a barrier in each; any of them shows that the map has been read.
static const struct mbarrier *barrier_of(struct actor by, const struct async_copy *copy) {
  const struct block *owner = copy->destination[0];
  for (uint32_t i = 1; i < copy->destination_count; i++)
    if (copy->destination[i] == by.w->block) owner = by.w->block;
  return mbarrier_find(owner, copy->mbarrier_offset);
}

void maps_note_use(struct actor by, const struct async_copy *copy) {
  struct order_cluster *c = by.w->block->order->cluster;
  const uint32_t self = order_agent_of(by.w, by.lane);
  struct map_use *use = use_of(&c->maps, copy->map, self);
  if (!use) return;
  *use = (struct map_use){
      .address = copy->map, .number = c->maps.copies++, .op = by.op, .thread = self, .agent = NO_AGENT};
  if (copy->kind != ASYNC_TENSOR_LOAD) {
    use->agent = order_thread_of(by.w, by.lane)->read_agent;
    use->epoch = (uint32_t)(uintptr_t)copy->order;
    return;
  }
  const struct mbarrier *barrier = barrier_of(by, copy);
  if (!barrier || !barrier->order) return;
  use->agent = barrier->order->agent;
  use->epoch = (uint32_t)barrier->phase + 1;
}

void maps_commit(struct warp *w, uint32_t lane) {
  struct map_view *v = &w->block->order->cluster->maps;
  for (uint32_t i = 0; i < v->use_count; i++)
    v->uses[i].commits += v->uses[i].thread == order_agent_of(w, lane);
}

void maps_group_wait(struct warp *w, uint32_t lane, uint32_t newest) {
  struct map_view *v = &w->block->order->cluster->maps;
  if (!v->use_count) return;
  order_mark_dirty(w, 1u << lane); // what it has waited for is a deed: others must see it
  for (uint32_t i = 0; i < v->use_count; i++) {
    struct map_use *use = &v->uses[i];
    if (use->thread == order_agent_of(w, lane) && use->commits > newest && !use->waited)
      use->waited = order_view_of(w, lane)->epoch;
  }
}

static bool knows_end_of(const struct order_thread *t, uint32_t self, const struct map_use *use) {
  return use->agent == NO_AGENT || order_seen(t, self, use->agent) >= use->epoch ||
         (use->waited && order_seen(t, self, use->thread) >= use->waited);
}

// Or of a later copy by the same thread: nobody promises an order between the two, but CUTLASS 3 waits so.
static bool has_been_read(const struct map_view *v, const struct order_thread *t, uint32_t self,
                          const struct map_use *use) {
  for (uint32_t i = 0; i < v->use_count; i++) {
    const struct map_use *later = &v->uses[i];
    if (later->thread == use->thread && later->number >= use->number && knows_end_of(t, self, later))
      return true;
  }
  return false;
}

static void check_use(struct actor by, struct map_use *use) {
  struct order_cluster *c = by.w->block->order->cluster;
  const uint32_t self = order_agent_of(by.w, by.lane);
  if (use->reported || has_been_read(&c->maps, order_view_of(by.w, by.lane), self, use)) return;
  use->reported = true;
  const struct conflict k = {
      .facts = {.kind = CONFLICT_MAP_STILL_READ, .earlier = DEED_MAP_USE, .later = DEED_WRITE},
      .earlier = order_thread_deed(c, use->thread - 1, use->op),
      .later = order_actor_deed(by)};
  order_report(c->launch, &k);
}

void maps_check_write(struct warp *w, const struct op *op, uint32_t lanes, const uint64_t address[],
                      uint32_t bytes, const struct order_store *store) {
  struct map_view *v = &w->block->order->cluster->maps;
  EACH_LANE(lane, lanes) {
    if (address[lane] >= v->end || address[lane] + bytes <= v->first) continue;
    if (store && !store->changes(store, lane)) continue;
    for (uint32_t i = 0; i < v->use_count; i++)
      if (address[lane] < v->uses[i].address + TENSOR_MAP_BYTES && v->uses[i].address < address[lane] + bytes)
        check_use(actor_of(w, op, lane), &v->uses[i]);
  }
}
