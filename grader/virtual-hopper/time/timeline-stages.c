// In: moments of the model. Out: lanes of stages. One idea: a stage is the mbarrier that its loads complete,
// and what it holds follows from the moments in order: loaded, waited for, given back or stored from, loaded
// again. Which barrier gives it back is what the warp that loads it waits for before.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/time/timeline-build.h"

enum { ALONE_CYCLES = 64, LANES_FOR_WARPS = 8 }; // lanes that are left to warps

static int lane_find(const struct builder *b, bool is_stage, uint32_t place, uint32_t key) {
  for (uint32_t i = 0; i < b->t->lane_count; i++) {
    const struct timeline_lane *lane = &b->t->lanes[i];
    if (lane->is_stage == is_stage && lane->place == place && (is_stage ? lane->offset : lane->warp) == key)
      return (int)i;
  }
  return -1;
}

// ---- stages -----------------------------------------------------------------------------------------------

// The stage goes over into `state`.
static void stage_turn(struct builder *b, int lane, uint8_t state, double when) {
  struct stage *s = &b->stages[lane];
  if (s->since >= 0) {
    if (when < s->since) when = s->since;
    if (s->state == TIMELINE_LOADING) { // and nobody has looked since it landed
      const double landed = s->landed < when ? s->landed : when;
      timeline_add_span(b, (uint32_t)lane, TIMELINE_LOADING, s->since, landed, TIMELINE_NO_NOTE,
                        s->high - s->low);
      timeline_add_span(b, (uint32_t)lane, TIMELINE_FULL, landed, when, TIMELINE_NO_NOTE, 0);
    } else {
      timeline_add_span(b, (uint32_t)lane, s->state, s->since, when, TIMELINE_NO_NOTE, 0);
    }
  }
  s->state = state;
  s->since = when;
}

static void stage_load(struct builder *b, const struct time_moment *m) {
  const struct time_phase *phase = &m->sample->phases[m->event->a];
  const int lane = lane_find(b, true, m->place, phase->offset);
  if (lane < 0) return;
  struct stage *s = &b->stages[lane];
  const uint32_t end = m->event->place + m->event->b;
  if (s->state == TIMELINE_LOADING && s->since >= 0 && s->cluster == m->cluster && s->phase == m->event->a) {
    if (m->end > s->landed) s->landed = m->end; // another copy of the same turn
    if (m->event->place < s->low) s->low = m->event->place;
    if (end > s->high) s->high = end;
    return;
  }
  stage_turn(b, lane, TIMELINE_LOADING, m->begin);
  s->is_given = false;
  s->back_count = 0;
  s->cluster = m->cluster;
  s->phase = m->event->a;
  s->landed = m->end;
  s->low = m->event->place;
  s->high = end;
}

static void stage_pass(struct builder *b, const struct time_moment *m, uint32_t warp) {
  const struct time_phase *phase = &m->sample->phases[m->event->a];
  const int lane = phase->loads ? lane_find(b, true, m->place, phase->offset) : -1;
  if (lane < 0) return;
  struct stage *s = &b->stages[lane];
  if (s->cluster != m->cluster || s->phase != m->event->a) return;
  if (s->state == TIMELINE_LOADING) stage_turn(b, lane, TIMELINE_READING, m->end);
  if (s->state != TIMELINE_READING && (s->state != TIMELINE_EMPTY || s->is_given)) return;
  s->state = TIMELINE_READING; // also by one who comes later than others have gone
  b->reading[warp].lane = lane;
  b->reading[warp].since = m->end;
}

// The barrier that empties the stage whose loads complete the one at `offset`; 0: there is none.
static uint32_t back_of(const struct builder *b, uint32_t offset) {
  for (uint32_t i = 0; i < b->pair_count; i++)
    if (b->pairs[i].stage == offset) return b->pairs[i].back;
  return 0;
}

// The warp has come to its next arrival, wait or store: it reads its stage no longer, and if nobody else
// does, the stage is empty (or waits for its store, which shows when the store begins). A stage that a
// barrier gives back is read until that barrier's phase is over.
static void stage_done(struct builder *b, const struct time_moment *m, uint32_t first, uint32_t warp) {
  const int lane = b->reading[warp].lane;
  if (lane < 0 || back_of(b, b->t->lanes[lane].offset)) return;
  // Only one thread has waited, and tells the others: they read now, and it, too.
  const bool tells = m->event->kind == TIME_ARRIVE && m->event->flag;
  if (tells && m->begin < b->reading[warp].since + ALONE_CYCLES) return;
  b->reading[warp].lane = -1;
  for (uint32_t i = 0; i < b->launch->warps_per_block; i++)
    if (b->reading[first + i].lane == lane) return;
  if (b->stages[lane].state == TIMELINE_READING) stage_turn(b, lane, TIMELINE_EMPTY, m->begin);
}

// Cycles after `since` in which the warp of the moment waits for loads into other stages.
static double waits_since(const struct builder *b, const struct time_moment *m, uint32_t stage,
                          double since) {
  const double slack = 1000; // of the moments' order
  double sum = 0;
  for (const struct time_moment *i = m; i > b->moments && i->begin > since - slack; i--) {
    if (!i->event || i->place != m->place || i->warp != m->warp || i->cluster != m->cluster) continue;
    if (i->event->kind != TIME_WAIT || i->event->flag || i->begin < since) continue;
    const struct time_phase *phase = &i->sample->phases[i->event->a];
    if (phase->loads && phase->offset != stage) sum += i->end - i->begin;
  }
  return sum;
}

// In the window, of the chosen block: how long the stage was kept, and what for.
static void note_keeping(struct builder *b, const struct time_moment *m, uint32_t stage, double since) {
  struct timeline *t = b->t;
  if (m->place != b->life->place || m->begin < b->from || m->begin > b->to) return;
  const double all = (b->to - b->from) * (t->stages ? t->stages : 1);
  t->kept += (float)((m->begin - since) / all);
  t->kept_waiting += (float)(waits_since(b, m, stage, since) / all);
  timeline_note_place(&t->back, m->event->op);
}

// An arrival at a barrier that gives a stage back, of any block of the cluster.
static void stage_give_back(struct builder *b, const struct time_moment *m) {
  const struct time_phase *phase = &m->sample->phases[m->event->a];
  if (m->event->flag || phase->loads || phase->rank != 0) return;
  for (uint32_t i = 0; i < b->pair_count; i++) {
    const int lane = b->pairs[i].back == phase->offset ? lane_find(b, true, m->place, b->pairs[i].stage) : -1;
    if (lane < 0) continue;
    struct stage *s = &b->stages[lane];
    if (s->cluster != m->cluster || s->since < 0) continue;
    if (s->back_phase != m->event->a) s->back_count = 0;
    s->back_phase = m->event->a;
    s->back_count += m->event->b;
    if (s->back_count < phase->needs || s->state == TIMELINE_EMPTY) continue;
    if (s->state == TIMELINE_READING) note_keeping(b, m, b->pairs[i].stage, s->since);
    stage_turn(b, lane, TIMELINE_EMPTY, m->begin);
    s->is_given = true;
  }
}

// A warp of the block goes on to another stage. What nobody has given back may be read again.
static void stage_keep(struct builder *b, const struct time_moment *m) {
  const struct time_phase *phase = &m->sample->phases[m->event->a];
  if (m->event->flag || !phase->loads) return;
  for (uint32_t i = 0; i < b->t->lane_count; i++) {
    const struct timeline_lane *lane = &b->t->lanes[i];
    struct stage *s = &b->stages[i];
    const bool other = lane->is_stage && lane->place == m->place && lane->offset != phase->offset;
    if (other && s->since >= 0 && s->cluster == m->cluster && s->state == TIMELINE_EMPTY && !s->is_given)
      s->state = TIMELINE_KEPT;
  }
}

static int stage_of_store(const struct builder *b, const struct time_moment *m) {
  for (uint32_t i = 0; i < b->t->lane_count; i++) {
    const struct stage *s = &b->stages[i];
    if (b->t->lanes[i].is_stage && b->t->lanes[i].place == m->place && s->since >= 0 &&
        m->event->place >= s->low && m->event->place < s->high)
      return (int)i;
  }
  return lane_find(b, true, m->place, m->event->place); // a buffer that is only stored from
}

static void stage_store(struct builder *b, const struct time_moment *m) {
  const int lane = stage_of_store(b, m);
  if (lane < 0) return;
  struct stage *s = &b->stages[lane];
  // What looked empty since the last arrival was on its way to the store.
  const bool seemed = s->state == TIMELINE_EMPTY || s->state == TIMELINE_KEPT;
  if (seemed && !s->is_given && s->since >= 0 && s->cluster == m->cluster) s->state = TIMELINE_READING;
  stage_turn(b, lane, TIMELINE_STORING, m->begin);
  s->cluster = m->cluster;
  stage_turn(b, lane, TIMELINE_EMPTY, m->read);
  s->is_given = true;
}

// ---- lanes of stages --------------------------------------------------------------------------------------

static void name_stage(const struct builder *b, struct timeline_lane *lane, bool is_loaded) {
  char text[160], name[160], fitting[57];
  if (is_loaded)
    shared_name_barrier(b->l, lane->offset, text, sizeof text);
  else
    shared_name_place(b->l, lane->offset, text, sizeof text);
  timeline_short_name(text, name, sizeof name);
  timeline_shorten(name, fitting, sizeof fitting);
  if (b->t->stages < 2 && is_loaded)
    snprintf(lane->name, sizeof lane->name, "block in place %u", lane->place);
  else
    snprintf(lane->name, sizeof lane->name, "%s %s", is_loaded ? "stage" : "buffer", fitting);
}

static uint32_t lane_order(const struct timeline_lane *lane, bool one_stage) {
  return one_stage ? lane->place : lane->offset;
}

// Stages of the chosen block first, by offset; of other blocks for a trace, or, if each has but one, for the
// picture, too.
static void add_stage_lane(struct builder *b, uint32_t place, uint32_t offset, bool is_loaded) {
  struct timeline *t = b->t;
  if (lane_find(b, true, place, offset) >= 0 || t->lane_count >= TIMELINE_LANES - LANES_FOR_WARPS) return;
  const bool one_stage = t->stages < 2;
  struct timeline_lane lane = {.is_stage = true, .place = place, .offset = offset};
  lane.is_shown = place == b->life->place || (one_stage && place < TIMELINE_MOST_PLACES);
  name_stage(b, &lane, is_loaded);
  uint32_t at = (uint32_t)t->lane_count;
  if (timeline_add_lane(b, lane) < 0) return;
  for (; at > 0 && t->lanes[at - 1].is_shown == lane.is_shown &&
         lane_order(&t->lanes[at - 1], one_stage) > lane_order(&lane, one_stage);
       at--)
    t->lanes[at] = t->lanes[at - 1];
  t->lanes[at] = lane;
}

static void add_loaded(struct builder *b) {
  for (int chosen = 1; chosen >= 0; chosen--)
    for (uint32_t i = 0; i < b->count; i++) {
      const struct time_moment *m = &b->moments[i];
      if ((m->place == b->life->place) != chosen || !timeline_comes_to_first_block(m)) continue;
      add_stage_lane(b, m->place, m->sample->phases[m->event->a].offset, true);
    }
}

static void pair(struct builder *b, uint32_t stage, uint32_t back) {
  if (!back || back_of(b, stage) || b->pair_count == TIMELINE_LANES) return;
  b->pairs[b->pair_count].stage = stage;
  b->pairs[b->pair_count++].back = back;
}

// Of each stage the barrier that a warp has waited for just before it has loaded it.
static void find_pairs(struct builder *b) {
  const struct time_cluster *c = b->life->sample;
  for (uint32_t w = 0; w < b->launch->warps_per_block; w++) {
    uint32_t back = 0, stage = 0; // stage: the one loaded since the wait for `back`; 0: none yet
    for (uint32_t i = 0; i < c->warps[w].count; i++) {
      const struct time_event *e = &c->warps[w].events[i];
      const bool waits = e->kind == TIME_WAIT && !e->flag && !c->phases[e->a].loads;
      if (waits) back = c->phases[e->a].offset, stage = 0;
      if (e->kind != TIME_COPY_IN || c->phases[e->a].rank != 0) continue;
      if (stage && stage != c->phases[e->a].offset) back = 0;
      stage = c->phases[e->a].offset;
      pair(b, stage, back);
    }
  }
}

// Whether a load of the block, at any time of its life, has filled the place that is stored from.
static bool is_loaded_place(const struct builder *b, const struct time_moment *store) {
  for (uint32_t w = 0; w < b->launch->warps_per_block; w++) {
    const struct time_warp *warp = &store->sample->warps[w];
    for (uint32_t i = 0; i < warp->count; i++) {
      const struct time_event *e = &warp->events[i];
      if (e->kind == TIME_COPY_IN && store->event->place >= e->place && store->event->place < e->place + e->b)
        return true;
    }
  }
  return false;
}

static void add_stored_buffers(struct builder *b) {
  uint32_t known[8], count = 0;
  for (uint32_t i = 0; i < b->count && count < 8; i++) {
    const struct time_moment *m = &b->moments[i];
    if (!timeline_of_first_block(b, m) || m->place != b->life->place || m->event->kind != TIME_COPY_OUT)
      continue;
    uint32_t k = 0;
    while (k < count && known[k] != m->event->place)
      k++;
    if (k < count) continue;
    known[count++] = m->event->place;
    if (!is_loaded_place(b, m)) add_stage_lane(b, m->place, m->event->place, false);
  }
}

static void fill_stage(struct builder *b, const struct time_moment *m) {
  const uint32_t first = m->place * b->launch->warps_per_block, warp = first + m->warp;
  switch (m->event->kind) {
  case TIME_COPY_OUT:
    stage_done(b, m, first, warp);
    stage_store(b, m);
    break;
  case TIME_WAIT:
    stage_done(b, m, first, warp);
    stage_keep(b, m);
    stage_pass(b, m, warp);
    break;
  case TIME_ARRIVE: stage_done(b, m, first, warp); break;
  default: break;
  }
}

void timeline_add_stages(struct builder *b) {
  add_loaded(b);
  add_stored_buffers(b);
  find_pairs(b);
  for (uint32_t i = 0; i < b->count; i++) {
    const struct time_moment *m = &b->moments[i];
    if (timeline_comes_to_first_block(m)) stage_load(b, m);
    if (timeline_of_first_block(b, m)) fill_stage(b, m);
    if (m->event && m->event->kind == TIME_ARRIVE) stage_give_back(b, m);
  }
  for (uint32_t i = 0; i < b->t->lane_count; i++)
    if (b->t->lanes[i].is_stage) stage_turn(b, (int)i, TIMELINE_EMPTY, b->to);
}
