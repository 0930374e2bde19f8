// Rings of barriers, as a warp goes round them. In: waits and arrivals. Out: what is no mistake in itself,
// but the cause of others: a warp that begins the ring anew, with the stage and the parity of its very first
// turn; a thread that arrives again and has waited for nothing since. The idea: whoever reads of a hang, or
// of a tile that is overwritten, needs the line that led there, and that line is one of a turn before.
#include <stdlib.h>

#include "virtual-hopper/ptx/ptx.h"

#include "virtual-hopper/order/internal.h"

enum { RING_WALKS = 2 }; // of a warp: lines in which it waits, those that it came to last

// Copies of a loop's body stand in one line, and are called from one line.
static bool same_place(const struct op *a, const struct op *b) {
  if (a == b) return true;
  if (!a->module || a->module != b->module || !a->source || !b->source) return false;
  const struct ptx_location *all = a->module->locations;
  int32_t i = a->source->location, k = b->source->location;
  while (i >= 0 && k >= 0 && all[i].file == all[k].file && all[i].line == all[k].line) {
    i = all[i].inlined_at;
    k = all[k].inlined_at;
  }
  return i < 0 && k < 0;
}

// The walk of these lanes in that line; a new one takes the place of the older one.
static struct ring_walk *walk_of(struct warp *w, const struct op *op, uint32_t lanes) {
  struct order_warp *warp = order_warp_of(w);
  if (!warp->rings) warp->rings = calloc(RING_WALKS, sizeof *warp->rings);
  if (!warp->rings) die("out of memory for the order engine");
  struct ring_walk *oldest = warp->rings;
  warp->ring_clock++;
  for (struct ring_walk *r = warp->rings; r < warp->rings + RING_WALKS; r++) {
    if (r->op && r->lanes == lanes && same_place(r->op, op)) {
      r->used = warp->ring_clock;
      return r;
    }
    if (r->used < oldest->used) oldest = r;
  }
  *oldest = (struct ring_walk){.op = op, .lanes = lanes, .used = warp->ring_clock};
  return oldest;
}

static struct ring_visit *visit_of(struct ring_walk *walk, uint32_t agent) {
  for (uint32_t i = 0; i < walk->known; i++)
    if (walk->visit[i].agent == agent) return &walk->visit[i];
  return NULL;
}

// It comes to the barrier where it began, and asks as at first: that is the next round of the ring only if
// the parity has flipped since the last time, and the barrier before was the ring's last one.
static bool begins_anew(const struct ring_walk *walk, const struct ring_visit *before, bool parity) {
  return walk->known > 1 && before->agent == walk->visit[0].agent && parity == walk->first_parity &&
         (walk->last != before->agent || before->parity != parity) &&
         (before->parity == parity || (walk->last_of_ring && walk->last != walk->last_of_ring));
}

static void note_visit(struct ring_walk *walk, struct ring_visit *before, uint32_t agent, bool parity,
                       uint32_t wanted) {
  if (!before && walk->known == MOST_RING) { // no ring that can be followed
    *walk = (struct ring_walk){.op = walk->op, .lanes = walk->lanes, .used = walk->used, .known = MOST_RING};
    return;
  }
  if (before && begins_anew(walk, before, parity)) {
    walk->anew_at = walk->count;
  } else if (before && before->agent == walk->visit[0].agent && walk->last != agent) {
    walk->last_of_ring = walk->last;
  }
  if (!before) {
    before = &walk->visit[walk->known++];
    if (walk->known == 1) walk->first_parity = parity;
  }
  walk->asked = walk->asked << 1 | parity;
  walk->flips = walk->flips || parity != walk->first_parity;
  *before = (struct ring_visit){agent, wanted, walk->count++, parity};
  walk->last = agent;
}

static void report_anew(struct block *b, const struct ring_clue *clue, uint32_t agent) {
  struct order_cluster *c = b->cluster->order;
  struct conflict k = {.facts = {.kind = CONFLICT_RING_BEGUN_ANEW,
                                 .earlier = DEED_NONE,
                                 .later = DEED_WAIT,
                                 .ring = {clue->waits, clue->parity, clue->first_parity, clue->flips,
                                          clue->refused, clue->count, clue->known, clue->asked}},
                       .later = {clue->op, b, clue->thread}};
  order_name_barrier(c, agent, k.facts.barrier);
  order_name_barrier(c, clue->first, k.facts.other_barrier);
  order_report_if_explained(c->launch, &k);
}

void order_ring_wait(struct warp *w, const struct op *op, uint32_t lanes, struct mbarrier *m, uint32_t wanted,
                     bool refused) {
  struct order_mbarrier *o = m->order;
  struct ring_walk *walk = walk_of(w, op, lanes);
  const bool parity = !(wanted & 1);
  struct ring_visit *before = visit_of(walk, o->agent);
  if (walk->known == MOST_RING && !before) return;
  if (walk->count > 0 && walk->last == o->agent && before && walk->refused) { // it asks once more
    walk->refused = refused;
    return;
  }
  const struct ring_visit last = before ? *before : (struct ring_visit){0};
  note_visit(walk, before, o->agent, parity, wanted);
  walk->refused = refused;
  if (!before || last.parity != parity || !walk->anew_at || walk->anew_at <= last.number) return;
  const struct ring_clue clue = {.op = op,
                                 .thread = warp_thread(w, (uint32_t)__builtin_ctz(lanes)),
                                 .waits = walk->anew_at,
                                 .first = walk->visit[0].agent,
                                 .parity = parity,
                                 .first_parity = walk->first_parity,
                                 .flips = walk->flips,
                                 .refused = refused,
                                 .asked = walk->asked,
                                 .count = walk->count,
                                 .known = walk->known};
  // A phase that nobody has seen is left out; or a phase that is over is asked for, and another one comes.
  if (refused && wanted == last.wanted + 2 && !m->observed)
    report_anew(w->block, &clue, o->agent);
  else if (!refused && wanted == last.wanted && m->arrivals > 0)
    report_anew(w->block, &clue, o->agent);
  else if (!refused && wanted == last.wanted)
    o->anew = clue;
}

void order_ring_arrive(struct actor by, struct block *owner, struct mbarrier *m) {
  struct order_mbarrier *o = m->order;
  const uint32_t news = order_warp_of(by.w)->news, lane = 1u << by.lane;
  if (o->anew.op) {
    report_anew(owner, &o->anew, o->agent);
    o->anew.op = NULL;
  }
  // Whoever loads without a wait is told of the load that comes too early.
  if (owner != by.w->block || o->load.epoch > 0 || m->last_expect_by) return;
  struct ring_arrivals *a = &o->arrived[by.w->index];
  // Two lines that arrive are told as those.
  if (a->lanes && a->news == news && (a->lanes & lane) && a->phase < (uint32_t)m->phase &&
      same_place(a->op, by.op)) {
    struct conflict k = {.facts = {.kind = CONFLICT_ARRIVES_UNAWAITED,
                                   .earlier = DEED_NONE,
                                   .later = DEED_BARRIER_USE,
                                   .arrival_phases = {a->phase, (uint32_t)m->phase}},
                         .later = order_actor_deed(by)};
    order_name_barrier(owner->cluster->order, o->agent, k.facts.barrier);
    order_report_if_explained(owner->launch->order, &k);
  }
  if (a->news != news || a->phase != (uint32_t)m->phase) a->lanes = 0;
  *a = (struct ring_arrivals){news, (uint32_t)m->phase, a->lanes | lane, by.op};
}
