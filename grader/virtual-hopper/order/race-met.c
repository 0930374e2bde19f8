// Whether the thread that tells other clusters of something had met those whose deeds it tells of. In: strong
// writes to global memory (flags, atomics), and the clocks of the cluster. Out: for a deed of another
// cluster, whether anybody who had met its warp has told of it. One idea: race.c's clock of the launch says
// when a cluster told others; within it the threads' clocks say what the teller knew. Of each warp the last
// few steps are kept: when a strong write came from a thread that had seen it, up to which epoch. What is no
// longer kept is taken to be told. The same is kept of barriers, for the loads that complete on them.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-judge.h"

enum { KEPT = 4, BARRIERS = 32 };    // barriers: of a cluster, the first ones; loads on others are not judged
#define MET_LIMIT ((size_t)32 << 20) // bytes; clusters beyond are not judged

struct met_warp {
  uint64_t time[KEPT]; // of the strong write
  uint32_t epoch[KEPT], count;
};

// Of a warp's own strong writes: up to which epoch they tell of each of its lanes.
struct met_lanes {
  uint64_t time[KEPT];
  uint32_t epoch[KEPT][WARP_LANES], count;
};

struct race_met {
  const struct op *last; // strong write
  // The last one that is a release, or follows a fence: it is meant to tell others of something.
  const struct op *teller;
  uint64_t told_at;
  uint32_t told_by; // its warp
  uint32_t warps, barriers, copiers;
  struct met_lanes **lanes; // [warps]; NULL: none of its lanes has told anything, or there is no room
  // Behind them the barriers, by agent, the warps again, for their cp.async, and once more, as far as other
  // warps have told of them.
  struct met_warp warp[];
};

static struct lone_lock *lock_of(struct race_shadow *s, uint64_t cluster) {
  return &s->met_locks[cluster % RACE_LOCKS];
}

static struct race_met *met_of(struct race_shadow *s, const struct order_cluster *c) {
  struct race_signals *signals = &s->signals[c->cluster->index];
  struct race_met *met = atomic_load(&signals->met);
  const uint32_t warps = c->threads / WARP_LANES;
  const uint32_t barriers = c->launch->global_loads ? BARRIERS : 0;
  const uint32_t copiers = c->launch->has_cp_async ? warps : 0;
  const size_t bytes =
      sizeof *met + (2 * warps + barriers + copiers) * sizeof met->warp[0] + warps * sizeof *met->lanes;
  if (met || atomic_fetch_add(&s->met_bytes, bytes) > MET_LIMIT) return met;
  met = calloc(1, bytes);
  if (!met) die("out of memory for the order engine");
  met->lanes = (struct met_lanes **)&met->warp[2 * warps + barriers + copiers];
  met->warps = warps;
  met->barriers = barriers;
  met->copiers = copiers;
  atomic_store(&signals->met, met);
  return met;
}

void race_met_free(struct race_met *met) {
  for (uint32_t warp = 0; met && warp < met->warps; warp++)
    free(met->lanes[warp]);
  free(met);
}

static void reach(struct met_warp *w, uint64_t time, uint32_t epoch) {
  if (!epoch || (w->count && w->epoch[(w->count - 1) % KEPT] >= epoch)) return;
  w->time[w->count % KEPT] = time;
  w->epoch[w->count % KEPT] = epoch;
  w->count++;
}

// It has met a warp as far as it has met any of its lanes.
static uint32_t seen_of_warp(const struct clock *c, uint32_t warp) {
  uint32_t most = 0;
  for (uint32_t agent = warp * WARP_LANES + 1; c && agent <= (warp + 1) * WARP_LANES && agent < c->count;
       agent++)
    most = c->seen[agent] > most ? c->seen[agent] : most;
  return most;
}

// How far the cp.async of the warp's lanes have been waited for.
static uint32_t seen_of_copies(const struct order_cluster *c, const struct clock *seen, uint32_t warp) {
  uint32_t most = 0;
  for (uint32_t thread = warp * WARP_LANES; seen && thread < (warp + 1) * WARP_LANES; thread++) {
    const uint32_t agent = order_view_at(c, thread)->cp_async_agent,
                   epoch = agent == NO_AGENT ? 0 : clock_seen(seen, agent);
    most = epoch > most ? epoch : most;
  }
  return most;
}

static bool is_meant(struct order_lanes threads, uint32_t lanes, enum order_strength strength) {
  bool fenced = strength == ORDER_RELEASE || strength == ORDER_ACQ_REL;
  EACH_LANE(lane, lanes) fenced |= order_lane(threads, lane)->has_fenced;
  return fenced;
}

static struct met_warp *by_others(struct race_met *met, uint32_t warp) {
  return &met->warp[met->warps + met->barriers + met->copiers + warp];
}

// How far the lanes that tell know of a lane of their warp. One that has fenced by itself is taken to be told
// of.
static uint32_t known_of_lane(struct order_lanes threads, uint32_t lanes, uint32_t lane, uint32_t agent) {
  uint32_t most = order_lane(threads, lane)->fenced_epoch;
  if (lanes >> lane & 1) return order_lane(threads, lane)->epoch;
  const struct clock *last = NULL;
  EACH_LANE(teller, lanes) {
    const struct clock *base = order_lane(threads, teller)->base;
    const uint32_t seen = base == last ? 0 : clock_seen(base, agent);
    most = seen > most ? seen : most;
    last = base;
  }
  return most;
}

static void reach_lanes(struct race_shadow *s, struct race_met *met, const struct warp *w, uint32_t lanes,
                        uint64_t time) {
  const struct order_lanes threads = order_lanes_of(w);
  const uint32_t agent = order_agent_of(w, 0);
  struct met_lanes **of = &met->lanes[(agent - 1) / WARP_LANES], *m = *of;
  if (!m && atomic_fetch_add(&s->met_bytes, sizeof *m) > MET_LIMIT) return;
  if (!m) m = *of = calloc(1, sizeof *m);
  if (!m) die("out of memory for the order engine");
  const uint32_t *last = m->epoch[(m->count + KEPT - 1) % KEPT];
  uint32_t now[WARP_LANES];
  bool grows = m->count == 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    now[lane] = known_of_lane(threads, lanes, lane, agent + lane);
    grows |= now[lane] > last[lane];
    now[lane] = now[lane] > last[lane] ? now[lane] : last[lane];
  }
  if (!grows) return;
  memcpy(m->epoch[m->count % KEPT], now, sizeof now);
  m->time[m->count++ % KEPT] = time;
}

void race_met_told(struct race_shadow *s, const struct warp *w, const struct op *op, uint32_t lanes,
                   enum order_strength strength, uint64_t time) {
  struct order_cluster *c = w->block->order->cluster;
  struct race_met *met = met_of(s, c);
  if (!met) return;
  const struct order_lanes threads = order_lanes_of(w);
  const uint32_t self = (order_agent_of(w, 0) - 1) / WARP_LANES;
  struct order_warp *own = order_warp_of(w);
  lone_lock_take(lock_of(s, c->cluster->index + 1));
  met->last = op;
  if (is_meant(threads, lanes, strength)) {
    met->teller = op;
    met->told_at = time;
    met->told_by = self;
  }
  EACH_LANE(lane, lanes) {
    const struct order_thread *t = order_lane(threads, lane);
    reach(&met->warp[self], time, t->epoch);
    if (t->base == own->told) continue;
    for (uint32_t warp = 0; warp < met->warps; warp++) {
      const uint32_t seen = seen_of_warp(t->base, warp); // its own, too: lanes that go apart met at barriers
      reach(&met->warp[warp], time, seen);
      if (warp != self) reach(by_others(met, warp), time, seen);
    }
    for (uint32_t b = 0; t->base && b < met->barriers && c->threads + 1 + b < t->base->count; b++)
      reach(&met->warp[met->warps + b], time, t->base->seen[c->threads + 1 + b]);
    for (uint32_t warp = 0; warp < met->copiers; warp++)
      reach(&met->warp[met->warps + met->barriers + warp], time, seen_of_copies(c, t->base, warp));
    clock_drop(own->told);
    own->told = clock_hold(t->base);
  }
  reach_lanes(s, met, w, lanes, time);
  lone_lock_give(lock_of(s, c->cluster->index + 1));
}

void race_met_name(struct race_note *note, const struct warp *w, uint32_t lanes) {
  const struct order_lanes threads = order_lanes_of(w);
  order_mark_dirty(w, lanes);
  note->warp = (order_agent_of(w, 0) - 1) / WARP_LANES + 1;
  note->epoch = UINT32_MAX;
  if (!threads.step) lanes &= 0 - lanes; // one view stands for all
  EACH_LANE(lane, lanes) {
    const uint32_t epoch = order_lane(threads, lane)->epoch;
    if (epoch < note->epoch) note->epoch = epoch;
  }
}

void race_met_name_load(struct race_note *note, const struct order_cluster *c,
                        const struct async_copy *load) {
  const struct mbarrier *m =
      load->destination_count == 1 ? mbarrier_find(load->destination[0], load->mbarrier_offset) : NULL;
  const uint32_t agent = m && m->order ? m->order->agent : NO_AGENT;
  if (agent <= c->threads || agent > c->threads + BARRIERS) return;
  note->warp = c->threads / WARP_LANES + (agent - c->threads);
  note->epoch = (uint32_t)m->phase + 1;
}

void race_met_name_cp_async(struct race_note *note, struct actor by, const struct async_copy *copy) {
  const struct order_cluster *c = by.w->block->order->cluster;
  const uint32_t barriers = c->launch->global_loads ? BARRIERS : 0;
  note->warp = c->threads / WARP_LANES + barriers + (order_agent_of(by.w, by.lane) - 1) / WARP_LANES + 1;
  note->epoch = (uint32_t)(uintptr_t)copy->order;
}

// The earliest kept step that covers the note is decisive; if an earlier one may be gone, it is.
static bool is_told(const struct met_warp *w, const struct race_note *n, uint64_t seen) {
  const uint32_t first = w->count > KEPT ? w->count - KEPT : 0;
  for (uint32_t i = first; i < w->count; i++) {
    if (w->epoch[i % KEPT] < n->epoch) continue;
    return (i == first && first > 0) || w->time[i % KEPT] < seen;
  }
  return false;
}

// The warp has been told of: by another one, or by a lane that had met this one?
static bool is_lane_told(struct race_met *met, const struct race_note *n, uint32_t lane, uint64_t seen) {
  const struct met_lanes *m = lane == RACE_NO_LANE ? NULL : met->lanes[n->warp - 1];
  if (!m || is_told(by_others(met, n->warp - 1), n, seen)) return true;
  const uint32_t first = m->count > KEPT ? m->count - KEPT : 0;
  for (uint32_t i = first; i < m->count; i++) {
    if (m->epoch[i % KEPT][lane] < n->epoch) continue;
    return (i == first && first > 0) || m->time[i % KEPT] < seen;
  }
  return false;
}

const struct op *race_met_untold(struct race_deed *a, const struct race_note *n) {
  if (!n->warp) return NULL;
  const uint32_t lane =
      a->place && !(n->flags & RACE_NOTE_ASYNC) ? race_note_lane(n, a->place) : RACE_NO_LANE;
  if (a->told.cluster == n->cluster && a->told.warp == n->warp && a->told.epoch == n->epoch &&
      a->told.lane == lane)
    return a->told.by;
  struct race_signals *signals = &a->shadow->signals[n->cluster - 1];
  struct race_met *met = atomic_load(&signals->met);
  const struct op *by = NULL;
  if (met && n->warp <= met->warps + met->barriers + met->copiers && !atomic_load(&signals->plain)) {
    lone_lock_take(lock_of(a->shadow, n->cluster));
    if (!is_told(&met->warp[n->warp - 1], n, a->cluster->race.seen) ||
        !is_lane_told(met, n, lane, a->cluster->race.seen))
      by = met->teller ? met->teller : met->last;
    lone_lock_give(lock_of(a->shadow, n->cluster));
  }
  a->told.cluster = n->cluster;
  a->told.warp = n->warp;
  a->told.epoch = n->epoch;
  a->told.lane = lane;
  a->told.by = by;
  return by;
}

const struct op *race_met_untold_of_copy(struct race_deed *a, const struct race_copy *copy) {
  const struct race_note end = {.cluster = copy->cluster, .warp = copy->warp, .epoch = copy->epoch};
  return race_is_of_other(a, &end) ? race_met_untold(a, &end) : NULL;
}

// The note is of a read that the own cluster let begin too early: it told the reader's from another warp than
// the one that writes now.
static const struct op *told_before_write(struct race_deed *a, const struct race_note *n) {
  struct race_met *met = atomic_load(&a->shadow->signals[a->note.cluster - 1].met);
  const struct op *by = NULL;
  if (!met || !a->note.warp || a->deed != DEED_WRITE) return NULL;
  if (atomic_load(&a->shadow->signals[a->note.cluster - 1].plain)) return NULL;
  lone_lock_take(lock_of(a->shadow, a->note.cluster));
  if (met->teller && met->told_at < n->time && met->told_at <= n->published &&
      met->told_by + 1 != a->note.warp)
    by = met->teller;
  lone_lock_give(lock_of(a->shadow, a->note.cluster));
  return by;
}

// The warp that did it, plus 1; of a load the note's own number.
static uint32_t warp_of(const struct race_deed *a, const struct race_met *met, const struct race_note *n) {
  const uint32_t copiers = met->warps + met->barriers;
  if (n->copy) return ((uint32_t)(race_copy_at(a->shadow, n->copy)->name >> 32) - 1) / WARP_LANES + 1;
  return met->copiers && n->warp > copiers ? n->warp - copiers : n->warp;
}

static const struct op *told_after_deed(struct race_deed *a, const struct race_note *n) {
  struct race_met *met = atomic_load(&a->shadow->signals[n->cluster - 1].met);
  const struct op *by = NULL;
  const uint32_t warp = met ? warp_of(a, met, n) : 0;
  if (!warp) return NULL;
  if (!race_is_later(a, n)) return race_met_untold(a, n);
  if (n->flags & RACE_NOTE_ASYNC && !n->copy && warp == n->warp) return NULL; // a load
  lone_lock_take(lock_of(a->shadow, n->cluster));
  if (met->teller && met->told_at < a->cluster->race.seen && met->told_at < n->time &&
      met->told_by + 1 != warp)
    by = met->teller;
  lone_lock_give(lock_of(a->shadow, n->cluster));
  return by;
}

const struct op *race_met_teller(struct race_deed *a, const struct race_note *n, bool read_first,
                                 bool *speaks_for_later) {
  *speaks_for_later = false;
  if (!race_is_of_other(a, n)) return NULL;
  const struct op *by = told_after_deed(a, n);
  if (by || !read_first) return by;
  *speaks_for_later = true;
  return told_before_write(a, n);
}
