// In: a launch's record. Out: a timeline. One idea: the model's moments say when copies and waits began and
// ended. A steady part of them, a few rounds of one block's ring, is drawn.
#include "virtual-hopper/time/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/time/timeline-build.h"
#include "virtual-hopper/time/timeline-marks.h"

enum { MOST_MOMENTS = 200000, LEAST_TURNS = 6, MOST_TURNS = 24, ROUNDS_SHOWN = 3 };
enum { LONG_NAME = 160, PLAIN_CYCLES = 8000, QUARTERS_OF_SLOT = 4, CYCLES_OF_LOADING = 100 };
enum { LOADS = 1, STORES = 2, AWAITS_LOADS = 4, GIVES_BACK = 8, READS_MEMORY = 16, DEEDS = 31, NAMES = 24 };

// ---- notes ------------------------------------------------------------------------------------------------

static void name_wait(const struct builder *b, const struct time_moment *m, char *text, size_t size) {
  const struct time_event *e = m->event;
  char name[LONG_NAME];
  if (e->kind == TIME_WAIT && !e->flag) {
    shared_name_barrier(b->l, m->sample->phases[e->a].offset, name, sizeof name);
    timeline_shorten(name, text, size);
  } else if (e->kind == TIME_WAIT)
    snprintf(text, size, "the other threads");
  else if (e->kind == TIME_WAIT_STORES)
    snprintf(text, size, e->flag ? "its stores to have read" : "its stores to have written");
  else if (e->kind == TIME_FENCE)
    snprintf(text, size, "other blocks to see what it did");
  else if (e->kind == TIME_SLEEP)
    snprintf(text, size, "the end of its sleep");
  else if (e->kind == TIME_LOOK)
    snprintf(text, size, "all blocks before its own");
  else
    snprintf(text, size, "an answer of global memory");
}

void timeline_note_place(struct timeline_note *note, const struct op *op) {
  if (!op || !op->source) return;
  struct fault_place place = {.file = ""};
  fault_place_from_location(&place, op->module, op->source->location, op->source->text, op->source->ptx_line);
  const size_t length = strlen(place.file), most = sizeof note->file - 1;
  snprintf(note->file, sizeof note->file, "%s", length > most ? place.file + length - most : place.file);
  note->line = place.line;
}

static uint8_t note_of(struct builder *b, const struct time_moment *m) {
  struct timeline_note note = {.line = 0};
  name_wait(b, m, note.what, sizeof note.what);
  timeline_note_place(&note, m->event->op);
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

bool timeline_of_first_block(const struct builder *b, const struct time_moment *m) {
  return m->event && m->warp < b->launch->warps_per_block;
}

bool timeline_comes_to_first_block(const struct time_moment *m) {
  return m->event && m->event->kind == TIME_COPY_IN && m->sample->phases[m->event->a].rank == 0;
}

void timeline_add_span(struct builder *b, uint32_t lane, uint8_t state, double begin, double end,
                       uint8_t note, uint32_t bytes) {
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
  struct timeline_span *last = b->last_span[lane] < t->span_count ? &t->spans[b->last_span[lane]] : NULL;
  if (last && last->lane == lane && last->state == state && last->note == note && last->end >= span.begin) {
    last->end = span.end;
    return;
  }
  b->last_span[lane] = t->span_count;
  t->spans[t->span_count++] = span;
}

int timeline_add_lane(struct builder *b, struct timeline_lane lane) {
  struct timeline *t = b->t;
  if (t->lane_count == TIMELINE_LANES) return -1;
  b->stages[t->lane_count] = (struct stage){.since = -1};
  b->last_span[t->lane_count] = TIMELINE_SPANS; // none
  t->lanes[t->lane_count] = lane;
  return (int)t->lane_count++;
}

// ---- warps ------------------------------------------------------------------------------------------------

static uint8_t wait_state(const struct time_moment *m) {
  const struct time_event *e = m->event;
  if (e->kind == TIME_WAIT_STORES) return TIMELINE_AWAITS_STORE;
  if (e->kind == TIME_USE || e->kind == TIME_LOOK) return TIMELINE_AWAITS_MEMORY;
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

// When a warp is over that waits for nothing from `last` on: it has ended long before its block where little
// is left for it to do.
static double end_of_work(const struct builder *b, uint32_t warp, double last, double ends) {
  const struct time_warp *w = &b->life->sample->warps[warp];
  const double least = 0.04;
  double slots = 0, cycles = 0;
  for (uint32_t i = w->count; i > 0 && !time_waits(&w->events[i - 1]); i--) {
    if (w->events[i - 1].kind != TIME_RUN) continue;
    slots += (double)w->events[i - 1].a / QUARTERS_OF_SLOT;
    cycles += w->events[i - 1].b;
  }
  return slots > least * (ends - last) || last + cycles > ends ? ends : last + cycles;
}

// Waits of one warp, and work between them.
static void fill_warp(struct builder *b, uint32_t lane) {
  const struct timeline_lane *of = &b->t->lanes[lane];
  uint32_t cluster = UINT32_MAX;
  double last = -1, seen = -1, ends = -1; // seen: its newest event that may wait
  for (uint32_t i = 0; i < b->count; i++) {
    const struct time_moment *m = &b->moments[i];
    if (!m->event || m->place != of->place || m->warp != of->warp) continue;
    if (m->cluster != cluster) {
      if (ends >= 0)
        timeline_add_span(b, lane, TIMELINE_WORKS, last, end_of_work(b, of->warp, seen, ends),
                          TIMELINE_NO_NOTE, 0);
      const struct time_moment *life = life_of(b, m->cluster);
      cluster = m->cluster;
      last = seen = life ? life->begin : m->begin;
      ends = life ? life->end : m->end;
    }
    if (!time_waits(m->event)) continue;
    seen = m->end;
    if (!(m->end > m->begin)) continue;
    timeline_add_span(b, lane, TIMELINE_WORKS, last, m->begin, TIMELINE_NO_NOTE, 0);
    if (m->end > b->from && m->begin < b->to)
      timeline_add_span(b, lane, wait_state(m), m->begin, m->end, note_of(b, m), 0);
    last = m->end;
  }
  if (ends >= 0) ends = end_of_work(b, of->warp, seen, ends);
  if (ends >= 0) timeline_add_span(b, lane, TIMELINE_WORKS, last, ends, TIMELINE_NO_NOTE, 0);
  if (ends < 0 && of->place == b->life->place && works_on(b, of->warp))
    timeline_add_span(b, lane, TIMELINE_WORKS, b->life->begin, b->life->end, TIMELINE_NO_NOTE, 0);
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
  lane->load_bytes = copies ? (uint32_t)(bytes / copies) : 0;
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
    b->last_span[t->lane_count] = TIMELINE_SPANS;
    *lane = (struct timeline_lane){.place = b->life->place, .warp = i};
    count_deeds(lane, &b->life->sample->warps[i]);
    fill_warp(b, t->lane_count);
    t->span_count = spans;
    t->works += lane->share[TIMELINE_WORKS] / (float)b->launch->warps_per_block;
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
    const int at = timeline_add_lane(b, lane);
    if (at < 0) continue;
    fill_warp(b, (uint32_t)at);
    timeline_mark_warp(b->t, (uint32_t)at, b->chip, b->moments, b->count, b->from);
  }
}

// ---- the window -------------------------------------------------------------------------------------------

static uint32_t count_stages(const struct builder *b) {
  uint32_t offsets[TIMELINE_LANES], count = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct time_moment *m = &b->moments[i];
    if (m->cluster != b->life->cluster || !timeline_comes_to_first_block(m)) continue;
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
  // One block at a time, and `when` is between two: the next one.
  for (uint32_t i = 0; i < b->count && !best; i++)
    if (!b->moments[i].event && b->moments[i].begin > when) best = &b->moments[i];
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
    if (m->cluster != life->cluster || !timeline_comes_to_first_block(m)) continue;
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
    if (!timeline_of_first_block(b, m)) continue;
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
  input.to = p->cycles; // where all of it has room
  b->count = replay_run(&input).moment_count;
  if (b->count > MOST_MOMENTS / 2) {
    input.from = p->cycles * 0.3;
    input.to = p->cycles * 0.9;
    b->count = replay_run(&input).moment_count;
  }
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
  t->block = (uint32_t)(b->life->sample->index * b->launch->blocks_per_cluster);
  t->begin = (float)chip_nanoseconds(b->chip, b->from);
  t->end = (float)chip_nanoseconds(b->chip, b->to);
  timeline_add_facts(b, p);
  timeline_add_stages(b);
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
