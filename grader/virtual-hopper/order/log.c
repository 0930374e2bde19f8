// What warps have read of shared memory since the last barrier that all threads of the block have passed. In:
// reads, writes, copies, such barriers. Out: the same reads in the shadow, but only where somebody looks. One
// idea: whatever threads had written before that barrier all of them have seen, so a read of it needs no look
// at its writer; and whoever writes after the next one has seen the read. Most reads lie between two barriers
// and meet no write there, so one entry stands for a warp, and is dropped.
//
// Bytes that a copy has written, or nobody, are left to the shadow: a barrier says nothing of a copy's end,
// and reads before anything was written are told of later, in whatever order they come.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

enum {
  LINE_COPIED = 1,  // by a copy, at any time
  LINE_FRESH = 2,   // some thread has written there since the barrier
  LINE_LOGGED = 4,  // some entry of the log is of it
  LINE_WRITTEN = 8, // all of its words have been, by threads
  LINE_KNOWN = 16   // `calm` has been made for it
};
enum { MOST_READS = 4096, MOST_PLACES = 1024, BY_PLACES = INT32_MIN, REST = 16, CREDIT = 8 };
enum { WORD = 4, LINE_WORDS = LINE_BYTES / WORD };
enum { MOST_STEP = 4 * LINE_BYTES }; // lines between those of neighbouring lanes count, too

struct logged_read { // lane i's bytes begin at offset + i * step; BY_PLACES: offset is an index of places
  const struct op *op;
  uint32_t agent, epoch, lanes; // agent: of lane 0
  uint32_t offset;
  int32_t step;
  uint32_t bytes;
};

static void *room(void *old, size_t count, size_t size) {
  void *grown = realloc(old, count * size);
  if (!grown) die("out of memory for shadow memory");
  return grown;
}

void log_begin(struct shadow *s, bool may_log) {
  struct read_log *l = &s->log;
  l->count = l->place_count = 0;
  l->may = may_log;
  l->on = false; // nothing has been written yet
  if (!may_log) return;
  if (l->line_capacity < s->line_count) {
    l->lines = room(l->lines, s->line_count, sizeof *l->lines);
    l->calm = room(l->calm, s->line_count, sizeof *l->calm);
    l->line_capacity = s->line_count;
  }
  if (s->line_count) memset(l->lines, 0, s->line_count * sizeof *l->lines);
  if (s->line_count) memset(l->calm, 0, s->line_count * sizeof *l->calm);
}

void log_end(struct read_log *l) {
  free(l->lines);
  free(l->calm);
  free(l->reads);
  free(l->places);
}

// ---- calm words: those that threads have written, and all threads have seen -------------------------------

// The line's words that have been written, a bit for each, with those behind the end of shared memory.
static uint32_t written_words(const struct shadow *s, uint32_t line) {
  const struct shadow_line *l = &s->lines[line];
  const uint32_t first = line * line_granules(s), end = first + line_granules(s);
  uint32_t gaps = 0;
  if (!l->detailed) return l->write.agent == NO_AGENT ? 0 : UINT32_MAX;
  for (uint32_t g = first; g < end && g < s->granules; g++)
    gaps |= (uint32_t)(s->write_agent[g] == NO_AGENT) << ((g - first) << s->shift) / WORD;
  return ~gaps;
}

// Returns false when it is known already which of the line's words are calm.
static bool look(struct shadow *s, uint32_t line) {
  struct read_log *l = &s->log;
  if (l->lines[line] & (LINE_COPIED | LINE_FRESH | LINE_KNOWN)) return false;
  l->calm[line] = written_words(s, line);
  l->lines[line] |= LINE_KNOWN | (l->calm[line] == UINT32_MAX ? (unsigned)LINE_WRITTEN : 0);
  return true;
}

static bool look_at(struct shadow *s, uint32_t from, uint32_t to) {
  bool news = false;
  for (uint32_t line = from; line <= to; line++)
    news |= look(s, line);
  return news;
}

// So many bytes in one line, from `first` on, are calm; first: counted from the begin of shared memory.
static inline bool is_calm(struct shadow *s, uint32_t first, uint32_t bytes) {
  const uint32_t line = first / LINE_BYTES, in_line = first % LINE_BYTES;
  if (line >= s->line_count || in_line + bytes > LINE_BYTES) return false;
  if (!s->log.calm[line]) look(s, line);
  const uint32_t from = in_line / WORD, to = (in_line + bytes - 1) / WORD;
  return !((~s->log.calm[line] & (UINT32_MAX >> (LINE_WORDS - 1 - to))) >> from);
}

// What lanes of a warp read whose bytes are `step` apart.
struct row {
  uint32_t first; // of lane 0, counted from the begin of shared memory; it may be before it
  int32_t step;
  uint32_t bytes, lanes;
  uint32_t from, to; // lines
};

// False: it isn't one that can be looked at like this, or not in shared memory.
static inline bool row_begin(const struct shadow *s, struct row *r, uint32_t offset, int32_t step,
                             uint32_t bytes, uint32_t lanes) {
  const uint32_t some = (uint32_t)__builtin_ctz(lanes), last = 31 - (uint32_t)__builtin_clz(lanes);
  r->first = offset - SHARED_FIRST_OFFSET;
  r->step = step;
  r->bytes = bytes;
  r->lanes = lanes;
  const uint32_t one = r->first + some * (uint32_t)step, other = r->first + last * (uint32_t)step;
  const uint32_t begin = step < 0 ? other : one, end = (step < 0 ? one : other) + bytes;
  r->from = begin / LINE_BYTES;
  r->to = (end - 1) / LINE_BYTES;
  return step <= MOST_STEP && step >= -MOST_STEP && begin < end && r->to < s->line_count;
}

// Each lane's words in one line. No early way out: the loop becomes vector instructions.
OVER_ALL_AGENTS static bool lanes_are_calm(const uint32_t *calm, const struct row *r, uint32_t words) {
  uint32_t missing = 0, all = words < 32 ? (1u << words) - 1 : UINT32_MAX, first = r->first;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    const uint32_t at = first + lane * (uint32_t)r->step;
    const uint32_t counts = 0 - (r->lanes >> lane & 1), line = at / LINE_BYTES & counts;
    missing |= ~(calm[line] >> at % LINE_BYTES / WORD) & all & counts;
  }
  return !missing;
}

static bool row_is_calm_now(const struct shadow *s, const struct row *r) {
  const uint32_t *calm = s->log.calm, words = r->bytes / WORD;
  uint32_t all = UINT32_MAX;
  bool empty = false; // some line has no calm word
  for (uint32_t line = r->from; line <= r->to; line++) {
    all &= calm[line];
    empty |= !calm[line];
  }
  if (all == UINT32_MAX) return true;
  if (empty && r->step <= LINE_BYTES && r->step >= -LINE_BYTES) return false;
  return words && r->bytes % WORD == 0 && !((r->first | (uint32_t)r->step) & (r->bytes - 1)) &&
         lanes_are_calm(calm, r, words);
}

static inline bool row_is_calm(struct shadow *s, const struct row *r) {
  return row_is_calm_now(s, r) || (look_at(s, r->from, r->to) && row_is_calm_now(s, r));
}

// ---- entries ----------------------------------------------------------------------------------------------

static uint32_t place_of(const struct read_log *l, const struct logged_read *r, uint32_t lane) {
  return r->step == BY_PLACES ? l->places[r->offset][lane] : r->offset + lane * (uint32_t)r->step;
}

static void note(struct shadow *s, const struct logged_read *r, uint32_t lanes, uint32_t offset) {
  uint32_t first, count;
  if (!shadow_range(s, offset, r->bytes, &first, &count)) return;
  line_spell_out(s, first, count);
  for (uint32_t g = first; g < first + count; g++)
    shadow_read(s, g, r->agent, lanes, r->epoch, r->op, false);
}

static void forget(struct shadow *s) {
  for (uint32_t line = 0; line < s->line_count; line++)
    s->log.lines[line] &= (uint8_t)~LINE_LOGGED;
  s->log.count = s->log.place_count = 0;
}

void log_spell_out(struct shadow *s) {
  struct read_log *l = &s->log;
  for (uint32_t i = 0; i < l->count; i++) {
    const struct logged_read *r = &l->reads[i];
    if (r->step == 0)
      note(s, r, r->lanes, r->offset);
    else
      EACH_LANE(lane, r->lanes) note(s, r, 1u << lane, place_of(l, r, lane));
  }
  forget(s);
  // Where that happens again and again, reads had better go to the shadow at once.
  l->credit -= 3;
  if (l->credit >= 0) return;
  l->on = false;
  l->rest = REST;
  l->credit = 0;
}

static bool is_same(const struct logged_read *a, const struct logged_read *b) {
  return a->op == b->op && a->agent == b->agent && a->epoch == b->epoch && a->lanes == b->lanes &&
         a->offset == b->offset && a->step == b->step && a->bytes == b->bytes;
}

static uint32_t slot_of(const struct logged_read *r) {
  const uint64_t mixed = ((uintptr_t)r->op >> 4) + r->agent * 0x9e3779b1ull + r->offset * 0x85ebca6bull +
                         (uint64_t)r->epoch * 0xc2b2ae35ull;
  return (uint32_t)(mixed * 0x9e3779b97f4a7c15ull >> 52); // below MOST_READS
}

// A loop without barriers reads the same again. Of entries that are alike the last one says all.
static void drop_repeats(struct read_log *l) {
  uint32_t *last = calloc(MOST_READS, sizeof *last), kept = 0; // index + 1 of an entry; 0: none
  if (!last) die("out of memory for shadow memory");
  for (uint32_t i = l->count; i-- > 0;) {
    struct logged_read *r = &l->reads[i];
    uint32_t *slot = &last[slot_of(r)];
    if (*slot && is_same(&l->reads[*slot - 1], r))
      r->lanes = 0;
    else
      *slot = i + 1;
  }
  for (uint32_t i = 0; i < l->count; i++)
    if (l->reads[i].lanes) l->reads[kept++] = l->reads[i];
  l->count = kept;
  free(last);
}

// Room for one more entry. False: the log has been spelled out instead, and rests.
static bool has_room(struct shadow *s) {
  struct read_log *l = &s->log;
  if (!l->reads) {
    l->reads = room(NULL, MOST_READS, sizeof *l->reads);
    l->places = room(NULL, MOST_PLACES, sizeof *l->places);
    l->room = MOST_READS;
    return true;
  }
  drop_repeats(l);
  if (l->count <= MOST_READS / 2) return true;
  log_spell_out(s);
  l->on = false;
  return false;
}

// ---- reads ------------------------------------------------------------------------------------------------

// The lanes' epoch, in which they have now done something; 0: they have several.
static uint32_t read_epoch(const struct warp *w, struct order_warp *warp, uint32_t agent, uint32_t lanes) {
  if (warp->folded && lanes == UINT32_MAX) {
    warp->all.dirty = true;
    return warp->all.epoch;
  }
  const struct order_lanes threads = {order_view_at(w->block->order->cluster, agent - 1), !warp->folded};
  const uint32_t epoch = order_lane(threads, (uint32_t)__builtin_ctz(lanes))->epoch;
  uint32_t different = 0;
  if (threads.step) EACH_LANE(lane, lanes) different |= order_lane(threads, lane)->epoch ^ epoch;
  if (different) return 0;
  order_mark_dirty(w, lanes);
  return epoch;
}

static bool append(const struct warp *w, struct shadow *s, const struct op *op, uint32_t lanes,
                   uint32_t offset, int32_t step, uint32_t bytes) {
  const uint32_t agent = order_agent_of(w, 0);
  struct read_log *l = &s->log;
  if (l->count == l->room && !has_room(s)) return false;
  const uint32_t epoch =
      read_epoch(w, &w->block->order->cluster->warp[(agent - 1) / WARP_LANES], agent, lanes);
  if (!epoch) return false;
  l->reads[l->count++] = (struct logged_read){op, agent, epoch, lanes, offset, step, bytes};
  return true;
}

static inline bool append_row(const struct warp *w, struct shadow *s, const struct op *op,
                              const struct row *r) {
  if (!append(w, s, op, r->lanes, r->first + SHARED_FIRST_OFFSET, r->step, r->bytes)) return false;
  for (uint32_t line = r->from; line <= r->to; line++)
    s->log.lines[line] |= LINE_LOGGED;
  return true;
}

bool log_row(const struct warp *w, const struct op *op, struct shadow *s, uint32_t offset, int32_t step,
             uint32_t bytes) {
  struct row r;
  return s->log.on && row_begin(s, &r, offset, step, bytes, UINT32_MAX) && row_is_calm(s, &r) &&
         append_row(w, s, op, &r);
}

// The lanes that are `step` apart, as seen from this one; those that don't count may be among them.
OVER_ALL_AGENTS static uint32_t in_step(const uint32_t offset[WARP_LANES], uint32_t from, uint32_t step) {
  const uint32_t first = offset[from] - from * step;
  uint32_t in = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    in |= (uint32_t)(offset[lane] == first + lane * step) << lane;
  return in;
}

static bool log_places(const struct warp *w, const struct op *op, struct shadow *s, uint32_t lanes,
                       const uint32_t offset[WARP_LANES], uint32_t bytes) {
  struct read_log *l = &s->log;
  if (l->place_count == MOST_PLACES) { // the next ones had better go to the shadow
    log_spell_out(s);
    l->on = false;
    return false;
  }
  EACH_LANE(lane, lanes) if (!is_calm(s, offset[lane] - SHARED_FIRST_OFFSET, bytes)) return false;
  if (!append(w, s, op, lanes, l->place_count, BY_PLACES, bytes)) return false;
  memcpy(l->places[l->place_count++], offset, sizeof *l->places);
  EACH_LANE(lane, lanes) l->lines[(offset[lane] - SHARED_FIRST_OFFSET) / LINE_BYTES] |= LINE_LOGGED;
  return true;
}

// Lanes that begin elsewhere in a table, and go on at its begin where they come to its end, are two rows.
bool log_lanes(const struct warp *w, const struct op *op, struct shadow *s, uint32_t lanes,
               const uint32_t offset[WARP_LANES], uint32_t bytes) {
  const uint32_t some = (uint32_t)__builtin_ctz(lanes), last = 31 - (uint32_t)__builtin_clz(lanes);
  struct row r, more;
  if (!s->log.on) return false;
  if (some < last && !(lanes >> (some + 1) & 1)) return log_places(w, op, s, lanes, offset, bytes);
  const int32_t step = some < last ? (int32_t)(offset[some + 1] - offset[some]) : 0;
  const uint32_t one = lanes & in_step(offset, some, (uint32_t)step), rest = lanes & ~one;
  if (rest & ~(rest ? in_step(offset, last, (uint32_t)step) : 0) ||
      !row_begin(s, &r, offset[some] - some * (uint32_t)step, step, bytes, one) ||
      (rest && !row_begin(s, &more, offset[last] - last * (uint32_t)step, step, bytes, rest)))
    return log_places(w, op, s, lanes, offset, bytes);
  if (!row_is_calm(s, &r) || (rest && !row_is_calm(s, &more))) return false;
  return append_row(w, s, op, &r) && (!rest || append_row(w, s, op, &more));
}

// ---- what ends them ---------------------------------------------------------------------------------------

// bits: that these lines get.
static void touch(struct shadow *s, uint32_t from, uint32_t to, uint8_t bits) {
  struct read_log *l = &s->log;
  uint32_t logged = 0;
  for (uint32_t line = from; line <= to; line++) {
    logged |= l->lines[line];
    l->lines[line] |= bits;
    if (bits) l->calm[line] = 0;
  }
  if (logged & LINE_LOGGED) log_spell_out(s);
}

void log_copied(struct shadow *s, uint32_t first, uint32_t count) {
  if (s->log.may) touch(s, first / line_granules(s), (first + count - 1) / line_granules(s), LINE_COPIED);
}

void log_accessed_row(struct shadow *s, uint32_t offset, int32_t step, uint32_t bytes, bool writes) {
  const int32_t span = step * (WARP_LANES - 1);
  const uint32_t first = offset - SHARED_FIRST_OFFSET + (span < 0 ? (uint32_t)span : 0),
                 end = first + (uint32_t)(span < 0 ? -span : span) + bytes;
  if (!s->log.may || (!writes && !s->log.count)) return;
  touch(s, first / LINE_BYTES, (end - 1) / LINE_BYTES, writes ? LINE_FRESH : 0);
}

void log_accessed(struct shadow *s, uint32_t lanes, const uint32_t offset[WARP_LANES], uint32_t bytes,
                  bool writes) {
  const uint8_t bits = writes ? LINE_FRESH : 0;
  if (!s->log.may || (!writes && !s->log.count)) return;
  EACH_LANE(lane, lanes) {
    const uint32_t first = offset[lane] - SHARED_FIRST_OFFSET, from = first / LINE_BYTES,
                   to = (first + bytes - 1) / LINE_BYTES;
    if (to >= s->line_count) continue;                                                     // it has faulted
    if (from == to && (s->log.lines[from] & (LINE_FRESH | LINE_LOGGED)) == bits) continue; // nothing is new
    touch(s, from, to, bits);
  }
}

// What was written since the last barrier has been seen. What nobody wrote is as it was.
OVER_ALL_AGENTS static void calm_down(uint8_t *lines, uint32_t *calm, uint32_t count) {
  for (uint32_t line = 0; line < count; line++) {
    const uint32_t bits = lines[line], all = 0 - (bits / LINE_WRITTEN & 1), copied = 0 - (bits & LINE_COPIED);
    calm[line] = (calm[line] | all) & ~copied;
    lines[line] = (uint8_t)(bits & (LINE_COPIED | LINE_WRITTEN | (bits & LINE_FRESH ? 0 : LINE_KNOWN)));
  }
}

void log_barrier(struct shadow *s) {
  struct read_log *l = &s->log;
  if (!l->may) return;
  if (l->count && l->credit < CREDIT) l->credit++;
  calm_down(l->lines, l->calm, s->line_count);
  l->count = l->place_count = 0;
  if (l->rest) l->rest--;
  l->on = !l->rest;
}
