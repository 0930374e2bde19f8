// mbarriers on which more threads arrive than they count. In: arrivals, and races that a wait should have
// prevented. Out: the fault of the count. One idea: each phase ends as soon as some of the threads have
// arrived, so whoever waits for it has not waited for the others. In a pipeline several threads may well take
// turns at one barrier: the count is to blame only where a wait has let its thread go on too early.
#include <stdlib.h>

#include "virtual-hopper/order/internal.h"

static bool is_in(const uint32_t *threads, uint32_t thread) {
  return threads[thread / WARP_LANES] >> thread % WARP_LANES & 1;
}

static void put_in(uint32_t *threads, uint32_t thread) {
  threads[thread / WARP_LANES] |= 1u << thread % WARP_LANES;
}

static void state(struct order_cluster *c, struct conflict *k, const struct agent_barrier *found);

static uint32_t blocks_that_arrive(const struct order_cluster *c, const struct order_mbarrier *o) {
  const uint32_t warps = c->threads_per_block / WARP_LANES;
  uint32_t count = o->arriver_count > 0;
  for (uint32_t first = 0; first < c->threads / WARP_LANES; first += warps) {
    uint32_t any = 0;
    for (uint32_t i = 0; i < warps; i++)
      any |= o->remote_arrivers[first + i];
    count += any != 0;
  }
  return count;
}

// Threads of several blocks arrive, and are more than the barrier counts: the count may be that of one block.
static void suspect_count_of_one_block(struct actor by, struct block *owner, struct mbarrier *m) {
  const struct order_mbarrier *o = m->order;
  if (!o->remote_count || o->load.epoch > 0 || m->last_expect_by ||
      o->arrivals_together + o->remote_together <= m->expected_arrivals)
    return;
  struct conflict k = {.facts = {.later = DEED_BARRIER_USE, .awaited_thread = CONFLICT_NO_THREAD},
                       .later = order_actor_deed(by)};
  const struct agent_barrier found = {o->agent, m, owner};
  state(owner->cluster->order, &k, &found);
  k.facts.arrivers += o->remote_count;
  k.facts.arrivals_together += o->remote_together;
  k.facts.arriver_blocks = blocks_that_arrive(owner->cluster->order, o);
  order_report_if_explained(owner->launch->order, &k);
}

static void add_remote(struct actor by, struct block *owner, struct order_mbarrier *o, uint32_t count) {
  const struct order_cluster *c = owner->cluster->order;
  const uint32_t thread = order_agent_of(by.w, by.lane) - 1;
  if (!o->remote_arrivers) o->remote_arrivers = calloc(c->threads / WARP_LANES, sizeof *o->remote_arrivers);
  if (!o->remote_arrivers) die("out of memory for the order engine");
  if (is_in(o->remote_arrivers, thread)) return;
  put_in(o->remote_arrivers, thread);
  o->remote_count++;
  o->remote_together += count;
}

void order_crowd_add(struct actor by, struct block *owner, struct mbarrier *m, uint32_t count) {
  struct order_mbarrier *o = m->order;
  const uint32_t thread = actor_thread(by);
  if (owner != by.w->block) {
    add_remote(by, owner, o, count);
  } else if (!is_in(o->arrivers, thread)) {
    put_in(o->arrivers, thread);
    o->arriver_count++;
    o->arrivals_together += count;
  }
  if (owner->launch->blocks_per_cluster > 1) suspect_count_of_one_block(by, owner, m);
}

void order_crowd_add_copier(struct order_mbarrier *o, uint32_t thread) {
  if (is_in(o->copiers, thread)) return;
  put_in(o->copiers, thread);
  o->copier_count++;
  o->arrivals_together++;
}

void order_crowd_leave(struct order_mbarrier *o, uint32_t thread) {
  if (!is_in(o->arrivers, thread)) return;
  o->arrivers[thread / WARP_LANES] &= ~(1u << thread % WARP_LANES);
  o->arriver_count--;
  o->arrivals_together--;
}

void order_mbarrier_drop(struct actor by, struct block *owner, struct mbarrier *m) {
  if (m->order && owner == by.w->block) order_crowd_leave(m->order, actor_thread(by));
}

bool order_mbarrier_fits(struct actor by, const struct block *owner, const struct mbarrier *m) {
  return m->order && owner == by.w->block && m->order->arrivals_together <= m->expected_arrivals &&
         is_in(m->order->arrivers, actor_thread(by));
}

uint32_t order_mbarrier_missing(const struct mbarrier *m, const struct mbarrier *other, uint32_t warp) {
  if (!m->order || !other->order || m->order->load.epoch > 0 || m->last_expect_by) return 0;
  const struct ring_arrivals *a = &m->order->arrived[warp];
  return a->lanes && a->phase == (uint32_t)m->phase ? 0 : other->order->arrivers[warp];
}

// Whoever loads announces the bytes by an arrival, and several threads may do so in turn.
static bool is_crowded(const struct mbarrier *m) {
  return m->order->arrivals_together > m->expected_arrivals && m->order->load.epoch == 0;
}

static void state(struct order_cluster *c, struct conflict *k, const struct agent_barrier *found) {
  const struct order_mbarrier *o = found->barrier->order;
  k->facts.kind = CONFLICT_COUNT_TOO_SMALL;
  k->facts.earlier = DEED_INIT;
  k->facts.other_count = found->barrier->expected_arrivals;
  k->facts.arrivers = o->arriver_count;
  k->facts.copiers = o->copier_count;
  k->facts.arrivals_together = o->arrivals_together;
  k->facts.count_lowered = o->init_count > found->barrier->expected_arrivals;
  k->facts.stale_wait_count = 0;
  k->earlier = (struct deed){o->init_op, found->block, o->init_thread};
  order_name_barrier(c, o->agent, k->facts.barrier);
}

// `awaited`: the thread that the wait should have waited for; CONFLICT_NO_THREAD: any.
static void blame(struct order_cluster *c, struct conflict *k, const struct agent_barrier *found,
                  const struct deed *wait, uint32_t awaited) {
  struct fault_place place = {0};
  machine_place(&place, wait->block, wait->op, wait->thread);
  state(c, k, found);
  k->facts.last_wait_at = place_line(&place);
  k->facts.awaited_thread = awaited;
}

// The crowded barrier that thread `waits` has waited for last, if both threads are of its block; NULL: none.
static struct agent_barrier find_crowded(struct order_cluster *c, uint32_t waits, uint32_t other) {
  const struct agent_barrier none = {0};
  const struct order_thread *t = order_view_at(c, waits);
  if (!t->last_wait || t->stale_wait || t->refused_wait || waits == other) return none;
  const struct agent_barrier found = order_barrier_of(c, t->last_agent);
  if (!found.barrier || found.block->rank != other / c->threads_per_block ||
      found.block->rank != waits / c->threads_per_block)
    return none;
  return found;
}

const struct mbarrier *order_suspect_crowd(struct order_cluster *c, struct conflict *k,
                                           const struct suspect *s) {
  const uint32_t waits = s->agent - 1, other = s->other - 1;
  const struct agent_barrier found = find_crowded(c, waits, other);
  if (!found.barrier || !is_crowded(found.barrier) ||
      is_in(found.barrier->order->arrivers, other % c->threads_per_block))
    return NULL;
  const struct deed wait = order_thread_deed(c, waits, order_view_at(c, waits)->last_wait);
  blame(c, k, &found, &wait, other % c->threads_per_block);
  k->later = s->deed;
  k->facts.later = s->kind;
  return found.barrier;
}

bool order_blame_crowd(struct order_cluster *c, struct conflict *k, uint32_t waits, const struct deed *deed,
                       enum deed_kind kind, uint32_t other) {
  const struct order_thread *t = order_view_at(c, waits);
  const uint32_t thread = other % c->threads_per_block;
  const struct agent_barrier found = find_crowded(c, waits, other);
  if (!found.barrier) return false;
  const struct order_mbarrier *o = found.barrier->order;
  const uint32_t *who = k->facts.earlier == DEED_CP_ASYNC ? o->copiers : o->arrivers;
  if (!is_crowded(found.barrier) || !is_in(who, thread)) return false;
  const struct deed later = *deed, wait = order_thread_deed(c, waits, t->last_wait);
  blame(c, k, &found, &wait, thread);
  k->later = later;
  k->facts.later = kind;
  return true;
}

bool order_blame_crowd_for_refill(struct order_cluster *c, struct conflict *k, uint32_t loader) {
  const struct order_thread *t = order_view_at(c, loader);
  const struct op *waited = t->stale_wait ? t->stale_wait : t->last_wait;
  if (!waited || t->refused_wait) return false;
  const struct agent_barrier found = order_barrier_of(c, t->stale_wait ? t->stale_agent : t->last_agent);
  if (!found.barrier || found.block->rank != loader / c->threads_per_block || !is_crowded(found.barrier))
    return false;
  const struct deed wait = order_thread_deed(c, loader, waited);
  blame(c, k, &found, &wait, CONFLICT_NO_THREAD);
  return true;
}

enum order_token order_mbarrier_token(struct actor by, struct block *owner, struct mbarrier *m,
                                      uint32_t phase) {
  enum { TOKEN_MASK = (1u << TOKEN_PHASE_BITS) - 1 };
  struct order_cluster *c = by.w->block->order->cluster;
  const struct last_arrival last = order_arrival_at(c, order_agent_of(by.w, by.lane) - 1);
  const struct order_mbarrier *o = m->order;
  if (!o || owner != by.w->block || last.agent != o->agent || (last.phase & TOKEN_MASK) != phase)
    return ORDER_TOKEN_OLD;
  if (!is_crowded(m)) return ORDER_TOKEN_OWN;
  struct conflict k = {.later = order_actor_deed(by), .facts = {.later = DEED_WAIT}};
  const struct agent_barrier found = {o->agent, m, owner};
  state(c, &k, &found);
  order_report(by.w->launch->order, &k);
  return ORDER_TOKEN_COUNT;
}
