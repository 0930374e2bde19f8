// Whole lines of shadow memory: tiles that copies fill and send, and that warps read and write lane by lane.
// In: deeds that cover a line. Out: one record for the line instead of one for each granule. One idea: a
// record can only show that there is nothing to report; otherwise the line is spelled out in granules, where
// every case is judged.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

static uint32_t stamp_agents(const struct line_stamp *stamp) {
  return LINE_BYTES >> stamp->lane_shift;
}

bool line_stamp_seen(const struct line_stamp *stamp, const struct clock *c, uint32_t self) {
  const uint32_t agents = stamp_agents(stamp);
  if (!c || stamp->agent + agents > c->count) { // agents beyond the clock's end
    for (uint32_t n = 0; n < agents; n++)
      if (stamp->agent + n != self && clock_seen(c, stamp->agent + n) < stamp->epoch) return false;
    return true;
  }
  uint32_t missing = 0;
  for (uint32_t n = 0; n < agents; n++)
    missing += (stamp->agent + n != self) & (c->seen[stamp->agent + n] < stamp->epoch);
  return missing == 0;
}

bool line_readers_seen(const struct shadow_line *line, const struct clock *c, uint32_t self) {
  for (uint32_t r = 0; r < line->reader_count; r++) {
    if (!line_stamp_seen(&line->readers[r], c, self)) return false;
  }
  return true;
}

static bool same_agents(const struct line_stamp *a, const struct line_stamp *b) {
  return a->agent == b->agent && a->lane_shift == b->lane_shift;
}

void line_written(struct shadow *s, uint32_t line, const struct line_stamp *stamp) {
  struct shadow_line *l = &s->lines[line];
  uint32_t first = line * line_granules(s);
  for (uint32_t g = first; l->detailed && g < first + line_granules(s); g++)
    shadow_clear_readers(s, g);
  l->detailed = false;
  l->reader_count = 0;
  l->write = *stamp;
}

static void grow_readers(struct shadow_line *line) {
  const uint32_t capacity = line->reader_capacity ? line->reader_capacity * 4u : 4;
  struct line_stamp *grown = realloc(line->readers, capacity * sizeof *grown);
  if (!grown) die("out of memory for shadow memory");
  line->readers = grown;
  line->reader_capacity = (uint8_t)capacity;
}

bool line_read(struct shadow_line *line, const struct line_stamp *stamp) {
  uint32_t r = 0;
  while (r < line->reader_count && !same_agents(&line->readers[r], stamp))
    r++;
  if (r == LINE_READERS) return false;
  if (r == line->reader_capacity) grow_readers(line);
  if (r == line->reader_count) line->reader_count++;
  line->readers[r] = *stamp; // whoever has seen the later read has seen the earlier one
  return true;
}

static void spell_out_reader(struct shadow *s, uint32_t g, uint32_t lane, const struct line_stamp *reader) {
  if (reader->warp_agent != NO_AGENT) {
    shadow_read(s, g, reader->warp_agent, reader->agent - reader->warp_agent + lane, reader->epoch,
                reader->op, false);
    return;
  }
  const struct shadow_reader store = {.op = reader->op,
                                      .agent = reader->agent,
                                      .epoch = reader->epoch,
                                      .thread = reader->thread,
                                      .issued_epoch = reader->issued_epoch};
  shadow_read_by_store(s, g, &store);
}

static void spell_out(struct shadow *s, uint32_t line) {
  struct shadow_line *l = &s->lines[line];
  uint32_t first = line * line_granules(s), end = first + line_granules(s);
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
    for (uint32_t r = 0; r < l->reader_count; r++)
      spell_out_reader(s, g, byte >> l->readers[r].lane_shift, &l->readers[r]);
  }
  l->detailed = true;
}

void line_spell_out(struct shadow *s, uint32_t first, uint32_t count) {
  for (uint32_t line = first / line_granules(s); line * line_granules(s) < first + count; line++) {
    if (!s->lines[line].detailed) spell_out(s, line);
  }
}

// ---- a warp's access, lane by lane ------------------------------------------------------------------------

struct warp_access {
  struct order_thread *threads;          // of the warp's lanes
  const struct clock *bases[WARP_LANES]; // what they have seen, each clock once
  uint32_t base_count;
  bool write;
};

static bool is_in_step(const uint32_t offset[WARP_LANES], uint32_t bytes) {
  if (bytes < 4 || (bytes & (bytes - 1)) || (offset[0] - SHARED_FIRST_OFFSET) % LINE_BYTES) return false;
  uint32_t wrong = 0; // no early way out: the loop becomes vector instructions
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    wrong |= offset[lane] ^ (offset[0] + lane * bytes);
  return wrong == 0;
}

// All lanes take the latest epoch among theirs, so that one number stands for all of a line's lanes. Epochs
// may skip numbers; they only have to grow.
static void share_epoch(struct warp_access *a) {
  uint32_t latest = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    const struct order_thread *t = &a->threads[lane];
    if (t->epoch > latest) latest = t->epoch;
    if (lane == 0 || t->base != a->bases[a->base_count - 1]) a->bases[a->base_count++] = t->base;
  }
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    a->threads[lane].epoch = latest;
    a->threads[lane].dirty = true;
  }
}

static bool may_touch(const struct warp_access *a, const struct shadow_line *l,
                      const struct line_stamp *stamp) {
  bool own = same_agents(&l->write, stamp);
  for (uint32_t b = 0; l->write.agent != NO_AGENT && !own && b < a->base_count; b++) {
    if (!line_stamp_seen(&l->write, a->bases[b], NO_AGENT)) return false;
  }
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
                             .epoch = order_thread_of(w, 0)->epoch,
                             .warp_agent = order_agent_of(w, 0),
                             .lane_shift = (uint8_t)__builtin_ctz(bytes)};
}

uint32_t line_warp_access(struct warp *w, const struct op *op, struct shadow *s,
                          const uint32_t offset[WARP_LANES], uint32_t bytes, bool write) {
  uint32_t first, count;
  if (!is_in_step(offset, bytes) || !shadow_range(s, offset[0], WARP_LANES * bytes, &first, &count)) return 0;
  struct warp_access a = {.threads = order_thread_of(w, 0), .write = write};
  share_epoch(&a);
  struct line_stamp stamp = stamp_of(w, op, bytes);
  uint32_t lanes_of_a_line = LINE_BYTES / bytes, line = first / line_granules(s), done = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane += lanes_of_a_line, line++) {
    struct shadow_line *l = &s->lines[line];
    stamp.agent = stamp.warp_agent + lane;
    stamp.thread = stamp.agent - 1;
    if (l->detailed || !may_touch(&a, l, &stamp)) continue;
    if (write)
      line_written(s, line, &stamp);
    else if (!line_read(l, &stamp))
      continue;
    done |= (uint32_t)(((uint64_t)1 << lanes_of_a_line) - 1) << lane;
  }
  return done;
}

void line_warp_wrote(struct warp *w, const struct op *op, struct shadow *s, const uint32_t offset[WARP_LANES],
                     uint32_t bytes, uint32_t lanes) {
  uint32_t first, count;
  if (!is_in_step(offset, bytes) || !shadow_range(s, offset[0], WARP_LANES * bytes, &first, &count)) return;
  struct line_stamp stamp = stamp_of(w, op, bytes);
  for (uint32_t lane = 0; lane < WARP_LANES; lane += LINE_BYTES / bytes) {
    if (!(lanes >> lane & 1)) continue;
    stamp.agent = stamp.warp_agent + lane;
    stamp.thread = stamp.agent - 1;
    line_written(s, first / line_granules(s) + lane * bytes / LINE_BYTES, &stamp);
  }
}
