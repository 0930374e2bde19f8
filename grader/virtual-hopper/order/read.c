// A warp's weak reads of shared memory that are in order already. In: offsets by lane. Out: notes in the
// shadow, and the lanes that are done. One idea: nearly every read has seen what it reads. Lanes that read
// the same word, as by broadcast, share one look and one note. What may be a conflict is left to access.c.
#include "virtual-hopper/order/internal.h"

OVER_ALL_AGENTS static uint32_t lanes_at(const uint32_t offset[WARP_LANES], uint32_t mine) {
  uint32_t same = 0;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    same |= (uint32_t)(offset[i] == mine) << i;
  return same;
}

// Lanes that read the same bytes as `lane`. Only looked for where neighbours do, or the halves or quarters of
// a warp: whatever is not found is noted lane by lane.
static uint32_t sharing_lanes(uint32_t lanes, const uint32_t offset[WARP_LANES], uint32_t lane) {
  const uint32_t mine = offset[lane], next = (lane + 1) % WARP_LANES;
  if (offset[next] != mine && offset[(lane + 16) % WARP_LANES] != mine &&
      offset[(lane + 8) % WARP_LANES] != mine)
    return 1u << lane;
  return lanes_at(offset, mine) & lanes;
}

// True when every one of the lanes has seen the writer's epoch, or is the writer.
static bool have_seen(struct order_lanes threads, uint32_t warp_agent, uint32_t lanes, uint32_t writer,
                      uint32_t epoch) {
  const struct clock *sees = NULL; // lanes with this view have seen it
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    const struct clock *base = order_lane(threads, lane)->base;
    if ((sees && base == sees) || warp_agent + lane == writer) continue;
    if (clock_seen(base, writer) < epoch) return false;
    sees = base;
  }
  return true;
}

static void note(struct shadow *s, uint32_t g, const struct op *op, struct order_lanes threads,
                 uint32_t warp_agent, uint32_t lanes) {
  while (lanes) {
    const uint32_t first = (uint32_t)__builtin_ctz(lanes), epoch = order_lane(threads, first)->epoch;
    uint32_t together = 1u << first;
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(left);
      together |= (uint32_t)(order_lane(threads, lane)->epoch == epoch) << lane;
    }
    shadow_read(s, g, warp_agent, together, epoch, op, false);
    lanes &= ~together;
  }
}

// True when the lanes share a view and an epoch, as they do after a barrier.
static bool share_view(struct order_lanes threads, uint32_t lanes) {
  const struct order_thread *first = order_lane(threads, (uint32_t)__builtin_ctz(lanes));
  bool same = true;
  if (!threads.step) return true;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const struct order_thread *t = order_lane(threads, (uint32_t)__builtin_ctz(left));
    same &= t->base == first->base && t->epoch == first->epoch;
  }
  return same;
}

// Words of 4 bytes, as the granules are, of lanes that share a view.
struct word_reads {
  struct shadow *s;
  const struct op *op;
  const struct clock *base;
  uint32_t warp_agent, epoch;
  uint32_t kind; // quick.c
  uint32_t deed; // roll.c; 0: not asked for yet
  const struct order_thread *t;
  bool knows_rolls;
  struct roll_reads rolls; // if so
};

static struct word_reads word_reads_of(struct shadow *s, const struct op *op, const struct order_thread *t,
                                       uint32_t warp_agent) {
  return (struct word_reads){.s = s,
                             .op = op,
                             .base = t->base,
                             .warp_agent = warp_agent,
                             .epoch = t->epoch,
                             .kind = quick_kind(s, op, t->base, reader_base(warp_agent), t->epoch),
                             .t = t};
}

static const struct roll_reads *rolls_of(struct word_reads *r) {
  if (!r->knows_rolls) r->rolls = roll_reads_of(r->s, r->op, r->t, r->warp_agent);
  r->knows_rolls = true;
  return &r->rolls;
}

static uint32_t deed_of(struct word_reads *r) {
  if (!r->deed) r->deed = roll_deed(&r->s->rolls, r->op, r->epoch);
  return r->deed;
}

// Granules that have the same readers. strong: their writers have been seen by barriers.
static void note_alike(struct word_reads *r, uint32_t lanes, uint32_t first, uint32_t end, bool quick,
                       bool strong) {
  struct shadow *s = r->s;
  const uint32_t before = s->readers[first], warp = reader_warp(r->warp_agent),
                 lane = lanes & (lanes - 1) ? (uint32_t)QUICK_ALL_LANES : (uint32_t)__builtin_ctz(lanes),
                 note = quick_note(r->kind, lane);
  if (before & READER_ROLL && ((lane != QUICK_ALL_LANES &&
                                roll_read_again(s, before, end - first, r->warp_agent, lane, deed_of(r))) ||
                               roll_read(s, first, end - first, r->warp_agent, lanes, r->epoch, r->op))) {
    if (strong) roll_judged(s, first, rolls_of(r)->judged);
    return;
  }
  for (uint32_t g = first; g < end; g++) {
    if (!quick || (before && before != note)) {
      shadow_read(s, g, r->warp_agent, lanes, r->epoch, r->op, false);
    } else {
      s->readers[g] = note;
      s->reader_warps[g] = (before ? s->reader_warps[g] : 0) | warp;
    }
  }
  if (end > first + 1) roll_share(s, first, end);
}

// The granules that all these lanes read; false: they have to be judged.
static bool read_granules(struct word_reads *r, uint32_t lanes, uint32_t first, uint32_t count) {
  struct shadow *s = r->s;
  const uint32_t self = r->warp_agent + (uint32_t)__builtin_ctz(lanes), end = first + count;
  const bool single = !(lanes & (lanes - 1));
  const struct clock *barriers = order_strong(r->t);
  bool all_seen = true, strong = true;
  line_spell_out(s, first, count);
  for (uint32_t g = first; g < end; g++) {
    const uint32_t writer = s->write_agent[g];
    if (writer == NO_AGENT) continue;
    strong = strong && clock_seen(barriers, writer) >= s->write_epoch[g];
    if (clock_seen(r->base, writer) >= s->write_epoch[g]) continue;
    if (!single || writer != self) return false;
    all_seen = false; // its own write, which the others may not have seen
  }
  for (uint32_t g = first, next; g < end; g = next) {
    next = count == 1 ? end : roll_alike(s, g, end);
    note_alike(r, lanes, g, next, all_seen && (single || lanes == UINT32_MAX), strong);
  }
  return true;
}

static bool read_word(struct word_reads *r, uint32_t lanes, uint32_t offset) {
  const uint32_t g = (offset - SHARED_FIRST_OFFSET) >> 2;
  return g < r->s->granules && read_granules(r, lanes, g, 1);
}

// The usual case of one lane, which changes nothing but two words: the word's line is spelled out, its writer
// has been seen, and the same lane of other warps has read it by this instruction, or it has a roll.
static bool read_word_again(struct word_reads *r, uint32_t lane, uint32_t g) {
  const struct shadow *s = r->s;
  if (g >= s->granules || !s->lines[g / (LINE_BYTES / 4)].detailed) return false;
  const uint32_t writer = s->write_agent[g], last = s->readers[g], warp = reader_warp(r->warp_agent);
  if (last & READER_ROLL && roll_read_judged(s, last, rolls_of(r), lane)) return true;
  if (writer && clock_seen(r->base, writer) < s->write_epoch[g]) return false;
  if (last & READER_ROLL) {
    if (!roll_read_again(s, last, 1, r->warp_agent, lane, deed_of(r))) return false;
    if (!writer || clock_seen(order_strong(r->t), writer) >= s->write_epoch[g])
      roll_judged(s, g, rolls_of(r)->judged);
    return true;
  }
  if (!last || last & READER_QUICK || s->reader_warps[g] & warp) return false;
  struct shadow_reader *reader = &s->pool[last];
  if (reader->op != r->op || reader->epoch != r->epoch || reader->mask != 1u << lane ||
      reader->agent != reader_base(r->warp_agent) || reader->strong)
    return false;
  reader->warps |= warp;
  s->reader_warps[g] |= warp;
  return true;
}

OVER_ALL_AGENTS static uint32_t greatest(const uint32_t offset[WARP_LANES]) {
  uint32_t most = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    const uint32_t g = (offset[lane] - SHARED_FIRST_OFFSET) >> 2;
    most = g > most ? g : most;
  }
  return most;
}

// All lanes find their own note. No early way out: nearly always they do.
OVER_ALL_AGENTS static bool find_notes(const uint32_t *readers, const uint32_t offset[WARP_LANES],
                                       uint32_t note) {
  uint32_t other = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    other |= readers[(offset[lane] - SHARED_FIRST_OFFSET) >> 2] ^ (note + lane);
  return other == 0;
}

// Lanes of a whole warp that find their own quick note, with other warps of their block: nothing else is to
// be done for them.
static uint32_t read_words_quickly(struct word_reads *r, const uint32_t offset[WARP_LANES]) {
  const uint32_t warp = reader_warp(r->warp_agent), note = quick_note(r->kind, 0);
  const uint32_t *readers = r->s->readers;
  uint32_t *warps = r->s->reader_warps, done = 0;
  if (greatest(offset) >= r->s->granules) return 0;
  const bool all = find_notes(readers, offset, note);
  for (uint32_t lane = 0; lane < WARP_LANES && all; lane++)
    warps[(offset[lane] - SHARED_FIRST_OFFSET) >> 2] |= warp;
  for (uint32_t lane = 0; lane < WARP_LANES && !all; lane++) {
    const uint32_t g = (offset[lane] - SHARED_FIRST_OFFSET) >> 2;
    if (readers[g] != note + lane) continue;
    warps[g] |= warp;
    done |= 1u << lane;
  }
  return all ? UINT32_MAX : done;
}

// One word for all of them.
static bool read_one_word(struct word_reads *r, uint32_t lanes, uint32_t offset) {
  const uint32_t g = (offset - SHARED_FIRST_OFFSET) >> 2;
  if (lanes != UINT32_MAX || g >= r->s->granules || r->s->readers[g] != quick_note(r->kind, QUICK_ALL_LANES))
    return read_word(r, lanes, offset);
  r->s->reader_warps[g] |= reader_warp(r->warp_agent);
  return true;
}

// One word for all, or words that lie anywhere: the loop for strided reads.
static uint32_t read_words(struct word_reads *r, uint32_t lanes, const uint32_t offset[WARP_LANES],
                           bool one) {
  if (one) return read_one_word(r, lanes, offset[__builtin_ctz(lanes)]) ? lanes : 0;
  uint32_t done = lanes == UINT32_MAX ? read_words_quickly(r, offset) : 0;
  for (uint32_t left = lanes & ~done; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left), g = (offset[lane] - SHARED_FIRST_OFFSET) >> 2;
    if (read_word_again(r, lane, g) || read_word(r, 1u << lane, offset[lane])) done |= 1u << lane;
  }
  return done;
}

// Of any width. Lanes that read the same are noted at once.
static uint32_t read_ranges(struct word_reads *r, uint32_t lanes, const uint32_t offset[WARP_LANES],
                            uint32_t bytes) {
  uint32_t done = 0, first, count;
  for (uint32_t left = lanes; left;) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left), together = sharing_lanes(left, offset, lane);
    left &= ~together;
    if (shadow_range(r->s, offset[lane], bytes, &first, &count) && read_granules(r, together, first, count))
      done |= together;
  }
  return done;
}

uint32_t read_quietly(struct warp *w, const struct op *op, struct shadow *s, uint32_t lanes,
                      const uint32_t offset[WARP_LANES], uint32_t bytes, struct warp_view view) {
  const struct order_lanes threads = order_lanes_of(w);
  const uint32_t warp_agent = order_agent_of(w, 0);
  uint32_t done = 0;
  if (!lanes) return 0;
  if (bytes == 4 && s->shift == 2 && (view.same || share_view(threads, lanes))) {
    const uint32_t first = (uint32_t)__builtin_ctz(lanes), some = sharing_lanes(lanes, offset, first);
    if (some == lanes || !(some & (some - 1))) {
      struct word_reads r = word_reads_of(s, op, order_lane(threads, first), warp_agent);
      done = read_words(&r, lanes, offset, some == lanes);
      if (!view.dirty) order_mark_dirty(w, done);
      return done;
    }
  }
  if (view.same || share_view(threads, lanes)) {
    const struct order_thread *t = order_lane(threads, (uint32_t)__builtin_ctz(lanes));
    struct word_reads r = word_reads_of(s, op, t, warp_agent);
    done = read_ranges(&r, lanes, offset, bytes);
    order_mark_dirty(w, done);
    return done;
  }
  for (uint32_t left = lanes; left;) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left), together = sharing_lanes(left, offset, lane);
    uint32_t first, count, g;
    left &= ~together;
    if (!shadow_range(s, offset[lane], bytes, &first, &count)) continue;
    if (!s->lines[first / line_granules(s)].detailed ||
        !s->lines[(first + count - 1) / line_granules(s)].detailed)
      line_spell_out(s, first, count);
    for (g = first; g < first + count; g++)
      if (s->write_agent[g] != NO_AGENT &&
          !have_seen(threads, warp_agent, together, s->write_agent[g], s->write_epoch[g]))
        break;
    if (g < first + count) continue;
    for (g = first; g < first + count; g++)
      note(s, g, op, threads, warp_agent, together);
    done |= together;
  }
  order_mark_dirty(w, done);
  return done;
}
