// Quick notes of reads: the usual reader of a granule, in one number. In: what a warp's read is like. Out: a
// kind, which the granules' notes name. One idea: warp after warp reads the same words by the same
// instruction after the same barrier. To find its own kind there proves that the read is in order, since the
// first of them was judged with the same view.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

static struct quick_view *view_of(struct quick_reads *q, struct clock *base, uint32_t agent, uint32_t epoch) {
  for (uint32_t i = 0; i < QUICK_VIEWS; i++) {
    struct quick_view *v = &q->views[i];
    q->latest = i;
    if (v->number && v->base == base && v->agent == agent && v->epoch == epoch) return v;
  }
  q->latest = q->next_view++ % QUICK_VIEWS;
  struct quick_view *v = &q->views[q->latest];
  clock_drop(v->base);
  *v = (struct quick_view){clock_hold(base), agent, epoch, ++q->view_number};
  return v;
}

// All notes become entries of the pool. Kinds keep counting, so that no old note is taken for a new one.
static void begin_anew(struct shadow *s) {
  struct quick_reads *q = &s->quick;
  for (uint32_t g = 0; g < s->granules; g++)
    if (s->readers[g] & READER_QUICK && !(s->readers[g] & READER_ROLL) &&
        s->lines[g / line_granules(s)].detailed)
      shadow_readers(s, g);
  for (uint32_t line = 0; line < s->line_count; line++)
    line_spell_readers(s, &s->lines[line]);
  q->first += q->count;
  q->count = 0;
  if (q->first < QUICK_LAST) return;
  for (uint32_t g = 0; g < s->granules; g++) // of lines that aren't spelled out
    if (s->readers[g] & READER_QUICK && !s->lines[g / line_granules(s)].detailed) s->readers[g] = 0;
  q->first = 0;
}

static void grow(struct quick_reads *q) {
  const uint32_t capacity = q->capacity ? q->capacity * 2 : 64;
  struct quick_kind *grown = realloc(q->kinds, capacity * sizeof *grown);
  if (!grown) die("out of memory for shadow memory");
  q->kinds = grown;
  q->capacity = capacity;
}

uint32_t quick_kind(struct shadow *s, const struct op *op, struct clock *base, uint32_t agent,
                    uint32_t epoch) {
  struct quick_reads *q = &s->quick;
  const uint32_t view = view_of(q, base, agent, epoch)->number;
  struct quick_found *found = &q->found[quick_place(op)];
  if (found->op == op && found->view == view && found->kind >= q->first) return found->kind;
  if (q->count == QUICK_MOST) begin_anew(s);
  if (q->count == q->capacity) grow(q);
  q->kinds[q->count] = (struct quick_kind){op, agent, epoch};
  *found = (struct quick_found){op, view, q->first + q->count++};
  return found->kind;
}

const struct quick_kind *quick_kind_at(const struct shadow *s, uint32_t note) {
  const struct quick_reads *q = &s->quick;
  if (note & READER_ROLL) return roll_kind(s, note);
  const uint32_t place = ((note & ~READER_QUICK) >> QUICK_LANE_BITS) - q->first;
  return place < q->count ? &q->kinds[place] : NULL;
}

uint32_t quick_judged(struct shadow *s, struct clock *base) {
  struct quick_reads *q = &s->quick;
  for (uint32_t i = 0; i < QUICK_VIEWS; i++)
    if (q->judged[i].number && q->judged[i].base == base) return q->judged[i].number;
  struct quick_judged *j = &q->judged[q->next_judged++ % QUICK_VIEWS];
  clock_drop(j->base);
  *j = (struct quick_judged){clock_hold(base), ++q->view_number};
  return j->number;
}

void quick_end(struct shadow *s) {
  struct quick_reads *q = &s->quick;
  for (uint32_t i = 0; i < QUICK_VIEWS; i++)
    clock_drop(q->judged[i].base);
  memset(q->judged, 0, sizeof q->judged);
  for (uint32_t i = 0; i < QUICK_VIEWS; i++)
    clock_drop(q->views[i].base);
  memset(q->views, 0, sizeof q->views);
  q->first += q->count;
  q->count = 0;
}
