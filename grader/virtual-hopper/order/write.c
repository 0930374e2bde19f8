// A warp's weak writes and atomics to shared memory that are in order already. In: offsets by lane. Out:
// stamps in the shadow. One idea: after a barrier all lanes have the same view, so one look at each word's
// last writer and at the kind of its quick note says that nothing is to be reported. What may be a conflict
// is left to access.c.
#include "virtual-hopper/order/internal.h"

struct word_writes {
  struct shadow *s;
  struct clock *base;
  uint32_t warp_agent;
  uint32_t kind; // the quick kind that was found to be seen last; 0: none
  bool knows_kind;
};

// Everybody who has read so has been seen: the kind's threads are all of a block.
static bool kind_seen(struct word_writes *w, const struct order_cluster *c, uint32_t note) {
  const uint32_t number = (note & ~READER_QUICK) >> QUICK_LANE_BITS;
  if (w->knows_kind && number == w->kind) return true;
  const struct quick_kind *kind = quick_kind_at(w->s, note);
  if (!kind) return false;
  const uint32_t left = c->threads + 1 - kind->agent, most = READER_WARPS * WARP_LANES;
  if (clock_least(w->base, kind->agent, left < most ? left : most) < kind->epoch) return false;
  w->kind = number;
  return w->knows_kind = true;
}

static bool may_write(struct word_writes *w, const struct order_cluster *c, uint32_t g, uint32_t self) {
  const struct shadow *s = w->s;
  const uint32_t writer = s->write_agent[g], readers = s->readers[g];
  if (writer != NO_AGENT && writer != self && clock_seen(w->base, writer) < s->write_epoch[g]) return false;
  return !readers || (readers & READER_QUICK && kind_seen(w, c, readers));
}

static bool may_write_all(struct word_writes *w, const struct order_cluster *c,
                          const uint32_t offset[WARP_LANES], uint32_t words) {
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    uint32_t first, count;
    if (offset[lane] % 4 || !shadow_range(w->s, offset[lane], 4 * words, &first, &count)) return false;
    line_spell_out(w->s, first, count);
    for (uint32_t g = first; g < first + count; g++)
      if (!may_write(w, c, g, w->warp_agent + lane)) return false;
  }
  return true;
}

bool write_quietly(struct warp *w, const struct op *op, struct shadow *s, const uint32_t offset[WARP_LANES],
                   uint32_t bytes) {
  const struct order_cluster *c = w->block->order->cluster;
  const struct order_thread *t = order_view_of(w, 0);
  const uint32_t epoch = t->epoch, words = bytes / 4;
  struct word_writes writes = {.s = s, .base = t->base, .warp_agent = order_agent_of(w, 0)};
  if (bytes % 4 || s->shift != 2 || !may_write_all(&writes, c, offset, words)) return false;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    const uint32_t first = (offset[lane] - SHARED_FIRST_OFFSET) >> 2, self = writes.warp_agent + lane;
    for (uint32_t g = first; g < first + words; g++) {
      shadow_clear_readers(s, g); // quick notes or rolls
      s->write_agent[g] = self;
      s->write_epoch[g] = epoch;
      s->write_thread[g] = self - 1;
      s->write_op[g] = op;
      s->write_atomic[g] = false;
    }
  }
  order_mark_dirty(w, UINT32_MAX);
  return true;
}

// The granules have writers of one epoch, who have all been seen, and quick notes of one kind, or none.
OVER_ALL_AGENTS static bool row_is_plain(const struct shadow *s, const struct clock *base, uint32_t granule,
                                         uint32_t count, uint32_t *note) {
  enum { MOST_WRITERS = READER_WARPS * WARP_LANES };
  const uint32_t *agents = &s->write_agent[granule], *epochs = &s->write_epoch[granule],
                 *readers = &s->readers[granule];
  const uint32_t epoch = epochs[0];
  uint32_t different = 0, unlike = 0, kinds = 0, first = UINT32_MAX, last = 0, missing = 0;
  for (uint32_t i = 0; i < count; i++) {
    different |= epochs[i] ^ epoch;
    unlike |= (readers[i] ^ readers[0]) >> QUICK_LANE_BITS;
    kinds |= readers[i];
    first = agents[i] < first ? agents[i] : first;
    last = agents[i] > last ? agents[i] : last;
  }
  *note = readers[0];
  if (different || unlike || (kinds && (!(kinds & READER_QUICK) || kinds & READER_ROLL))) return false;
  if (!base || first == NO_AGENT || last >= base->count || last - first >= MOST_WRITERS) return false;
  for (uint32_t agent = first; agent <= last; agent++)
    missing += base->seen[agent] < epoch;
  return missing == 0;
}

bool words_may_be_written(const struct word_access *a, uint32_t granule, uint32_t agent, uint32_t lanes) {
  struct shadow *s = a->s;
  struct word_writes writes = {.s = s, .base = a->t->base, .warp_agent = a->agent};
  const uint32_t count = lanes << a->each_shift;
  uint32_t note;
  line_spell_out(s, granule, count);
  if (row_is_plain(s, a->t->base, granule, count, &note))
    return !note || kind_seen(&writes, a->cluster, note);
  for (uint32_t i = 0; i < count; i++)
    if (!may_write(&writes, a->cluster, granule + i, agent + (i >> a->each_shift))) return false;
  return true;
}

static void stamp_words(const struct word_access *a, uint32_t granule, uint32_t self) {
  struct shadow *s = a->s;
  for (uint32_t g = granule; g < granule + (1u << a->each_shift); g++) {
    if (s->readers[g]) shadow_clear_readers(s, g); // quick notes or rolls
    s->write_agent[g] = self;
    s->write_epoch[g] = a->t->epoch;
    s->write_thread[g] = self - 1;
    s->write_op[g] = a->op;
    s->write_atomic[g] = false;
  }
}

static bool may_write_at(const struct word_access *a, const uint32_t at[WARP_LANES]) {
  struct word_writes writes = {.s = a->s, .base = a->t->base, .warp_agent = a->agent};
  const uint32_t each = 1u << a->each_shift;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    line_spell_out(a->s, at[lane], each);
    for (uint32_t g = at[lane]; g < at[lane] + each; g++)
      if (!may_write(&writes, a->cluster, g, a->agent + lane)) return false;
  }
  return true;
}

bool words_written(const struct word_access *a, const uint32_t at[WARP_LANES]) {
  const bool row = at[WARP_LANES - 1] - at[0] == (uint32_t)(WARP_LANES - 1) << a->each_shift;
  if (!(row ? words_may_be_written(a, at[0], a->agent, WARP_LANES) : may_write_at(a, at))) return false;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    stamp_words(a, at[lane], a->agent + lane);
  return true;
}

// Atomics of one size don't race with one another. Whatever has read the word since is left to access.c.
static bool may_change(const struct shadow *s, const struct op *op, const struct clock *base, uint32_t g) {
  const uint32_t writer = s->write_agent[g];
  return !s->readers[g] && (writer == NO_AGENT || clock_seen(base, writer) >= s->write_epoch[g] ||
                            (s->write_atomic[g] && !race_sizes_differ(op, s->write_op[g])));
}

static bool may_change_all(struct shadow *s, const struct op *op, const struct clock *base, uint32_t lanes,
                           const uint32_t offset[WARP_LANES]) {
  EACH_LANE(lane, lanes) {
    const uint32_t g = (offset[lane] - SHARED_FIRST_OFFSET) >> 2;
    if (g >= s->granules || offset[lane] % 4) return false;
    if (!s->lines[g / (LINE_BYTES / 4)].detailed) line_spell_out(s, g, 1);
    if (!may_change(s, op, base, g)) return false;
  }
  return true;
}

bool atomics_quietly(struct warp *w, const struct op *op, struct shadow *s, uint32_t lanes,
                     const uint32_t offset[WARP_LANES]) {
  const struct order_thread *t = order_view_of(w, 0);
  const uint32_t epoch = t->epoch, warp_agent = order_agent_of(w, 0);
  if (s->shift != 2 || !may_change_all(s, op, t->base, lanes, offset)) return false;
  EACH_LANE(lane, lanes) {
    const uint32_t g = (offset[lane] - SHARED_FIRST_OFFSET) >> 2;
    s->write_agent[g] = warp_agent + lane;
    s->write_epoch[g] = epoch;
    s->write_thread[g] = warp_agent + lane - 1;
    s->write_op[g] = op;
    s->write_atomic[g] = true;
  }
  order_mark_dirty(w, lanes);
  return true;
}
