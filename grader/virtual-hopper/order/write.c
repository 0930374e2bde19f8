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

// Atomics don't race with one another. Whatever has read the word since is left to access.c.
static bool may_change(const struct shadow *s, const struct clock *base, uint32_t g) {
  const uint32_t writer = s->write_agent[g];
  return !s->readers[g] &&
         (s->write_atomic[g] || writer == NO_AGENT || clock_seen(base, writer) >= s->write_epoch[g]);
}

static bool may_change_all(struct shadow *s, const struct clock *base, uint32_t lanes,
                           const uint32_t offset[WARP_LANES]) {
  EACH_LANE(lane, lanes) {
    const uint32_t g = (offset[lane] - SHARED_FIRST_OFFSET) >> 2;
    if (g >= s->granules || offset[lane] % 4) return false;
    if (!s->lines[g / (LINE_BYTES / 4)].detailed) line_spell_out(s, g, 1);
    if (!may_change(s, base, g)) return false;
  }
  return true;
}

bool atomics_quietly(struct warp *w, const struct op *op, struct shadow *s, uint32_t lanes,
                     const uint32_t offset[WARP_LANES]) {
  const struct order_thread *t = order_view_of(w, 0);
  const uint32_t epoch = t->epoch, warp_agent = order_agent_of(w, 0);
  if (s->shift != 2 || !may_change_all(s, t->base, lanes, offset)) return false;
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
