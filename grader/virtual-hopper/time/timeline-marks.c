// In: moments of the model, marks among them. Out: rows of a timeline. One idea: the warps that have run in
// one place, one after the other, share a row; each has marks of its own.
#include "virtual-hopper/time/timeline-marks.h"

#include <stdio.h>
#include <stdlib.h>

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/time/ranges.h"

static uint16_t name_of(struct timeline *t, const struct op *op) {
  struct fault_place place = {.file = ""};
  fault_place_from_location(&place, op->module, op->source->location, "", op->source->ptx_line);
  return timeline_name_range(t, op->source->text, place.file, place.line);
}

// A mark in the middle of a run is noted before what comes first: nearly in order. Equal times stay in order.
static void put_in_order(struct range_mark *marks, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    const struct range_mark mark = marks[i];
    uint32_t at = i;
    for (; at > 0 && marks[at - 1].when > mark.when; at--)
      marks[at] = marks[at - 1];
    marks[at] = mark;
  }
}

// When the cluster ends; without a moment of its own: never, here.
static double end_of(const struct time_moment *moments, uint32_t count, uint32_t cluster) {
  const double never = 1e30;
  for (uint32_t i = 0; i < count; i++)
    if (!moments[i].event && moments[i].cluster == cluster) return moments[i].end;
  return never;
}

struct reading {
  struct timeline *t;
  struct timeline_lane of;
  const struct chip *chip;
  const struct time_moment *moments;
  uint32_t count, at, cluster;
  double from;
};

// The marks of the next cluster that has some. Returns how many.
static uint32_t next_marks(struct reading *r, struct range_mark *marks) {
  uint32_t found = 0;
  for (; r->at < r->count; r->at++) {
    const struct time_moment *m = &r->moments[r->at];
    if (!m->event || m->event->kind != TIME_MARK) continue;
    if (m->place != r->of.place || m->warp != r->of.warp) continue;
    if (found && m->cluster != r->cluster) break;
    const uint16_t name = name_of(r->t, m->event->op);
    if (name == TIMELINE_NO_NOTE) continue;
    r->cluster = m->cluster;
    marks[found++] =
        (struct range_mark){chip_nanoseconds(r->chip, m->begin - r->from), m->event->a, name, m->event->flag};
  }
  return found;
}

void timeline_mark_warp(struct timeline *t, uint32_t lane, const struct chip *chip,
                        const struct time_moment *moments, uint32_t count, double from) {
  struct reading r = {
      .t = t, .of = t->lanes[lane], .chip = chip, .moments = moments, .count = count, .from = from};
  struct range_mark *marks = calloc(count + 1, sizeof *marks);
  if (!marks) die("out of memory for a timeline");
  for (uint32_t found; (found = next_marks(&r, marks));) {
    put_in_order(marks, found);
    const double end = chip_nanoseconds(chip, end_of(moments, count, r.cluster) - from);
    timeline_add_ranges(t, &r.of, marks, found, end);
  }
  free(marks);
}

void timeline_check_marks(struct timeline *t, const struct time_cluster *c, uint32_t warps_per_block) {
  if (!c->marks || c->full || c->marks == TIME_MOST_MARKS) return;
  struct range_mark *marks = calloc(c->marks, sizeof *marks);
  if (!marks) die("out of memory for a timeline");
  for (uint32_t i = 0; i < c->warp_count; i++) {
    uint32_t count = 0;
    char who[64];
    for (uint32_t k = 0; k < c->warps[i].count; k++) {
      const struct time_event *e = &c->warps[i].events[k];
      const uint16_t name = e->kind == TIME_MARK ? name_of(t, e->op) : TIMELINE_NO_NOTE;
      if (name != TIMELINE_NO_NOTE) marks[count++] = (struct range_mark){k, e->a, name, e->flag};
    }
    snprintf(who, sizeof who, "warp %u of block %u", i % warps_per_block, t->block + i / warps_per_block);
    timeline_check_ranges(t, marks, count, who);
  }
  free(marks);
}
