// mbarriers: who has seen which phase, and what it brings (PTX ISA 9.7.13.15). In: initialisations, arrivals,
// phases, waits. Out: the threads' views, and waits that have said nothing. The idea: a phase publishes what
// its arrivals have gathered, and each thread keeps its last waits, since a race may be the fault of one.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/order/internal.h"

void order_mbarrier_init(struct actor by, struct mbarrier *m) {
  struct order_cluster *c = by.w->block->order->cluster;
  struct order_thread *t = order_thread_of(by.w, by.lane);
  if (!m->order) {
    m->order = calloc(1, sizeof *m->order);
    if (!m->order) die("out of memory for the order engine");
  }
  struct order_mbarrier *o = m->order;
  t->inits_barriers = true;
  gather_reset(&o->gather);
  clock_drop(o->completed);
  o->completed = NULL;
  o->agent = order_agent_new(c); // phases of the old barrier that were seen say nothing about the new one
  o->init_agent = order_agent_of(by.w, by.lane);
  o->init_epoch = t->epoch;
  o->init_thread = actor_thread(by);
  o->init_reported = false;
  if (!o->init_op || (o->init_released && !o->init_exposed)) c->unreleased_inits++;
  o->init_released = o->init_exposed = false;
  o->late_count = 0;
  o->init_op = by.op;
  o->fresh_wait = o->news_wait = NULL;
  memset(o->refused, 0, sizeof o->refused);
  o->news_phases = o->known_to_copy = o->bare_phases = 0;
  o->loose = o->outrun_reported = false;
  order_close_issue(c, o, o->open_issuer);
  o->unawaited = NULL;
  o->arrival_agent = NO_AGENT;
  o->load.epoch = 0;
  memset(o->arrivers, 0, sizeof o->arrivers);
  free(o->remote_arrivers);
  o->remote_arrivers = NULL;
  o->arriver_count = o->remote_count = o->remote_together = 0;
  o->init_count = m->expected_arrivals;
  o->anew.op = NULL;
  memset(o->arrived, 0, sizeof o->arrived);
  t->dirty = true;
}

// A wait that nothing orders before the invalidation may as well come later, when there is no barrier. Lanes
// of one warp are left out: they have passed the wait together.
static void check_waits(struct actor by, struct block *owner, const struct order_mbarrier *o) {
  const struct order_thread *t = order_view_of(by.w, by.lane);
  for (uint32_t i = 0; i < owner->warp_count; i++) {
    const struct mbarrier_wait *wait = &o->waited[i];
    struct warp *w = &owner->warps[i];
    const uint32_t agent = order_agent_of(w, wait->lane);
    if (!wait->op || w == by.w || order_seen(t, order_agent_of(by.w, by.lane), agent) >= wait->epoch)
      continue;
    const struct conflict k = {
        .facts = {.kind = CONFLICT_WAIT_THEN_INVAL, .earlier = DEED_WAIT, .later = DEED_BARRIER_USE},
        .earlier = {wait->op, owner, warp_thread(w, wait->lane)},
        .later = order_actor_deed(by)};
    order_report(by.w->launch->order, &k);
    return;
  }
}

void order_mbarrier_inval(struct actor by, struct block *owner, struct mbarrier *m) {
  order_mbarrier_check_init(by, owner, m);
  if (m->order) check_waits(by, owner, m->order);
  order_mbarrier_forget(m); // the end of the block forgets live barriers only
}

void order_mbarrier_forget(struct mbarrier *m) {
  if (!m->order) return;
  gather_free(&m->order->gather);
  clock_drop(m->order->completed);
  free(m->order->remote_arrivers);
  free(m->order);
  m->order = NULL;
}

// The thread, of another block, has seen the initialisation; by a release?
static bool is_released_to(const struct order_mbarrier *o, const struct order_thread *t) {
  for (uint32_t i = 0; i < o->late_count; i++)
    if (clock_seen(t->base, o->late[i].agent) >= o->late[i].epoch) return true;
  return o->init_released && !o->init_exposed;
}

void order_mbarrier_check_init(struct actor a, struct block *owner, struct mbarrier *m) {
  struct order_mbarrier *o = m->order;
  if (!o || o->init_reported) return;
  const struct order_thread *t = order_view_of(a.w, a.lane);
  const bool seen = order_seen(t, order_agent_of(a.w, a.lane), o->init_agent) >= o->init_epoch;
  if (seen && (owner == a.w->block || is_released_to(o, t))) return;
  o->init_reported = true;
  bool remote = owner->launch->blocks_per_cluster > 1 && owner != a.w->block;
  const struct conflict k = {.facts = {.kind = seen ? CONFLICT_INIT_NOT_RELEASED : CONFLICT_INIT_NOT_SEEN,
                                       .earlier = DEED_INIT,
                                       .later = DEED_BARRIER_USE,
                                       .distance = remote ? SAME_CLUSTER : SAME_BLOCK},
                             .earlier = {o->init_op, owner, o->init_thread},
                             .later = order_actor_deed(a)};
  order_report(a.w->launch->order, &k);
}

void order_copy_completes(const struct async_copy *copy, struct block *owner, struct mbarrier *m) {
  struct order_mbarrier *o = m->order;
  if (!o || o->init_reported || !(copy->unready >> owner->rank & 1)) return;
  o->init_reported = true;
  const struct conflict k = {.facts = {.kind = CONFLICT_INIT_NOT_SEEN,
                                       .earlier = DEED_INIT,
                                       .later = DEED_BARRIER_USE,
                                       .distance = SAME_CLUSTER},
                             .earlier = {o->init_op, owner, o->init_thread},
                             .later = {copy->op, copy->block, copy->thread}};
  order_report(owner->launch->order, &k);
}

// With .relaxed it hands over what a fence has ordered before it, and nothing else (PTX ISA 8.8).
static void arrive_relaxed(struct actor by, struct order_mbarrier *o) {
  struct order_thread *t = order_thread_of(by.w, by.lane);
  o->loose = true;
  if (t->fenced_epoch > 0) {
    gather_clock(&o->gather, t->base);
    gather_raise(&o->gather, order_agent_of(by.w, by.lane), t->fenced_epoch, t->visible);
  }
  t->relaxed_arrival = by.op;
  t->relaxed_agent = o->agent;
  t->arrival_upto = t->epoch;
  order_new_epoch(t);
}

static void note_arrival(struct actor by, const struct last_arrival *arrival) {
  struct order_warp *warp = order_warp_of(by.w);
  if (!warp->arrivals) warp->arrivals = calloc(WARP_LANES, sizeof *warp->arrivals);
  if (!warp->arrivals) die("out of memory for the order engine");
  warp->arrivals[by.lane] = *arrival;
}

void order_mbarrier_arrive(struct actor by, struct block *owner, struct mbarrier *m, uint32_t count,
                           bool release) {
  order_mbarrier_check_init(by, owner, m);
  if (!m->order) return;
  order_ring_arrive(by, owner, m);
  order_crowd_add(by, owner, m, count);
  if (!release) {
    arrive_relaxed(by, m->order);
    return;
  }
  order_touch_block(by, owner, DEED_BARRIER_USE);
  if (owner != by.w->block) order_release_inits(by.w, 1u << by.lane, false);
  if (owner != by.w->block || (by.op->source && ptx_has_modifier(by.op->source, "cluster")))
    maps_release(by.w, by.op, 1u << by.lane);
  struct order_cluster *c = by.w->block->order->cluster;
  order_release(c, &m->order->gather, order_agent_of(by.w, by.lane));
  order_close_issue(c, m->order, order_agent_of(by.w, by.lane));
  const uint32_t epoch = order_view_of(by.w, by.lane)->epoch;
  m->order->arrival_agent = order_agent_of(by.w, by.lane);
  m->order->arrival_epoch = epoch;
  note_arrival(by, &(struct last_arrival){by.op, m->order->agent, (uint32_t)m->phase, epoch});
  if (c->suspicion_count > 0) order_suspicions_confirm(c, m->order);
}

// A phase that a wait has shown to its thread, and the next one: some arrival of the next one, or a copy
// that completes on it, has to come after that wait (PTX ISA 9.7.13.15.4). Otherwise the next phase may be
// complete before the wait asks, and a parity then stands for a phase that is two further on.
static void check_outrun(struct block *owner, const struct mbarrier *m) {
  const struct order_cluster *c = owner->cluster->order;
  struct order_mbarrier *o = m->order;
  const uint32_t before = (uint32_t)m->phase - 1; // phases that were complete before this one
  const uint32_t known = o->gather.any && o->agent < o->gather.capacity ? o->gather.seen[o->agent] : 0;
  if (before == 0 || known >= before || o->known_to_copy >= before || o->loose || o->outrun_reported ||
      o->news_phases != before || c->relaxed || c->hidden_orders || c->open_issues > 0 ||
      !m->last_arrive_block || !ptx_has_modifier(o->news_wait->source, "parity"))
    return;
  o->outrun_reported = true;
  struct conflict k = {
      .facts = {.kind = CONFLICT_PHASE_OUTRUN, .earlier = DEED_WAIT, .later = DEED_BARRIER_USE},
      .earlier = {o->news_wait, owner, o->news_thread},
      .later = {m->last_arrive_by, (struct block *)m->last_arrive_block, m->last_arrive_thread}};
  shared_name_barrier(owner->launch, m->offset, k.facts.barrier, sizeof k.facts.barrier);
  order_report(owner->launch->order, &k);
}

void order_mbarrier_phase(struct block *owner, struct mbarrier *m) {
  struct order_mbarrier *o = m->order;
  if (!o || !owner->cluster->order) return;
  order_close_issue(owner->cluster->order, o, NO_AGENT);
  check_outrun(owner, m);
  if (o->load.epoch < m->phase) {
    o->bare_phases = (uint32_t)m->phase;
    o->bare_arrival = m->last_arrive_by;
  }
  // a later phase carries the earlier ones: read-modify-writes in a chain
  gather_clock(&o->gather, o->completed);
  gather_raise(&o->gather, o->agent, (uint32_t)m->phase, NULL);
  struct clock *done = gather_finish(&o->gather);
  clock_drop(o->completed);
  o->completed = done;
}

// Who was told no for one phase, and has neither asked again nor been shown that phase by others, asks for
// another one, of the other parity: the no was ignored. Returns those of the lanes.
static uint32_t ignoring(struct warp *w, const struct order_mbarrier *o, uint32_t lanes, uint64_t asked) {
  const struct refusal *r = &o->refused[w->index];
  uint32_t found = 0;
  if (!((asked ^ r->phase) & 1)) return 0;
  EACH_LANE(lane, lanes & r->lanes) {
    if (clock_seen(order_view_of(w, lane)->base, o->agent) <= r->phase) found |= 1u << lane;
  }
  return found;
}

// To ask for both parities is no mistake in itself; but it may be the cause of others.
static void report_ignored(struct warp *w, const struct op *op, uint32_t lanes, const struct mbarrier *m) {
  const struct refusal *r = &m->order->refused[w->index];
  const struct deed asks = order_actor_deed(actor_of(w, op, (uint32_t)__builtin_ctz(lanes)));
  struct conflict k = {
      .facts = {.kind = CONFLICT_REFUSED_WAIT_THEN_WAIT, .earlier = DEED_WAIT, .later = DEED_WAIT},
      .earlier = {r->op, asks.block, asks.thread},
      .later = asks};
  shared_name_barrier(w->launch, m->offset, k.facts.barrier, sizeof k.facts.barrier);
  order_report_if_explained(w->launch->order, &k);
}

// Of a thread's refusals the last one but one is kept, too: what it touches between two waits may be judged
// after the second. `now` is the barrier that it asks now.
static void remember_refusal(struct order_thread *t, uint32_t now) {
  if (t->refused_wait && t->refused_agent != now) {
    t->before_wait = t->refused_wait;
    t->before_agent = t->refused_agent;
    t->before_since = t->refused_since;
  } else if (t->before_agent == now) {
    t->before_wait = NULL;
  }
}

void order_mbarrier_refuse(struct warp *w, const struct op *op, uint32_t lanes, struct mbarrier *m) {
  if (!m->order) return;
  struct refusal *r = &m->order->refused[w->index];
  if (r->lanes && r->phase != (uint32_t)m->phase) {
    const uint32_t found = ignoring(w, m->order, lanes, m->phase);
    if (found) report_ignored(w, op, found, m);
    r->lanes = 0;
  }
  if ((r->lanes & lanes) != lanes) order_ring_wait(w, op, lanes, m, (uint32_t)m->phase + 1, true);
  r->op = op;
  r->phase = (uint32_t)m->phase;
  r->lanes |= lanes;
  struct order_thread *t;
  EACH_THREAD(t, w, lanes) {
    order_new_epoch(t);
    remember_refusal(t, m->order->agent);
    t->refused_wait = op;
    t->refused_agent = m->order->agent;
    t->refused_since = t->epoch;
  }
}

static void note_fresh(struct order_mbarrier *o, const struct order_thread *t, const struct op *op,
                       uint32_t agent) {
  o->fresh_wait = op;
  o->fresh_agent = agent;
  o->fresh_epoch = t->epoch;
  o->fresh_refused = t->refused_wait;
}

// A wait that has returned true, for one lane, or for all lanes of a folded warp.
struct observation {
  struct warp *w;
  const struct op *op;
  struct order_mbarrier *barrier;
  uint32_t phases; // complete then
  bool acquires, ignored;
  const struct op *refused; // the no that was ignored
};

// lane: the last one that `t` stands for.
static void observe(const struct observation *wait, struct order_thread *t, uint32_t lane,
                    struct acquire_memo *memo) {
  struct order_mbarrier *o = wait->barrier;
  const bool news = wait->phases > 0 && clock_seen(t->base, o->agent) < wait->phases;
  if (!news) order_new_epoch(t);               // its next deeds come after the wait
  const bool refused = !news && wait->ignored; // that is to blame for what follows, not this wait
  const uint32_t self = order_agent_of(wait->w, lane);
  remember_refusal(t, o->agent);
  t->refused_wait = refused ? wait->refused : NULL;
  t->refused_agent = o->agent;
  t->last_wait = wait->op;
  t->last_agent = o->agent;
  t->stale_wait = news || refused ? NULL : wait->op;
  t->stale_agent = news ? NO_AGENT : o->agent;
  t->stale_since = t->epoch;
  t->stale_phases = wait->phases;
  t->stale_again = wait->phases == 0 && o->fresh_wait && o->fresh_agent == self;
  if (wait->phases == 0 && !o->fresh_wait) note_fresh(o, t, wait->op, self);
  if (news) {
    o->news_wait = wait->op;
    o->news_thread = warp_thread(wait->w, lane);
    o->news_phases = wait->phases;
  }
  struct order_cluster *c = wait->w->block->order->cluster;
  if (!wait->acquires && news) {
    o->loose = true;
    order_glimpse(c, t, o->completed);
    t->relaxed_wait = wait->op;
  }
  if (wait->acquires && news) {
    order_acquire_next(c, t, o->completed, memo);
    t->observed_epoch = t->epoch;
  }
}

// Lanes with the view of a lane that was checked need no check.
static void check_inits(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                        struct mbarrier *m) {
  const struct order_lanes threads = order_lanes_of(w);
  const struct clock *checked = NULL;
  const uint32_t first = (uint32_t)__builtin_ctz(lanes);
  if (!threads.step && threads.first->base && m->order->init_agent - order_agent_of(w, 0) >= WARP_LANES)
    lanes = 1u << first; // the others are like it
  EACH_LANE(lane, lanes) {
    const struct clock *base = order_lane(threads, lane)->base;
    if (!base || base != checked) order_mbarrier_check_init(actor_of(w, op, lane), owner, m);
    checked = order_agent_of(w, lane) == m->order->init_agent ? NULL : base;
  }
}

void order_mbarrier_observe(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                            struct mbarrier *m, uint64_t completed_phases, bool acquire) {
  struct order_mbarrier *o = m->order;
  if (!o) return;
  struct refusal *r = &o->refused[w->index];
  const uint32_t ignored = ignoring(w, o, lanes, completed_phases - 1);
  if (ignored) report_ignored(w, op, ignored, m);
  check_inits(w, op, lanes, owner, m);
  order_ring_wait(w, op, lanes, m, (uint32_t)completed_phases, false);
  order_warp_of(w)->news++;
  struct observation wait = {.w = w,
                             .op = op,
                             .barrier = o,
                             .phases = (uint32_t)completed_phases,
                             .acquires = acquire,
                             .refused = r->op};
  struct acquire_memo memo = {0};
  // Of a fresh barrier it is kept which lane has passed it.
  struct order_thread *all = completed_phases > 0 && !ignored ? order_together(w, lanes) : NULL;
  if (all) observe(&wait, all, WARP_LANES - 1, &memo);
  struct order_thread *threads = all ? NULL : order_thread_of(w, 0);
  for (uint32_t left = all ? 0 : lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    wait.ignored = ignored >> lane & 1;
    observe(&wait, threads + lane, lane, &memo);
  }
  order_acquire_end(&memo);
  const uint32_t last = WARP_LANES - 1 - (uint32_t)__builtin_clz(lanes);
  o->waited[w->index] = (struct mbarrier_wait){op, last, order_view_of(w, last)->epoch};
  order_mark_dirty(w, lanes);
  if (acquire && ptx_has_modifier(op->source, "cluster"))
    order_widen(w->block, o->completed);
  else if (acquire)
    w->block->order->cluster->narrow = w->block->cluster->block_count > 1;
  r->lanes &= ~lanes;
  if (o->unawaited && o->news_wait == op && o->news_phases >= o->unawaited_epoch)
    order_report_awaited(w->launch->order, o, owner, op, o->news_thread);
}
