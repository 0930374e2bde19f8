// In: a launch's record and the moments of the model. Out: what a timeline says of the whole kernel: how its
// blocks fill the chip, how many bytes its stages have room for, and what the L2 cache gives.
#include <math.h>

#include "virtual-hopper/time/timeline-build.h"

// Bytes of loads that all stages of the first block hold together: of each barrier the most that one of its
// phases awaits.
static double bytes_of_stages(const struct time_cluster *c) {
  struct {
    uint32_t offset;
    double most, newest;
    uint32_t phase;
  } stages[TIMELINE_LANES];
  uint32_t count = 0;
  double sum = 0;
  for (uint32_t w = 0; w < c->warp_count; w++)
    for (uint32_t i = 0; i < c->warps[w].count; i++) {
      const struct time_event *e = &c->warps[w].events[i];
      if (e->kind != TIME_COPY_IN || c->phases[e->a].rank != 0) continue;
      uint32_t k = 0;
      while (k < count && stages[k].offset != c->phases[e->a].offset)
        k++;
      if (k == TIMELINE_LANES) continue;
      if (k == count) stages[count++].offset = c->phases[e->a].offset, stages[k].most = stages[k].newest = 0;
      if (stages[k].newest == 0 || stages[k].phase != e->a) stages[k].newest = 0;
      stages[k].phase = e->a;
      stages[k].newest += e->b;
      stages[k].most = fmax(stages[k].most, stages[k].newest);
    }
  for (uint32_t k = 0; k < count; k++)
    sum += stages[k].most;
  return sum;
}

// Blocks on the processor at a time, as a mean of the window.
static double blocks_there(const struct builder *b) {
  double sum = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct time_moment *m = &b->moments[i];
    if (!m->event) sum += fmax(0, fmin(m->end, b->to) - fmax(m->begin, b->from));
  }
  return sum / (b->to - b->from);
}

// What keeps the L2 cache busy, as in time/predict.c.
static void add_cache(const struct builder *b, double us) {
  const struct time_totals *n = &b->launch->totals;
  const struct chip *c = b->chip;
  const double ns = us * 1000;
  if (!(ns > 0)) return;
  const double parts = chip_nanoseconds(c, (double)n->partial * c->partial_cycles / c->processors);
  b->t->stored_in_parts = (float)(parts / ns);
  b->t->loaded_in_parts = (float)(n->asked / c->l2_asked_ns / ns);
  b->t->changed = (float)((double)n->changed / c->l2_changed_ns / ns);
}

void timeline_add_facts(struct builder *b, const struct time_prediction *p) {
  const struct time_launch *l = b->launch;
  struct timeline *t = b->t;
  const double blocks = (double)l->cluster_count * l->blocks_per_cluster, processors = b->chip->processors;
  t->wanted = (float)(time_bytes_wanted(l, p) / l->blocks_per_cluster);
  t->processors = (uint32_t)processors;
  t->blocks = blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
  t->blocks_on_processor = l->blocks_on_processor;
  t->blocks_fit = l->blocks_fit;
  t->threads = b->l->threads_per_block;
  t->blocks_there = (float)blocks_there(b);
  t->room = (float)(bytes_of_stages(b->life->sample) * t->blocks_on_processor);
  add_cache(b, p->us);
  t->read = (float)l->totals.read;
  t->missed = (float)l->totals.missed;
}
