// What warps have read of shared memory since the last barrier that all threads of the block have passed. In:
// reads, writes, copies, such barriers. Out: the same reads in the shadow, but only where somebody looks. One
// idea: whatever threads had written before that barrier all of them have seen, so a read of it needs no look
// at its writer; and whoever writes after the next one has seen the read. Most reads lie between two barriers
// and meet no write there, so one entry stands for a warp, and is dropped.
//
// A barrier says nothing of a copy's end. So of the words in a line that a copy has written last it is kept
// whose phase tells of that end, and a read of them needs one look at the reader's clock. The next copy into
// the line drops the reads that its thread has seen: in a ring of stages there is no barrier of the block.
// Bytes that nobody has written are left to the shadow: such reads are told of later, in whatever order they
// come.
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
enum { MOST_LANDINGS = 64 }; // of a block; below 256
enum { MOST_READS = 4096, MOST_PLACES = 1024, BY_PLACES = INT32_MIN, REST = 16, CREDIT = 8 };
enum { WORD = 4, LINE_WORDS = LINE_BYTES / WORD };
enum { MOST_STEP = 4 * LINE_BYTES }; // lines between those of neighbouring lanes count, too

struct logged_read { // lane i's bytes begin at offset + i * step; BY_PLACES: offset is an index of places
  const struct op *op;
  uint32_t epoch, lanes, offset;
  int32_t step;
  uint16_t agent;    // of lane 0; threads come first, 16 blocks of 1024 at most
  uint16_t from, to; // lines; of no meaning BY_PLACES
  uint16_t bytes;
};

static void *room(void *old, size_t count, size_t size) {
  void *grown = realloc(old, count * size);
  if (!grown) die("out of memory for shadow memory");
  return grown;
}

// In a cluster of several blocks a barrier of the block says nothing of the others' threads. So no words are
// calm there: what copies have brought alone is logged.
void log_begin(struct shadow *s, bool may_log, bool alone) {
  struct read_log *l = &s->log;
  l->may = may_log;
  l->count = l->place_count = l->landing_count = 0;
  l->alone = alone;
  l->on = false; // nothing has been written yet
  l->round++;
  if (!alone && l->rest) l->rest--; // no barrier counts
  if (!may_log || !s->line_count) return;
  if (l->line_capacity < s->line_count) {
    l->lines = room(l->lines, s->line_count, sizeof *l->lines);
    l->landed = room(l->landed, s->line_count, sizeof *l->landed);
    l->landed_words = room(l->landed_words, s->line_count, sizeof *l->landed_words);
    l->calm = room(l->calm, s->line_count, sizeof *l->calm);
    l->line_capacity = s->line_count;
  }
  memset(l->lines, alone ? 0 : LINE_COPIED, s->line_count * sizeof *l->lines);
  memset(l->landed, 0, s->line_count * sizeof *l->landed);
  memset(l->calm, 0, s->line_count * sizeof *l->calm);
}

void log_end(struct read_log *l) {
  free(l->lines);
  free(l->landed);
  free(l->landed_words);
  free(l->landings);
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

// ---- lines that copies have written -----------------------------------------------------------------------

// What lanes of a warp have in common.
struct common {
  struct order_warp *warp;
  uint32_t agent, lanes;    // agent: of lane 0
  const struct clock *seen; // NULL: they have several views
  uint32_t epoch;           // 0: several
  bool dirty;
};

static struct common common_of_lanes(const struct order_cluster *c, struct common of) {
  const struct order_thread *threads = &c->thread[of.agent - 1], *first = threads + __builtin_ctz(of.lanes);
  of.seen = first->base;
  of.epoch = first->epoch;
  EACH_LANE(lane, of.lanes) {
    if (threads[lane].base != first->base) of.seen = NULL;
    if (threads[lane].epoch != first->epoch) of.epoch = 0;
    of.dirty &= threads[lane].dirty;
  }
  return of;
}

static inline struct common common_of(const struct warp *w, uint32_t lanes) {
  const struct order_cluster *c = w->block->order->cluster;
  const uint32_t agent = order_agent_of(w, 0);
  struct order_warp *warp = &c->warp[(agent - 1) / WARP_LANES];
  const struct order_thread *all = &warp->all;
  struct common of = {warp, agent, lanes, all->base, all->epoch, true};
  if (!warp->folded) return common_of_lanes(c, of);
  of.dirty = all->dirty;
  return of;
}

// A copy has written these words of the line, and whoever has that view has seen that it has ended.
static inline bool has_landed(const struct read_log *l, uint32_t line, uint32_t words,
                              const struct clock *seen) {
  const uint32_t place = l->landed[line];
  return place && !(words & ~l->landed_words[line]) &&
         clock_seen(seen, l->landings[place - 1].agent) >= l->landings[place - 1].epoch;
}

// The words of a line that these bytes lie in.
static inline uint32_t words_at(uint32_t first, uint32_t last) {
  return UINT32_MAX >> (LINE_WORDS - 1 - last % LINE_BYTES / WORD) & UINT32_MAX
                                                                         << (first % LINE_BYTES / WORD);
}

// The place of the agent's landings, plus 1; 0: there are too many.
static uint32_t landing_of(struct read_log *l, uint32_t agent, uint32_t epoch) {
  uint32_t place = 0;
  while (place < l->landing_count && l->landings[place].agent != agent)
    place++;
  if (place == MOST_LANDINGS) return 0;
  if (!l->landings) l->landings = room(NULL, MOST_LANDINGS, sizeof *l->landings);
  if (place == l->landing_count) l->landings[l->landing_count++] = (struct landing){agent, epoch};
  // Whoever has seen the later phase has seen the earlier ones.
  if (l->landings[place].epoch < epoch) l->landings[place].epoch = epoch;
  return place + 1;
}

static void set_landed(struct read_log *l, uint32_t line, uint32_t place, uint32_t words) {
  const bool more = l->landed[line] == place && place; // a part of a line joins those of copies like it
  l->landed[line] = (uint8_t)place;
  l->landed_words[line] = more ? l->landed_words[line] | words : words;
  l->lines[line] &= (uint8_t)~LINE_FRESH; // the next write of a thread is news
}

void log_landed(struct shadow *s, uint32_t first, uint32_t count, uint32_t agent, uint32_t epoch) {
  struct read_log *l = &s->log;
  if (!l->may) return;
  const uint32_t place = landing_of(l, agent, epoch), begin = first << s->shift,
                 end = (first + count) << s->shift;
  for (uint32_t at = begin, next; at < end; at = next) {
    next = at - at % LINE_BYTES + LINE_BYTES < end ? at - at % LINE_BYTES + LINE_BYTES : end;
    const bool words = !((at | next) % WORD); // or parts of some
    set_landed(l, at / LINE_BYTES, words ? place : 0, words_at(at, next - 1));
  }
  l->on = !l->rest;
}

// So many bytes in one line are calm, or have landed; first: counted from the begin of shared memory.
static inline bool is_calm(struct shadow *s, uint32_t first, uint32_t bytes, const struct clock *seen) {
  const uint32_t line = first / LINE_BYTES, in_line = first % LINE_BYTES;
  if (line >= s->line_count || in_line + bytes > LINE_BYTES) return false;
  const uint32_t words = words_at(first, first + bytes - 1);
  if (!s->log.calm[line] && !has_landed(&s->log, line, words, seen)) look(s, line);
  return !(~s->log.calm[line] & words) || has_landed(&s->log, line, words, seen);
}

// What lanes of a warp read whose bytes are `step` apart.
struct row {
  uint32_t first; // of lane 0, counted from the begin of shared memory; it may be before it
  int32_t step;
  uint32_t bytes, lanes;
  uint32_t begin, end; // of all lanes' bytes, counted alike
  uint32_t from, to;   // lines
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
  r->begin = step < 0 ? other : one;
  r->end = (step < 0 ? one : other) + bytes;
  r->from = r->begin / LINE_BYTES;
  r->to = (r->end - 1) / LINE_BYTES;
  return step <= MOST_STEP && step >= -MOST_STEP && r->begin < r->end && r->to < s->line_count;
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

// All words from the row's begin to its end are calm, or a copy has brought them, and these lanes have seen
// that it has ended.
static inline bool row_has_landed(const struct shadow *s, const struct row *r, const struct clock *seen) {
  const struct read_log *l = &s->log;
  for (uint32_t line = r->from; line <= r->to; line++) {
    const uint32_t words =
        words_at(line == r->from ? r->begin : 0, line == r->to ? r->end - 1 : LINE_BYTES - 1);
    if (words & ~l->calm[line] && !has_landed(l, line, words, seen)) return false;
  }
  return true;
}

static inline bool row_is_calm(struct shadow *s, const struct row *r, const struct clock *seen) {
  if ((s->log.landed[r->from] | s->log.landed[r->to]) && row_has_landed(s, r, seen)) return true;
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
  s->log.round++;
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

// All lanes take the latest epoch among theirs. Epochs may skip numbers; they only have to grow.
static uint32_t share_epoch(struct order_thread threads[WARP_LANES]) {
  uint32_t latest = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    latest = threads[lane].epoch > latest ? threads[lane].epoch : latest;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    threads[lane].epoch = latest;
  return latest;
}

// The lanes' epoch, in which they have now done something; 0: they have several.
static inline uint32_t read_epoch(const struct warp *w, const struct common *of) {
  if (of->warp->folded && of->lanes == UINT32_MAX) {
    of->warp->all.dirty = true;
    return of->epoch;
  }
  if (!of->epoch && of->lanes != UINT32_MAX) return 0;
  if (!of->dirty) order_mark_dirty(w, of->lanes);
  return of->epoch ? of->epoch : share_epoch(order_thread_of(w, 0));
}

// read: but for whose it is.
static inline bool append(const struct warp *w, struct shadow *s, const struct common *of,
                          const struct logged_read *read) {
  struct read_log *l = &s->log;
  if (l->count == l->room && !has_room(s)) return false;
  const uint32_t epoch = read_epoch(w, of);
  if (!epoch) return false;
  struct logged_read *r = &l->reads[l->count++];
  *r = *read;
  r->lanes = of->lanes;
  r->agent = (uint16_t)of->agent;
  r->epoch = epoch;
  return true;
}

static inline bool append_marked(const struct warp *w, struct shadow *s, const struct op *op,
                                 const struct row *r, const struct common *of) {
  return append(w, s, of,
                &(struct logged_read){.op = op,
                                      .offset = r->first + SHARED_FIRST_OFFSET,
                                      .step = r->step,
                                      .from = (uint16_t)r->from,
                                      .to = (uint16_t)r->to,
                                      .bytes = (uint16_t)r->bytes});
}

static inline bool append_row(const struct warp *w, struct shadow *s, const struct op *op,
                              const struct row *r, struct common of) {
  of.lanes = r->lanes;
  if (!append_marked(w, s, op, r, &of)) return false;
  for (uint32_t line = r->from; line <= r->to; line++)
    s->log.lines[line] |= LINE_LOGGED;
  return true;
}

// The place for a row of whole warps that touches many lines, as a column of a matrix does: that it is calm,
// and that its lines are marked as logged, is found again by the next warp.
static inline struct known_row *known_place(struct read_log *l, uint32_t first, int32_t step) {
  return &l->known[(first / WORD + (uint32_t)step) % KNOWN_ROWS];
}
static inline bool is_known(const struct read_log *l, const struct known_row *k, uint32_t first, int32_t step,
                            uint32_t bytes) {
  return k->round == l->round && k->first == first && k->step == step && k->bytes == bytes;
}

bool log_row(const struct warp *w, const struct op *op, struct shadow *s, uint32_t offset, int32_t step,
             uint32_t bytes) {
  struct read_log *l = &s->log;
  struct row r;
  if (!l->on) return false;
  if (!row_begin(s, &r, offset, step, bytes, UINT32_MAX)) return false;
  const uint32_t agent = order_agent_of(w, 0);
  struct order_warp *warp = &w->block->order->cluster->warp[(agent - 1) / WARP_LANES];
  if (warp->folded && r.to - r.from < 2 && l->count < l->room) { // most reads
    if ((l->calm[r.from] & l->calm[r.to]) != UINT32_MAX && !row_is_calm(s, &r, warp->all.base)) return false;
    warp->all.dirty = true;
    l->lines[r.from] |= LINE_LOGGED;
    l->lines[r.to] |= LINE_LOGGED;
    l->reads[l->count++] = (struct logged_read){.op = op,
                                                .epoch = warp->all.epoch,
                                                .lanes = UINT32_MAX,
                                                .offset = offset,
                                                .step = step,
                                                .agent = (uint16_t)agent,
                                                .from = (uint16_t)r.from,
                                                .to = (uint16_t)r.to,
                                                .bytes = (uint16_t)bytes};
    return true;
  }
  const struct common of = common_of(w, UINT32_MAX);
  if (r.to - r.from < 2) return row_is_calm(s, &r, of.seen) && append_row(w, s, op, &r, of);
  struct known_row *known = known_place(l, offset, step);
  if (is_known(l, known, offset, step, bytes)) return append_marked(w, s, op, &r, &of);
  const bool calm = row_is_calm_now(s, &r);
  if ((!calm && !row_is_calm(s, &r, of.seen)) || !append_row(w, s, op, &r, of)) return false;
  if (calm) *known = (struct known_row){l->round, offset, bytes, step};
  return true;
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
  const struct common of = common_of(w, lanes);
  EACH_LANE(lane, lanes) if (!is_calm(s, offset[lane] - SHARED_FIRST_OFFSET, bytes, of.seen)) return false;
  if (!append(w, s, &of,
              &(struct logged_read){
                  .op = op, .offset = l->place_count, .step = BY_PLACES, .bytes = (uint16_t)bytes}))
    return false;
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
  const struct common of = common_of(w, lanes);
  if (!row_is_calm(s, &r, of.seen) || (rest && !row_is_calm(s, &more, of.seen))) return false;
  return append_row(w, s, op, &r, of) && (!rest || append_row(w, s, op, &more, of));
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
    if (bits & LINE_FRESH) l->landed[line] = 0;
  }
  if (bits) l->round++;
  if (logged & LINE_LOGGED) log_spell_out(s);
}

// The entries that meet these lines lie in them, and `seen` has all of their reads.
static bool are_seen(const struct read_log *l, uint32_t first, uint32_t end, const struct clock *seen,
                     uint32_t self) {
  struct line_stamp warp = {.lane_shift = LINE_SHIFT - 5}; // its 32 lanes
  for (uint32_t i = 0; i < l->count; i++) {
    const struct logged_read *r = &l->reads[i];
    if (r->step == BY_PLACES) return false;
    if (r->to < first || r->from >= end) continue;
    if (r->from < first || r->to >= end) return false;
    if (r->agent == warp.agent && r->epoch == warp.epoch) continue;
    warp.agent = r->agent;
    warp.epoch = r->epoch;
    if (!line_stamp_seen(&warp, seen, self)) return false;
  }
  return true;
}

static void drop(struct read_log *l, uint32_t first, uint32_t end) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    const struct logged_read *r = &l->reads[i];
    if (r->to < first || r->from >= end) l->reads[kept++] = *r;
  }
  l->count = kept;
  for (uint32_t line = first; line < end; line++)
    l->lines[line] &= (uint8_t)~LINE_LOGGED;
  if (l->credit < CREDIT) l->credit++;
}

void log_copied(struct shadow *s, uint32_t first, uint32_t count, const struct clock *seen, uint32_t self) {
  const uint32_t each = line_granules(s), from = first / each, to = (first + count - 1) / each,
                 begin = (first + each - 1) / each, end = (first + count) / each; // whole lines
  uint32_t logged = 0;
  if (!s->log.may) return;
  for (uint32_t line = from; line <= to; line++)
    logged |= s->log.lines[line];
  if (logged & LINE_LOGGED && begin < end && are_seen(&s->log, begin, end, seen, self))
    drop(&s->log, begin, end);
  touch(s, from, to, LINE_COPIED);
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
  if (!l->may || !l->alone) return;
  l->round++;
  if (l->count && l->credit < CREDIT) l->credit++;
  calm_down(l->lines, l->calm, s->line_count);
  l->count = l->place_count = 0;
  if (l->rest) l->rest--;
  l->on = !l->rest;
}
