// A folded warp's weak accesses to shared memory, word by word. In: where the lanes' words are. Out: notes in
// the shadow; or false, and access.c has to be asked. One idea: the lanes have one view, so a granule whose
// note says that this view has been judged there needs no other look, and most of the others need one at
// their writer.
#include "virtual-hopper/order/internal.h"

bool word_access_begin(struct word_access *a, const struct warp *w, const struct op *op, struct shadow *s,
                       uint32_t bytes, bool write) {
  struct order_warp *warp = order_warp_of(w);
  const uint32_t each = bytes >> s->shift;
  if (!warp->folded || !each || (each & (each - 1))) return false;
  a->s = s;
  a->cluster = w->block->order->cluster;
  a->t = &warp->all;
  a->op = op;
  a->agent = order_agent_of(w, 0);
  a->warp = reader_warp(a->agent);
  a->each_shift = (uint32_t)__builtin_ctz(each);
  a->kind = write ? 0 : quick_kind_again(s, op, a->t->base, reader_base(a->agent), a->t->epoch);
  return true;
}

// The granules that lanes a fixed distance apart begin with.
static void spread(uint32_t at[WARP_LANES], uint32_t first, uint32_t apart) {
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    at[lane] = first + lane * apart;
}

// ---- reads ------------------------------------------------------------------------------------------------

// All granules have the quick notes of lanes in a row. Here and below there is no early way out, since nearly
// always they do.
OVER_ALL_AGENTS static bool find_row(const uint32_t *readers, uint32_t count, uint32_t each_shift,
                                     uint32_t note) {
  uint32_t other = 0;
  for (uint32_t g = 0; g < count; g++)
    other |= readers[g] ^ (note + (g >> each_shift));
  return other == 0;
}

OVER_ALL_AGENTS static void mark_row(uint32_t *warps, uint32_t count, uint32_t warp) {
  for (uint32_t g = 0; g < count; g++)
    warps[g] |= warp;
}

OVER_ALL_AGENTS static bool find_notes(const uint32_t *readers, const uint32_t at[WARP_LANES], uint32_t each,
                                       uint32_t note) {
  uint32_t other = 0;
  for (uint32_t i = 0; i < each; i++)
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
      other |= readers[at[lane] + i] ^ (note + lane);
  return other == 0;
}

static bool writer_seen(const struct shadow *s, const struct clock *base, uint32_t g) {
  const uint32_t writer = s->write_agent[g];
  return writer == NO_AGENT || clock_seen(base, writer) >= s->write_epoch[g];
}

// Gives the granule this quick note; false: it has another one, or its writer has not been seen. Its line is
// spelled out.
static bool read_granule(const struct word_access *a, uint32_t g, uint32_t note) {
  struct shadow *s = a->s;
  const uint32_t before = s->readers[g];
  if (before != note && (before || !writer_seen(s, a->t->base, g))) return false;
  s->reader_warps[g] = (before ? s->reader_warps[g] : 0) | a->warp;
  s->readers[g] = note;
  return true;
}

static bool read_granules(const struct word_access *a, uint32_t g, uint32_t note) {
  bool done = true;
  line_spell_out(a->s, g, 1u << a->each_shift);
  for (uint32_t end = g + (1u << a->each_shift); g < end; g++)
    done &= read_granule(a, g, note);
  return done;
}

static bool read_lane(const struct word_access *a, uint32_t g, uint32_t lane) {
  return read_granules(a, g, quick_note(a->kind, lane));
}

static inline uint32_t differing(const uint32_t *readers, uint32_t count) {
  uint32_t other = 0;
  if (count == 1) return 0;
  if (count == 4) return (readers[1] ^ readers[0]) | (readers[2] ^ readers[0]) | (readers[3] ^ readers[0]);
  for (uint32_t i = 1; i < count; i++)
    other |= readers[i] ^ readers[0];
  return other;
}

// So many lanes from `lane` on, the first one's granules at at[0]. Returns those, a bit for each, whose
// granules have one roll each, in which they are judged. A granule with a roll is spelled out.
static uint32_t read_rolls(const struct word_access *a, const uint32_t *at, uint32_t lane, uint32_t lanes) {
  struct shadow *s = a->s;
  const struct roll_reads r = roll_reads_of(s, a->op, a->t, a->agent);
  const uint32_t *readers = s->readers, each = 1u << a->each_shift;
  struct reader_roll *const rolls = s->rolls.rolls;
  union roll_row *const rows = s->rolls.rows;
  uint32_t done = 0;
  for (uint32_t n = 0; n < lanes && r.deed; n++) {
    const uint32_t note = readers[at[n]];
    const uint32_t other = (~note & READER_ROLL) | differing(&readers[at[n]], each);
    struct reader_roll *roll = &rolls[other ? 0 : note & ~(READER_QUICK | READER_ROLL)];
    if (other || !roll_is_judged(roll, each, &r)) continue;
    if (roll->latest.epoch < r.epoch) roll->latest.epoch = r.epoch;
    rows[roll->row[r.warp]].deed[lane + n] = r.deed;
    done |= 1u << n;
  }
  return done;
}

bool words_read_row(struct word_access *a, uint32_t granule, uint32_t lane, uint32_t lanes) {
  const uint32_t count = lanes << a->each_shift, *readers = &a->s->readers[granule];
  uint32_t at[WARP_LANES];
  if (find_row(readers, count, a->each_shift, quick_note(a->kind, lane))) {
    mark_row(&a->s->reader_warps[granule], count, a->warp);
    return true;
  }
  if (readers[0] & READER_ROLL) {
    spread(at, granule, 1u << a->each_shift);
    return read_rolls(a, at, lane, lanes) == (uint32_t)((1ull << lanes) - 1);
  }
  for (uint32_t i = 0; i < lanes; i++)
    if (!read_lane(a, granule + (i << a->each_shift), lane + i)) return false;
  return true;
}

// Returns the lanes that are done.
static uint32_t read_each(struct word_access *a, const uint32_t at[WARP_LANES]) {
  const uint32_t *readers = a->s->readers;
  uint32_t done = readers[at[0]] & READER_ROLL ? read_rolls(a, at, 0, WARP_LANES) : 0;
  EACH_LANE(lane, ~done)
  if (!(readers[at[lane]] & READER_ROLL)) done |= (uint32_t)read_lane(a, at[lane], lane) << lane;
  return done;
}

static uint32_t read_at(struct word_access *a, const uint32_t at[WARP_LANES]) {
  const uint32_t each = 1u << a->each_shift;
  if (!find_notes(a->s->readers, at, each, quick_note(a->kind, 0))) return read_each(a, at);
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    for (uint32_t i = 0; i < each; i++)
      a->s->reader_warps[at[lane] + i] |= a->warp;
  return UINT32_MAX;
}

OVER_ALL_AGENTS static bool find_apart(const uint32_t *readers, int32_t apart, uint32_t note) {
  uint32_t other = 0;
  for (int32_t lane = 0; lane < WARP_LANES; lane++)
    other |= readers[lane * apart] ^ (note + (uint32_t)lane);
  return other == 0;
}

static uint32_t read_apart(struct word_access *a, uint32_t granule, int32_t apart) {
  uint32_t at[WARP_LANES], *warps = &a->s->reader_warps[granule];
  if (a->each_shift || !find_apart(&a->s->readers[granule], apart, quick_note(a->kind, 0))) {
    spread(at, granule, (uint32_t)apart);
    return read_each(a, at);
  }
  for (int32_t lane = 0; lane < WARP_LANES; lane++)
    warps[lane * apart] |= a->warp;
  return UINT32_MAX;
}

// ---- accesses of whole warps ------------------------------------------------------------------------------

OVER_ALL_AGENTS static void granules_of(const struct shadow *s, const uint32_t offset[WARP_LANES],
                                        uint32_t at[WARP_LANES]) {
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    at[lane] = (offset[lane] - SHARED_FIRST_OFFSET) >> s->shift;
}

// No granule is anybody else's, so that lanes need not be judged one after the other.
OVER_ALL_AGENTS static bool ascend(const uint32_t at[WARP_LANES], uint32_t each) {
  uint32_t wrong = 0;
  for (uint32_t lane = 0; lane + 1 < WARP_LANES; lane++)
    wrong |= (uint32_t)(at[lane] + each > at[lane + 1]);
  return !wrong;
}

OVER_ALL_AGENTS static uint32_t greatest(const uint32_t at[WARP_LANES]) {
  uint32_t most = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    most = at[lane] > most ? at[lane] : most;
  return most;
}

uint32_t words_accessed(struct word_access *a, const uint32_t offset[WARP_LANES], bool write) {
  uint32_t at[WARP_LANES], done = 0;
  const uint32_t each = 1u << a->each_shift;
  granules_of(a->s, offset, at);
  if (a->s->granules < each || greatest(at) > a->s->granules - each) return 0;
  if (!write && at[1] != at[0]) done = read_at(a, at);
  if (write && ascend(at, each) && words_written(a, at)) done = UINT32_MAX;
  if (done) a->t->dirty = true;
  return done;
}

static uint32_t write_apart(const struct word_access *a, uint32_t granule, int32_t apart) {
  uint32_t at[WARP_LANES];
  spread(at, granule, (uint32_t)apart);
  return apart > 0 && words_written(a, at) ? UINT32_MAX : 0;
}

uint32_t order_shared_words(struct warp *w, const struct op *op, uint32_t offset, int32_t step,
                            uint32_t bytes, bool write) {
  struct order_block *b = w->block->order;
  if (!b) return UINT32_MAX;
  struct shadow *s = &b->shadow;
  struct word_access a;
  if (!write && !b->cluster->relaxed && !b->cluster->narrow && log_row(w, op, s, offset, step, bytes))
    return UINT32_MAX;
  log_accessed_row(s, offset, step, bytes, write);
  if ((!write && (b->cluster->relaxed || b->cluster->narrow)) ||
      !word_access_begin(&a, w, op, s, bytes, write))
    return 0;
  const uint32_t granule = (offset - SHARED_FIRST_OFFSET) >> s->shift;
  uint32_t done = step == (int32_t)bytes ? line_row(w, &a, offset, write) : 0;
  if (write && done != UINT32_MAX)
    done = write_apart(&a, granule, step >> s->shift);
  else if (step == 0)
    done = read_granules(&a, granule, quick_note(a.kind, QUICK_ALL_LANES)) ? UINT32_MAX : 0;
  else if (step != (int32_t)bytes)
    done = read_apart(&a, granule, step >> s->shift);
  if (done) a.t->dirty = true;
  return done;
}
