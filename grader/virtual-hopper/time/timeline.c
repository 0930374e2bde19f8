// In: a launch's record. Out: a timeline. One idea: the model's moments say when copies and waits began and
// ended; a stage is the mbarrier that its loads complete, and what it holds follows from the moments in
// order: loaded, waited for, given back or stored from, loaded again.
#include "virtual-hopper/time/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/time/predict.h"
#include "virtual-hopper/time/replay.h"
#include "virtual-hopper/time/timeline-marks.h"

enum { MOST_MOMENTS = 200000, LEAST_TURNS = 6, MOST_TURNS = 24, ROUNDS_SHOWN = 3, MOST_PLACES = 12 };
enum { ALONE_CYCLES = 64, PLAIN_CYCLES = 8000, QUARTERS_OF_SLOT = 4, CYCLES_OF_LOADING = 100 };
enum { LOADS = 1, STORES = 2, AWAITS_LOADS = 4, GIVES_BACK = 8, READS_MEMORY = 16, DEEDS = 31, NAMES = 24 };

struct stage {  // what a lane of a stage holds now
  double since; // the state's begin; < 0: not known
  uint8_t state;
  uint32_t cluster, phase, low, high; // [low, high) of shared memory
  double landed;
};

struct builder {
  const struct launch *l;
  const struct time_launch *launch;
  const struct chip *chip;
  struct time_moment *moments;
  uint32_t count;
  const struct time_moment *life; // of the chosen block
  double from, to;                // the window, cycles
  struct timeline *t;
  struct stage stages[TIMELINE_LANES];
  uint32_t last_span[TIMELINE_LANES]; // of each lane
  struct {
    int lane; // of the stage that this warp reads; -1: none
    double since;
  } * reading; // [places][warps]
};

// ---- notes ------------------------------------------------------------------------------------------------

static void name_wait(const struct builder *b, const struct time_moment *m, char *text, size_t size) {
  const struct time_event *e = m->event;
  if (e->kind == TIME_WAIT && !e->flag)
    shared_name_barrier(b->l, m->sample->phases[e->a].offset, text, size);
  else if (e->kind == TIME_WAIT)
    snprintf(text, size, "the other threads");
  else if (e->kind == TIME_WAIT_STORES)
    snprintf(text, size, e->flag ? "its stores to have read" : "its stores to have written");
  else if (e->kind == TIME_FENCE)
    snprintf(text, size, "other blocks to see what it did");
  else if (e->kind == TIME_SLEEP)
    snprintf(text, size, "the end of its sleep");
  else
    snprintf(text, size, "an answer of global memory");
}

static uint8_t note_of(struct builder *b, const struct time_moment *m) {
  struct timeline_note note = {.line = 0};
  const struct op *op = m->event->op;
  name_wait(b, m, note.what, sizeof note.what);
  if (op && op->source) {
    struct fault_place place = {.file = ""};
    fault_place_from_location(&place, op->module, op->source->location, op->source->text,
                              op->source->ptx_line);
    snprintf(note.file, sizeof note.file, "%.95s", place.file);
    note.line = place.line;
  }
  struct timeline *t = b->t;
  for (uint32_t i = 0; i < t->note_count; i++)
    if (t->notes[i].line == note.line && strcmp(t->notes[i].what, note.what) == 0 &&
        strcmp(t->notes[i].file, note.file) == 0)
      return (uint8_t)i;
  if (t->note_count == TIMELINE_NOTES) return TIMELINE_NO_NOTE;
  t->notes[t->note_count] = note;
  return (uint8_t)t->note_count++;
}

// ---- spans ------------------------------------------------------------------------------------------------

static void add_span(struct builder *b, uint32_t lane, uint8_t state, double begin, double end, uint8_t note,
                     uint32_t bytes) {
  struct timeline *t = b->t;
  if (begin < b->from) begin = b->from;
  if (end > b->to) end = b->to;
  if (!(end > begin) || t->span_count == TIMELINE_SPANS) return;
  t->lanes[lane].share[state] += (float)((end - begin) / (b->to - b->from));
  const struct timeline_span span = {.begin = (float)chip_nanoseconds(b->chip, begin - b->from),
                                     .end = (float)chip_nanoseconds(b->chip, end - b->from),
                                     .lane = (uint16_t)lane,
                                     .state = state,
                                     .note = note,
                                     .bytes = bytes};
  struct timeline_span *last = t->span_count ? &t->spans[b->last_span[lane]] : NULL;
  if (last && last->lane == lane && last->state == state && last->note == note && last->end >= span.begin) {
    last->end = span.end;
    return;
  }
  b->last_span[lane] = t->span_count;
  t->spans[t->span_count++] = span;
}

static int lane_find(const struct builder *b, bool is_stage, uint32_t place, uint32_t key) {
  for (uint32_t i = 0; i < b->t->lane_count; i++) {
    const struct timeline_lane *lane = &b->t->lanes[i];
    if (lane->is_stage == is_stage && lane->place == place && (is_stage ? lane->offset : lane->warp) == key)
      return (int)i;
  }
  return -1;
}

static int lane_add(struct builder *b, struct timeline_lane lane) {
  struct timeline *t = b->t;
  if (t->lane_count == TIMELINE_LANES) return -1;
  b->stages[t->lane_count] = (struct stage){.since = -1};
  t->lanes[t->lane_count] = lane;
  return (int)t->lane_count++;
}

// ---- stages -----------------------------------------------------------------------------------------------

// The stage goes over into `state`.
static void stage_turn(struct builder *b, int lane, uint8_t state, double when) {
  struct stage *s = &b->stages[lane];
  if (s->since >= 0) {
    if (when < s->since) when = s->since;
    if (s->state == TIMELINE_LOADING) { // and nobody has looked since it landed
      const double landed = s->landed < when ? s->landed : when;
      add_span(b, (uint32_t)lane, TIMELINE_LOADING, s->since, landed, TIMELINE_NO_NOTE, s->high - s->low);
      add_span(b, (uint32_t)lane, TIMELINE_FULL, landed, when, TIMELINE_NO_NOTE, 0);
    } else {
      add_span(b, (uint32_t)lane, s->state, s->since, when, TIMELINE_NO_NOTE, 0);
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
  if (s->state != TIMELINE_READING && s->state != TIMELINE_EMPTY) return;
  s->state = TIMELINE_READING; // also by one who comes later than others have gone
  b->reading[warp].lane = lane;
  b->reading[warp].since = m->end;
}

// The warp has come to its next arrival, wait or store: it reads its stage no longer, and if nobody else
// does, the stage is empty (or waits for its store, which shows when the store begins).
static void stage_done(struct builder *b, const struct time_moment *m, uint32_t first, uint32_t warp) {
  const int lane = b->reading[warp].lane;
  if (lane < 0) return;
  // Only one thread has waited, and tells the others: they read now, and it, too.
  const bool tells = m->event->kind == TIME_ARRIVE && m->event->flag;
  if (tells && m->begin < b->reading[warp].since + ALONE_CYCLES) return;
  b->reading[warp].lane = -1;
  for (uint32_t i = 0; i < b->launch->warps_per_block; i++)
    if (b->reading[first + i].lane == lane) return;
  if (b->stages[lane].state == TIMELINE_READING) stage_turn(b, lane, TIMELINE_EMPTY, m->begin);
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
  if (s->state == TIMELINE_EMPTY && s->since >= 0 && s->cluster == m->cluster) s->state = TIMELINE_READING;
  stage_turn(b, lane, TIMELINE_STORING, m->begin);
  s->cluster = m->cluster;
  stage_turn(b, lane, TIMELINE_EMPTY, m->read);
}

// ---- warps ------------------------------------------------------------------------------------------------

static uint8_t wait_state(const struct time_moment *m) {
  const struct time_event *e = m->event;
  if (e->kind == TIME_WAIT_STORES) return TIMELINE_AWAITS_STORE;
  if (e->kind == TIME_USE) return TIMELINE_AWAITS_MEMORY;
  if (e->kind == TIME_FENCE) return TIMELINE_AWAITS_FENCE;
  if (e->kind == TIME_SLEEP) return TIMELINE_SLEEPS;
  if (e->flag) return TIMELINE_AWAITS_THREADS;
  return m->sample->phases[e->a].loads ? TIMELINE_AWAITS_LOAD : TIMELINE_AWAITS_STAGE;
}

static const struct time_moment *life_of(const struct builder *b, uint32_t cluster) {
  for (uint32_t i = 0; i < b->count; i++)
    if (!b->moments[i].event && b->moments[i].cluster == cluster) return &b->moments[i];
  return NULL;
}

// Whether a warp without a moment in the window works there; or else it has ended long ago.
static bool works_on(const struct builder *b, uint32_t warp) {
  const double slots = (double)b->life->sample->warps[warp].all_slots / QUARTERS_OF_SLOT, least = 0.04;
  return slots > least * (b->life->end - b->life->begin);
}

// Waits of one warp, and work between them.
static void fill_warp(struct builder *b, uint32_t lane) {
  const struct timeline_lane *of = &b->t->lanes[lane];
  uint32_t cluster = UINT32_MAX;
  double last = -1, ends = -1;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct time_moment *m = &b->moments[i];
    if (!m->event || m->place != of->place || m->warp != of->warp) continue;
    if (m->cluster != cluster) {
      if (ends >= 0) add_span(b, lane, TIMELINE_WORKS, last, ends, TIMELINE_NO_NOTE, 0);
      const struct time_moment *life = life_of(b, m->cluster);
      cluster = m->cluster;
      last = life ? life->begin : m->begin;
      ends = life ? life->end : m->end;
    }
    if (!time_waits(m->event)) continue;
    if (!(m->end > m->begin)) continue;
    add_span(b, lane, TIMELINE_WORKS, last, m->begin, TIMELINE_NO_NOTE, 0);
    if (m->end > b->from && m->begin < b->to)
      add_span(b, lane, wait_state(m), m->begin, m->end, note_of(b, m), 0);
    last = m->end;
  }
  if (ends >= 0) add_span(b, lane, TIMELINE_WORKS, last, ends, TIMELINE_NO_NOTE, 0);
  if (ends < 0 && of->place == b->life->place && works_on(b, of->warp))
    add_span(b, lane, TIMELINE_WORKS, b->life->begin, b->life->end, TIMELINE_NO_NOTE, 0);
}

static uint32_t role_of(const struct time_cluster *c, uint32_t warp) {
  const struct time_warp *w = &c->warps[warp];
  uint32_t role = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    const struct time_event *e = &w->events[i];
    if (e->kind == TIME_COPY_IN) role |= LOADS;
    if (e->kind == TIME_COPY_OUT) role |= STORES;
    if (e->kind == TIME_LOAD) role |= READS_MEMORY;
    if (e->kind == TIME_WAIT && c->phases[e->a].loads) role |= AWAITS_LOADS;
    if (e->kind == TIME_ARRIVE && !e->flag && !c->phases[e->a].loads) role |= GIVES_BACK;
    if (e->kind == TIME_MARK) role |= (DEEDS + 1U) << e->op->source->ptx_line % NAMES; // has its own ranges
  }
  return role;
}

static void name_warp(char *name, size_t size, uint32_t warp, uint32_t alike, uint32_t role) {
  const char *loads = role & LOADS ? " loads," : "", *stores = role & STORES ? " stores," : "";
  const char *computes = role & (AWAITS_LOADS | READS_MEMORY) || !(role & DEEDS) ? " computes," : "";
  if (alike > 1)
    snprintf(name, size, "warp %u:%s%s%s %u alike", warp, loads, computes, stores, alike);
  else
    snprintf(name, size, "warp %u:%s%s%s", warp, loads, computes, stores);
  const size_t length = strlen(name);
  if (name[length - 1] == ',') name[length - 1] = '\0';
}

static void count_deeds(struct timeline_lane *lane, const struct time_warp *w) {
  uint64_t copies = 0, bytes = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    if (w->events[i].kind != TIME_COPY_IN || w->events[i].flag) continue;
    copies++, bytes += w->events[i].b;
  }
  lane->threads = w->all_slots ? (float)w->lane_slots / (float)w->all_slots : 0;
  const bool loads_most = copies && w->all_slots / QUARTERS_OF_SLOT / copies < CYCLES_OF_LOADING;
  lane->instructions = copies ? (uint32_t)(w->all_slots / QUARTERS_OF_SLOT / copies) : 0;
  lane->copies = loads_most ? (uint32_t)(bytes / copies) : 0;
}

// Keeps the warp if it waits for loads less than all before it.
static void note_reader(struct timeline *t, const struct timeline_lane *lane) {
  static const uint8_t others[] = {TIMELINE_WORKS,        TIMELINE_AWAITS_STAGE, TIMELINE_AWAITS_THREADS,
                                   TIMELINE_AWAITS_STORE, TIMELINE_SLEEPS,       TIMELINE_AWAITS_MEMORY,
                                   TIMELINE_AWAITS_FENCE};
  const float waits = lane->share[TIMELINE_AWAITS_LOAD];
  if (t->reader_state != TIMELINE_STATES && waits >= t->reader_waits) return;
  t->reader = lane->warp;
  t->reader_waits = waits;
  t->reader_state = TIMELINE_WORKS;
  for (size_t i = 0; i < sizeof others; i++)
    if (lane->share[others[i]] > lane->share[t->reader_state]) t->reader_state = others[i];
  t->reader_share = lane->share[t->reader_state];
}

// The busiest warp, and the reader that waits least. Each warp takes a lane beyond the others for a moment.
static void look_at_warps(struct builder *b) {
  struct timeline *t = b->t;
  t->reader_state = TIMELINE_STATES;
  if (t->lane_count == TIMELINE_LANES) return;
  for (uint32_t i = 0; i < b->launch->warps_per_block; i++) {
    const uint32_t spans = t->span_count;
    struct timeline_lane *lane = &t->lanes[t->lane_count];
    *lane = (struct timeline_lane){.place = b->life->place, .warp = i};
    count_deeds(lane, &b->life->sample->warps[i]);
    fill_warp(b, t->lane_count);
    t->span_count = spans;
    if (role_of(b->life->sample, i) & AWAITS_LOADS) note_reader(t, lane);
    if (!(lane->share[TIMELINE_WORKS] > t->busiest_works)) continue;
    t->busiest = i;
    t->busiest_works = lane->share[TIMELINE_WORKS];
    t->busiest_threads = lane->threads;
  }
}

// A lane for the first warp of each role.
static void add_warps(struct builder *b) {
  const struct time_cluster *c = b->life->sample;
  uint32_t roles[BLOCK_MAX_WARPS], warps = b->launch->warps_per_block, with_role = 0, all = 0;
  for (uint32_t i = 0; i < warps; i++) {
    with_role += (roles[i] = role_of(c, i)) != 0;
    all |= roles[i];
  }
  for (uint32_t i = 0; i < warps; i++) {
    uint32_t alike = 0, before = 0;
    for (uint32_t k = 0; k < warps; k++) {
      alike += roles[k] == roles[i];
      before += k < i && roles[k] == roles[i];
    }
    if (before || (!roles[i] && with_role)) continue;
    struct timeline_lane lane = {.place = b->life->place, .warp = i, .is_shown = true};
    lane.loads = (roles[i] & (all & LOADS ? LOADS : READS_MEMORY)) != 0;
    lane.only_loads = (roles[i] & DEEDS) == LOADS;
    name_warp(lane.name, sizeof lane.name, i, alike, roles[i]);
    count_deeds(&lane, &c->warps[i]);
    const int at = lane_add(b, lane);
    if (at < 0) continue;
    fill_warp(b, (uint32_t)at);
    timeline_mark_warp(b->t, (uint32_t)at, b->chip, b->moments, b->count, b->from);
  }
}

// ---- lanes of stages --------------------------------------------------------------------------------------

static void name_stage(const struct builder *b, struct timeline_lane *lane, bool is_loaded) {
  char text[96], name[96];
  if (is_loaded)
    shared_name_barrier(b->l, lane->offset, text, sizeof text);
  else
    shared_name_place(b->l, lane->offset, text, sizeof text);
  timeline_short_name(text, name, sizeof name);
  if (b->t->stages < 2 && is_loaded)
    snprintf(lane->name, sizeof lane->name, "block in place %u", lane->place);
  else
    snprintf(lane->name, sizeof lane->name, "%s %.56s", is_loaded ? "stage" : "buffer", name);
}

static uint32_t lane_order(const struct timeline_lane *lane, bool one_stage) {
  return one_stage ? lane->place : lane->offset;
}

// Stages of the chosen block first, by offset; of other blocks for a trace, or, if each has but one, for the
// picture, too.
static void add_stage_lane(struct builder *b, uint32_t place, uint32_t offset, bool is_loaded) {
  struct timeline *t = b->t;
  if (lane_find(b, true, place, offset) >= 0 || t->lane_count >= TIMELINE_LANES - 8) return;
  const bool one_stage = t->stages < 2;
  struct timeline_lane lane = {.is_stage = true, .place = place, .offset = offset};
  lane.is_shown = place == b->life->place || (one_stage && place < MOST_PLACES);
  name_stage(b, &lane, is_loaded);
  uint32_t at = (uint32_t)t->lane_count;
  if (lane_add(b, lane) < 0) return;
  for (; at > 0 && t->lanes[at - 1].is_shown == lane.is_shown &&
         lane_order(&t->lanes[at - 1], one_stage) > lane_order(&lane, one_stage);
       at--)
    t->lanes[at] = t->lanes[at - 1];
  t->lanes[at] = lane;
}

static bool of_first_block(const struct builder *b, const struct time_moment *m) {
  return m->event && m->warp < b->launch->warps_per_block;
}

static void add_stages(struct builder *b) {
  for (int chosen = 1; chosen >= 0; chosen--)
    for (uint32_t i = 0; i < b->count; i++) {
      const struct time_moment *m = &b->moments[i];
      if (!of_first_block(b, m) || (m->place == b->life->place) != chosen) continue;
      if (m->event->kind == TIME_COPY_IN)
        add_stage_lane(b, m->place, m->sample->phases[m->event->a].offset, true);
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
    if (!of_first_block(b, m) || m->place != b->life->place || m->event->kind != TIME_COPY_OUT) continue;
    uint32_t k = 0;
    while (k < count && known[k] != m->event->place)
      k++;
    if (k < count) continue;
    known[count++] = m->event->place;
    if (!is_loaded_place(b, m)) add_stage_lane(b, m->place, m->event->place, false);
  }
}

static void fill_stages(struct builder *b) {
  const uint32_t warps = b->launch->warps_per_block;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct time_moment *m = &b->moments[i];
    if (!of_first_block(b, m)) continue;
    const uint32_t first = m->place * warps, warp = first + m->warp;
    switch (m->event->kind) {
    case TIME_COPY_IN: stage_load(b, m); break;
    case TIME_COPY_OUT:
      stage_done(b, m, first, warp);
      stage_store(b, m);
      break;
    case TIME_WAIT:
      stage_done(b, m, first, warp);
      stage_pass(b, m, warp);
      break;
    case TIME_ARRIVE: stage_done(b, m, first, warp); break;
    default: break;
    }
  }
  for (uint32_t i = 0; i < b->t->lane_count; i++)
    if (b->t->lanes[i].is_stage) stage_turn(b, (int)i, TIMELINE_EMPTY, b->to);
}

// ---- the window -------------------------------------------------------------------------------------------

static uint32_t count_stages(const struct builder *b) {
  uint32_t offsets[TIMELINE_LANES], count = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct time_moment *m = &b->moments[i];
    if (!of_first_block(b, m) || m->cluster != b->life->cluster || m->event->kind != TIME_COPY_IN) continue;
    const uint32_t offset = m->sample->phases[m->event->a].offset;
    uint32_t k = 0;
    while (k < count && offsets[k] != offset)
      k++;
    if (k == count && count < TIMELINE_LANES) offsets[count++] = offset;
  }
  return count;
}

static const struct time_moment *choose_block(const struct builder *b, double when) {
  const struct time_moment *best = NULL;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct time_moment *m = &b->moments[i];
    if (m->event || m->begin > when || m->end < when) continue;
    if (!best || m->begin > best->begin) best = m; // the youngest: most of its life is still to come
  }
  return best;
}

// From `when` until the block has gone round its ring a few times.
static void choose_window(struct builder *b, double when) {
  const struct time_moment *life = b->life;
  const double length = life->end - life->begin;
  uint32_t wanted = ROUNDS_SHOWN * b->t->stages, turns = 0, phase = UINT32_MAX, all = 0;
  if (wanted < LEAST_TURNS) wanted = LEAST_TURNS;
  if (wanted > MOST_TURNS) wanted = MOST_TURNS;
  b->from = when;
  for (uint32_t i = 0; i < b->count && turns <= wanted; i++) {
    const struct time_moment *m = &b->moments[i];
    if (!of_first_block(b, m) || m->cluster != life->cluster || m->event->kind != TIME_COPY_IN) continue;
    if (m->event->a == phase) continue;
    phase = m->event->a;
    all++;
    if (m->begin <= when) continue;
    b->to = m->begin;
    turns++;
  }
  if (turns > 2) return;
  if (all && all <= 2 * b->t->stages) { // it lives for one round: it and its neighbours in time
    b->from = life->begin - length * 0.6;
    b->to = life->end + length * 0.6;
  } else {
    b->to = when + PLAIN_CYCLES < life->end || length > PLAIN_CYCLES ? when + PLAIN_CYCLES : life->end;
  }
}

// ---- bytes in flight --------------------------------------------------------------------------------------

static void fill_levels(struct builder *b) {
  struct timeline *t = b->t;
  const double part = (b->to - b->from) / TIMELINE_LEVELS;
  double sum = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct time_moment *m = &b->moments[i];
    if (!of_first_block(b, m)) continue;
    if ((m->event->kind != TIME_COPY_IN || m->event->flag) && m->event->kind != TIME_LOAD) continue;
    const double begin = (m->begin > b->from ? m->begin : b->from) - b->from;
    const double end = (m->end < b->to ? m->end : b->to) - b->from;
    for (int k = (int)(begin / part); k < TIMELINE_LEVELS && k * part < end; k++) {
      const double low = k * part > begin ? k * part : begin;
      const double high = (k + 1) * part < end ? (k + 1) * part : end;
      if (high > low) t->level[k] += (float)(m->event->b * (high - low) / part);
    }
  }
  for (int k = 0; k < TIMELINE_LEVELS; k++)
    sum += (double)t->level[k];
  t->in_flight = (float)(sum / TIMELINE_LEVELS);
}

// ---- all of it --------------------------------------------------------------------------------------------

static bool play(struct builder *b, const struct time_prediction *p, uint64_t seed) {
  struct replay_input input = time_replay_of(b->launch, p, seed);
  input.moments = b->moments;
  input.most_moments = MOST_MOMENTS;
  input.from = p->cycles * 0.3;
  input.to = p->cycles * 0.9;
  b->count = replay_run(&input).moment_count;
  b->life = choose_block(b, p->cycles * 0.5);
  if (!b->life) return false;
  b->t->stages = count_stages(b);
  choose_window(b, p->cycles * 0.5);
  if (b->from < input.from) b->from = input.from;
  if (b->to > input.to) b->to = input.to;
  return b->to > b->from;
}

static void fill(struct builder *b, const struct time_prediction *p) {
  struct timeline *t = b->t;
  fault_demangle(p->kernel, t->kernel, sizeof t->kernel);
  snprintf(t->chip, sizeof t->chip, "%s", b->chip->name);
  snprintf(t->bound_by, sizeof t->bound_by, "%s", p->bound_by);
  t->us = (float)p->us;
  t->memory_busy = (float)p->memory_busy;
  t->shared_busy = (float)(p->shared_busy < 1 ? p->shared_busy : 1);
  const struct time_totals *n = &b->launch->totals;
  t->conflicts = n->shared > n->lost ? (float)n->shared / (float)(n->shared - n->lost) : 1;
  t->blocks_on_processor = p->blocks_on_processor;
  t->block = (uint32_t)(b->life->sample->index * b->launch->blocks_per_cluster);
  t->begin = (float)chip_nanoseconds(b->chip, b->from);
  t->end = (float)chip_nanoseconds(b->chip, b->to);
  t->wanted = (float)time_bytes_wanted(b->launch, p);
  add_stages(b);
  add_stored_buffers(b);
  fill_stages(b);
  look_at_warps(b);
  add_warps(b);
  timeline_check_marks(b->t, b->life->sample, b->launch->warps_per_block);
  fill_levels(b);
}

struct timeline *timeline_make(const struct launch *l, const struct time_launch *t,
                               const struct time_prediction *p, uint64_t seed) {
  struct builder b = {.l = l, .launch = t, .chip = t->chip};
  const size_t warps = (size_t)t->blocks_on_processor * t->warps_per_block;
  b.moments = calloc(MOST_MOMENTS, sizeof *b.moments);
  b.reading = calloc(warps + 1, sizeof *b.reading);
  b.t = calloc(1, sizeof *b.t);
  if (!b.moments || !b.reading || !b.t) die("out of memory for a timeline");
  for (size_t i = 0; i < warps; i++)
    b.reading[i].lane = -1;
  const bool drawn = play(&b, p, seed);
  if (drawn) fill(&b, p);
  free(b.moments);
  free(b.reading);
  if (drawn) return b.t;
  free(b.t);
  return NULL;
}
