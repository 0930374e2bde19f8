// Whole lines of shadow memory: tiles that copies fill and send, and that warps read and write lane by lane.
// In: deeds that cover a line. Out: one record for the line instead of one for each granule. One idea: a
// record can only show that there is nothing to report; otherwise the line is spelled out in granules, where
// every case is judged.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

// How many of the epochs have not come to `epoch`.
OVER_ALL_AGENTS static uint32_t count_missing(const uint32_t *seen, uint32_t count, uint32_t epoch) {
  uint32_t missing = 0;
  for (uint32_t n = 0; n < count; n++)
    missing += seen[n] < epoch;
  return missing;
}

bool line_stamp_seen(const struct line_stamp *stamp, const struct clock *c, uint32_t self) {
  const uint32_t first = stamp_first_agent(stamp), agents = stamp_agents(stamp);
  if (agents == 1) return first == self || clock_seen(c, first) >= stamp->epoch;
  if (!c || first + agents > c->count) { // agents beyond the clock's end
    for (uint32_t n = 0; n < agents; n++)
      if (first + n != self && clock_seen(c, first + n) < stamp->epoch) return false;
    return true;
  }
  const uint32_t missing = count_missing(&c->seen[first], agents, stamp->epoch);
  return missing == 0 || (missing == 1 && self - first < agents && c->seen[self] < stamp->epoch);
}

bool line_stamp_visible(const struct line_stamp *stamp, const struct order_thread *t, uint32_t self) {
  const uint32_t first = stamp_first_agent(stamp), agents = stamp_agents(stamp);
  const struct clock *c = t->base;
  if (agents == 1 || !c || !c->visible[PROXY_SHARED] || first + agents > c->count) {
    for (uint32_t n = 0; n < agents; n++)
      if (order_made_visible(t, self, PROXY_SHARED, first + n) < stamp->epoch) return false;
    return true;
  }
  const uint32_t *visible = c->visible[PROXY_SHARED];
  const bool has_self = self - first < agents;
  const uint32_t missing = count_missing(&visible[first], agents, stamp->epoch);
  if (has_self && t->visible[PROXY_SHARED] < stamp->epoch) return false;
  return missing == (has_self && visible[self] < stamp->epoch);
}

bool line_readers_seen(const struct shadow_line *line, const struct clock *c, uint32_t self) {
  for (uint32_t r = 0; r < line->reader_count; r++) {
    if (!line_stamp_seen(&line->readers[r], c, self)) return false;
  }
  return true;
}

static bool same_agents(const struct line_stamp *a, const struct line_stamp *b) {
  return a->agent == b->agent && a->lane_shift == b->lane_shift && a->skip == b->skip &&
         a->skip_end == b->skip_end;
}

void line_written(struct shadow *s, uint32_t line, const struct line_stamp *stamp) {
  struct shadow_line *l = &s->lines[line];
  uint32_t first = line * line_granules(s);
  for (uint32_t g = first; l->detailed && g < first + line_granules(s); g++)
    shadow_clear_readers(s, g);
  l->detailed = false;
  l->reader_count = 0;
  l->quick_warps = 0;
  l->write = *stamp;
}

static void grow_readers(struct shadow_line *line) {
  const uint32_t capacity = line->reader_capacity ? line->reader_capacity * 4u : 4;
  struct line_stamp *grown = realloc(line->readers, capacity * sizeof *grown);
  if (!grown) die("out of memory for shadow memory");
  line->readers = grown;
  line->reader_capacity = (uint8_t)capacity;
}

// A shape: the lane that would read the line's first byte, plus SHAPE_LEAD, and what the stamp says.
enum { SHAPE_LEAD = 128 };
static uint32_t shape_of(const struct line_stamp *stamp) {
  const uint32_t lead = stamp->agent - stamp->warp_agent + SHAPE_LEAD;
  return lead << 24 | (uint32_t)stamp->lane_shift << 16 | (uint32_t)stamp->skip << 8 | stamp->skip_end;
}

void line_spell_readers(const struct shadow *s, struct shadow_line *line) {
  uint32_t warps = line->quick_warps;
  const struct quick_kind *kind = warps ? quick_kind_at(s, quick_note(line->quick_kind, 0)) : NULL;
  line->quick_warps = 0;
  for (; kind && warps; warps &= warps - 1) {
    struct line_stamp stamp = {.op = kind->op,
                               .epoch = kind->epoch,
                               .warp_agent = kind->agent + (uint32_t)__builtin_ctz(warps) * WARP_LANES,
                               .lane_shift = (uint8_t)(line->quick_shape >> 16),
                               .skip = (uint8_t)(line->quick_shape >> 8),
                               .skip_end = (uint8_t)line->quick_shape};
    stamp.agent = stamp.warp_agent + (line->quick_shape >> 24) - SHAPE_LEAD;
    stamp.thread = stamp.agent - 1;
    line_read(s, line, &stamp); // there is room for a block's warps
  }
}

bool line_quick_seen(const struct shadow *s, const struct shadow_line *line, const struct clock *c,
                     const struct line_stamp *self) {
  uint32_t warps = line->quick_warps;
  const struct quick_kind *kind = warps && c ? quick_kind_at(s, quick_note(line->quick_kind, 0)) : NULL;
  if (kind && self && kind->agent == reader_base(self->warp_agent) && line->quick_shape == shape_of(self))
    warps &= ~reader_warp(self->warp_agent);
  for (; kind && warps; warps &= warps - 1) {
    const uint32_t agent = kind->agent + (uint32_t)__builtin_ctz(warps) * WARP_LANES;
    if (agent + WARP_LANES > c->count || count_missing(&c->seen[agent], WARP_LANES, kind->epoch))
      return false;
  }
  return kind != NULL;
}

bool line_read(const struct shadow *s, struct shadow_line *line, const struct line_stamp *stamp) {
  enum { MOST_SHAPES = 8 }; // of one warp: more are a table that each thread reads from elsewhere on
  uint32_t r = 0, shapes = 0;
  if (line->quick_warps) line_spell_readers(s, line);
  for (; r < line->reader_count && !same_agents(&line->readers[r], stamp); r++)
    shapes += line->readers[r].warp_agent == stamp->warp_agent;
  if (r == LINE_READERS || (r == line->reader_count && shapes == MOST_SHAPES && stamp->warp_agent))
    return false;
  if (r == line->reader_capacity) grow_readers(line);
  if (r == line->reader_count) line->reader_count++;
  line->readers[r] = *stamp; // whoever has seen the later read has seen the earlier one
  return true;
}

// byte: of the granule, in its line.
static void spell_out_reader(struct shadow *s, uint32_t g, uint32_t byte, const struct line_stamp *reader) {
  if (reader->warp_agent != NO_AGENT) {
    if (byte < reader->skip || byte >= (uint32_t)LINE_BYTES - reader->skip_end) return;
    const uint32_t lane = reader->agent - reader->warp_agent + (byte >> reader->lane_shift);
    shadow_read(s, g, reader->warp_agent, 1u << lane, reader->epoch, reader->op, false);
    return;
  }
  const struct shadow_reader store = {.op = reader->op,
                                      .agent = reader->agent,
                                      .epoch = reader->epoch,
                                      .thread = reader->thread,
                                      .issued_epoch = reader->issued_epoch};
  shadow_read_by_store(s, g, &store);
}

// Of so many neighbouring bytes, a power of 2, all have the same readers.
static uint32_t bytes_alike(const struct shadow_line *l) {
  uint32_t shift = LINE_SHIFT;
  for (uint32_t r = 0; r < l->reader_count; r++)
    if (l->readers[r].lane_shift < shift) shift = l->readers[r].lane_shift;
  return 1u << shift;
}

static void spell_out(struct shadow *s, uint32_t line) {
  struct shadow_line *l = &s->lines[line];
  uint32_t first = line * line_granules(s), end = first + line_granules(s);
  line_spell_readers(s, l);
  const uint32_t alike = bytes_alike(l);
  for (uint32_t g = first; g < end && g < s->granules; g++) {
    uint32_t byte = (g - first) << s->shift, lane = byte >> l->write.lane_shift;
    s->write_agent[g] = l->write.agent;
    s->readers[g] = s->reader_warps[g] = 0;
    if (l->write.agent != NO_AGENT) {
      s->write_agent[g] += lane;
      s->write_epoch[g] = l->write.epoch;
      s->write_thread[g] = l->write.thread + lane;
      s->write_op[g] = l->write.op;
    }
    s->write_atomic[g] = l->write.agent != NO_AGENT && l->write.atomic;
    if (byte % alike) shadow_copy_readers(s, g, g - 1);
    for (uint32_t r = 0; byte % alike == 0 && r < l->reader_count; r++)
      spell_out_reader(s, g, byte, &l->readers[r]);
  }
  l->detailed = true;
}

void line_spell_out_all(struct shadow *s, uint32_t first, uint32_t count) {
  for (uint32_t line = first / line_granules(s); line * line_granules(s) < first + count; line++) {
    if (!s->lines[line].detailed) spell_out(s, line);
  }
}

// ---- a warp's access, lane by lane ------------------------------------------------------------------------

struct warp_access {
  const struct warp *w;
  struct order_thread *threads;          // of the warp's lanes; folded: the one that stands for them
  const struct clock *bases[WARP_LANES]; // what they have seen, each clock once
  uint32_t base_count;
  bool write;
  bool quick;                // reads of lanes that share a view ..
  uint32_t kind;             // .. and their kind (quick.c)
  struct word_access *words; // of a folded warp; NULL: words are left to others
};

OVER_ALL_AGENTS static bool is_in_step(const uint32_t offset[WARP_LANES], uint32_t bytes) {
  uint32_t wrong = 0; // no early way out: the loop becomes vector instructions
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    wrong |= offset[lane] ^ (offset[0] + lane * bytes);
  return wrong == 0;
}

// Lanes behind which the next one is no neighbour, one bit each.
OVER_ALL_AGENTS static uint32_t ends_of_runs(const uint32_t offset[WARP_LANES], uint32_t bytes) {
  uint32_t ends = 0;
  for (uint32_t lane = 0; lane + 1 < WARP_LANES; lane++)
    ends |= (uint32_t)(offset[lane + 1] != offset[lane] + bytes) << lane;
  return ends | 1u << (WARP_LANES - 1);
}

// Whether bytes from here on can be lanes of a line each: `unit` is a power of 2.
static bool begins_well(uint32_t offset, uint32_t unit) {
  return offset >= SHARED_FIRST_OFFSET && ((offset - SHARED_FIRST_OFFSET) & (unit - 1)) == 0;
}

// Neighbours in their order, each lane within one line; writes begin at a line. A warp may read a few such
// runs, as where a tile's row ends in its middle. Returns the last lane of each run, one bit each; 0: it
// doesn't go by lines.
static uint32_t runs_by_lines(const struct shadow *s, const uint32_t offset[WARP_LANES], uint32_t bytes,
                              bool write) {
  enum { MOST_RUNS = 4 };
  if (bytes < 4 || (bytes & (bytes - 1)) || !begins_well(offset[0], write ? (uint32_t)LINE_BYTES : bytes))
    return 0;
  const uint32_t whole = 1u << (WARP_LANES - 1), ends = is_in_step(offset, bytes) ? whole
                                                        : write                   ? 0
                                                                : ends_of_runs(offset, bytes);
  if (__builtin_popcount(ends) > MOST_RUNS) return 0;
  for (uint32_t left = ends, lane = 0, first, count; left; left &= left - 1) {
    const uint32_t lanes = (uint32_t)__builtin_ctz(left) + 1 - lane;
    if (!begins_well(offset[lane], bytes) || !shadow_range(s, offset[lane], lanes * bytes, &first, &count))
      return 0;
    lane += lanes;
  }
  return ends;
}

// All lanes take the latest epoch among theirs, so that one number stands for all of a line's lanes. Epochs
// may skip numbers; they only have to grow.
static void share_epoch(struct warp_access *a, struct warp_view *view) {
  uint32_t latest = a->threads[0].epoch;
  a->bases[a->base_count++] = a->threads[0].base;
  for (uint32_t lane = 1; lane < WARP_LANES && !view->same; lane++) {
    const struct order_thread *t = &a->threads[lane];
    if (t->epoch > latest) latest = t->epoch;
    if (t->base != a->bases[a->base_count - 1]) a->bases[a->base_count++] = t->base;
  }
  for (uint32_t lane = 0; lane < WARP_LANES && !view->same; lane++)
    a->threads[lane].epoch = latest;
  if (!view->dirty) order_mark_dirty(a->w, UINT32_MAX);
  view->same = a->base_count == 1;
  view->dirty = true;
}

static bool readers_seen_quickly(const struct warp_access *a, const struct shadow *s,
                                 const struct shadow_line *l, const struct line_stamp *self) {
  bool seen = true;
  for (uint32_t b = 0; seen && b < a->base_count; b++)
    seen = line_quick_seen(s, l, a->bases[b], self);
  return seen;
}

// A copy's whole line has one number to look at.
static bool write_seen(const struct line_stamp *write, const struct clock *c) {
  if (write->lane_shift == LINE_SHIFT) return clock_seen(c, write->agent) >= write->epoch;
  return line_stamp_seen(write, c, NO_AGENT);
}

static bool may_touch(const struct warp_access *a, const struct shadow *s, struct shadow_line *l,
                      const struct line_stamp *stamp) {
  bool own = same_agents(&l->write, stamp);
  for (uint32_t b = 0; l->write.agent != NO_AGENT && !own && b < a->base_count; b++) {
    if (!write_seen(&l->write, a->bases[b])) return false;
  }
  if (a->write && l->quick_warps && !readers_seen_quickly(a, s, l, stamp)) line_spell_readers(s, l);
  for (uint32_t r = 0; a->write && r < l->reader_count; r++) {
    if (same_agents(&l->readers[r], stamp)) continue;
    for (uint32_t b = 0; b < a->base_count; b++) {
      if (!line_stamp_seen(&l->readers[r], a->bases[b], NO_AGENT)) return false;
    }
  }
  return true;
}

static struct line_stamp stamp_of(struct warp *w, const struct op *op, uint32_t bytes) {
  return (struct line_stamp){.op = op,
                             .epoch = order_view_of(w, 0)->epoch,
                             .warp_agent = order_agent_of(w, 0),
                             .lane_shift = (uint8_t)__builtin_ctz(bytes)};
}

// Other warps have read the line alike, and it was in order: then this is, too.
static bool read_quickly_again(struct shadow_line *l, uint32_t kind, const struct line_stamp *stamp) {
  if (!l->quick_warps || l->quick_kind != kind || l->quick_shape != shape_of(stamp)) return false;
  l->quick_warps |= reader_warp(stamp->warp_agent);
  return true;
}

// Returns false when the line has to be looked at granule by granule.
static bool touch_line(const struct warp_access *a, struct shadow *s, struct shadow_line *l,
                       const struct line_stamp *stamp) {
  if (!may_touch(a, s, l, stamp)) return false;
  if (a->write) {
    line_written(s, (uint32_t)(l - s->lines), stamp);
    return true;
  }
  // A warp's own write may be one that the others have not seen.
  if (!a->quick || l->reader_count || l->quick_warps || same_agents(&l->write, stamp))
    return line_read(s, l, stamp);
  l->quick_warps = reader_warp(stamp->warp_agent);
  l->quick_kind = a->kind;
  l->quick_shape = shape_of(stamp);
  return true;
}

// The same of a line that is spelled out. So many lanes from `lane` on are there.
static bool touch_words(const struct warp_access *a, uint32_t line, uint32_t granule,
                        const struct line_stamp *stamp, uint32_t lane, uint32_t lanes) {
  if (!a->words) return false;
  if (!a->write) return words_read_row(a->words, granule, lane, lanes);
  if (!words_may_be_written(a->words, granule, stamp->agent, lanes)) return false;
  line_written(a->words->s, line, stamp);
  return true;
}

// So many lanes from `lane` on are neighbours, the first one at `offset`. Returns the bits of those that are
// done.
static uint32_t access_run(const struct warp_access *a, struct shadow *s, struct line_stamp stamp,
                           uint32_t lane, uint32_t lanes, uint32_t offset) {
  const uint32_t begin = offset - SHARED_FIRST_OFFSET, end = begin + (lanes << stamp.lane_shift);
  uint32_t done = 0;
  for (uint32_t at = begin, next; at < end; at = next) { // the bytes in one line
    next = (at / LINE_BYTES + 1) * LINE_BYTES;
    stamp.skip = (uint8_t)(at % LINE_BYTES);
    stamp.skip_end = (uint8_t)(next > end ? next - end : 0);
    if (next > end) next = end;
    const uint32_t first = lane + ((at - begin) >> stamp.lane_shift);
    stamp.agent = stamp.warp_agent + first - (stamp.skip >> stamp.lane_shift);
    stamp.thread = stamp.agent - 1;
    struct shadow_line *line = &s->lines[at / LINE_BYTES];
    const uint32_t some = (next - at) >> stamp.lane_shift;
    if (line->detailed
            ? !touch_words(a, at / LINE_BYTES, at >> s->shift, &stamp, first, some)
            : !(a->quick && read_quickly_again(line, a->kind, &stamp)) && !touch_line(a, s, line, &stamp))
      continue;
    done |= (uint32_t)(((uint64_t)1 << some) - 1) << first;
  }
  return done;
}

uint32_t line_warp_access(struct warp *w, const struct op *op, struct shadow *s,
                          const uint32_t offset[WARP_LANES], uint32_t bytes, bool write,
                          struct warp_view *view, struct word_access *words) {
  const uint32_t ends = runs_by_lines(s, offset, bytes, write);
  if (!ends) return 0;
  struct order_warp *warp = order_warp_of(w);
  struct warp_access a; // its array stays as it is
  a.w = w;
  a.threads = warp->folded ? &warp->all : order_thread_of(w, 0);
  a.base_count = 0;
  a.write = write;
  a.words = words;
  share_epoch(&a, view);
  const struct line_stamp stamp = stamp_of(w, op, bytes);
  a.quick = !write && view->same;
  a.kind = a.quick ? quick_kind(s, op, a.threads->base, reader_base(stamp.warp_agent), stamp.epoch) : 0;
  uint32_t done = 0;
  for (uint32_t left = ends, lane = 0; left; left &= left - 1) {
    const uint32_t lanes = (uint32_t)__builtin_ctz(left) + 1 - lane;
    done |= access_run(&a, s, stamp, lane, lanes, offset[lane]);
    lane += lanes;
  }
  return done;
}

uint32_t line_row(struct warp *w, struct word_access *words, uint32_t offset, bool write) {
  struct shadow *s = words->s;
  const uint32_t bytes = 1u << (words->each_shift + s->shift);
  if (bytes < 4 || (write && !begins_well(offset, LINE_BYTES))) return 0;
  struct warp_access a; // its array stays as it is
  a.w = w;
  a.threads = words->t;
  a.bases[0] = words->t->base;
  a.base_count = 1;
  a.write = write;
  a.quick = !write;
  a.kind = words->kind;
  a.words = words;
  words->t->dirty = true;
  const struct line_stamp stamp = stamp_of(w, words->op, bytes);
  return access_run(&a, s, stamp, 0, WARP_LANES, offset);
}

void line_warp_wrote(struct warp *w, const struct op *op, struct shadow *s, const uint32_t offset[WARP_LANES],
                     uint32_t bytes, uint32_t lanes) {
  if (!runs_by_lines(s, offset, bytes, true)) return;
  const uint32_t first = (offset[0] - SHARED_FIRST_OFFSET) / LINE_BYTES;
  struct line_stamp stamp = stamp_of(w, op, bytes);
  for (uint32_t lane = 0; lane < WARP_LANES; lane += LINE_BYTES / bytes) {
    if (!(lanes >> lane & 1)) continue;
    stamp.agent = stamp.warp_agent + lane;
    stamp.thread = stamp.agent - 1;
    line_written(s, first + lane * bytes / LINE_BYTES, &stamp);
  }
}
