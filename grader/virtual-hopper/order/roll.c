// Granules that many threads of a block have read by several instructions: a roll of those threads, instead
// of a list of entries. In: reads of lanes. Out: the same; or entries, for whoever has to look at each. One
// idea: of a thread only the last read counts, so each thread has one place, and nothing is searched.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

enum { MOST_DEEDS = 1 << 16 };

// Room for one more in an array of `*capacity`, of which `used` are in use.
static void *with_room(void *old, uint32_t used, uint32_t *capacity, size_t size) {
  if (used < *capacity) return old;
  *capacity = *capacity ? 2 * *capacity : 256;
  void *grown = realloc(old, *capacity * size);
  if (!grown) die("out of memory for shadow memory");
  return grown;
}

void roll_begin(struct reader_rolls *r) {
  r->used = r->row_used = r->deed_count = 1; // 0: none
  r->free = r->row_free = 0;
}

void roll_end(struct reader_rolls *r) {
  free(r->rolls);
  free(r->rows);
  free(r->deeds);
}

static struct reader_roll *roll_at(const struct shadow *s, uint32_t note) {
  return &s->rolls.rolls[note & ~(READER_QUICK | READER_ROLL)];
}

const struct quick_kind *roll_kind(const struct shadow *s, uint32_t note) {
  return &roll_at(s, note)->latest;
}

static uint32_t new_roll(struct reader_rolls *r) {
  const uint32_t again = r->free;
  if (again) {
    r->free = r->rolls[again].row[0];
    return again;
  }
  r->rolls = with_room(r->rolls, r->used, &r->capacity, sizeof *r->rolls);
  return r->used++;
}

static uint32_t new_row(struct reader_rolls *r) {
  uint32_t row = r->row_free;
  if (row) {
    r->row_free = r->rows[row].next;
  } else {
    r->rows = with_room(r->rows, r->row_used, &r->row_capacity, sizeof *r->rows);
    row = r->row_used++;
  }
  memset(&r->rows[row], 0, sizeof r->rows[row]);
  return row;
}

void roll_free(struct shadow *s, uint32_t note) {
  struct reader_rolls *r = &s->rolls;
  struct reader_roll *roll = roll_at(s, note);
  if (--roll->granules) return;
  for (uint32_t warps = roll->warps; warps; warps &= warps - 1) {
    const uint32_t row = roll->row[__builtin_ctz(warps)];
    r->rows[row].next = r->row_free;
    r->row_free = row;
  }
  roll->row[0] = r->free;
  r->free = note & ~(READER_QUICK | READER_ROLL);
}

uint32_t roll_copy(struct shadow *s, uint32_t note) {
  roll_at(s, note)->granules++;
  return note;
}

// These granules get a roll of their own, as others have it, too.
static void part(struct shadow *s, uint32_t first, uint32_t count) {
  struct reader_rolls *r = &s->rolls;
  const uint32_t note = s->readers[first], number = new_roll(r);
  struct reader_roll *roll = &r->rolls[number];
  roll_at(s, note)->granules -= count;
  *roll = *roll_at(s, note);
  roll->granules = count;
  for (uint32_t warps = roll->warps; warps; warps &= warps - 1) {
    const uint32_t warp = (uint32_t)__builtin_ctz(warps), row = new_row(r);
    r->rows[row] = r->rows[roll->row[warp]];
    roll->row[warp] = row;
  }
  for (uint32_t g = first; g < first + count; g++)
    s->readers[g] = READER_QUICK | READER_ROLL | number;
}

uint32_t roll_deed(struct reader_rolls *r, const struct op *op, uint32_t epoch) {
  uint16_t *place = &r->found[((uintptr_t)op / sizeof *op) % ROLL_FOUND];
  const uint32_t found = *place;
  if (found && found < r->deed_count && r->deeds[found].op == op && r->deeds[found].epoch == epoch)
    return found;
  if (r->deed_count == MOST_DEEDS) return 0;
  r->deeds = with_room(r->deeds, r->deed_count, &r->deed_capacity, sizeof *r->deeds);
  r->deeds[r->deed_count] = (struct roll_deed){op, epoch};
  *place = (uint16_t)r->deed_count;
  return r->deed_count++;
}

struct roll_reads roll_reads_of(struct shadow *s, const struct op *op, const struct order_thread *t,
                                uint32_t warp_agent) {
  return (struct roll_reads){.judged = quick_judged(s, t->strong ? t->strong : t->base),
                             .agent = reader_base(warp_agent),
                             .warp = (warp_agent - 1) / WARP_LANES % READER_WARPS,
                             .epoch = t->epoch,
                             .deed = (uint16_t)roll_deed(&s->rolls, op, t->epoch)};
}

static void add(struct reader_rolls *r, struct reader_roll *roll, uint32_t warp, uint32_t lanes,
                uint32_t deed) {
  if (!(roll->warps >> warp & 1)) {
    roll->row[warp] = new_row(r);
    roll->warps |= 1u << warp;
  }
  union roll_row *row = &r->rows[roll->row[warp]];
  EACH_LANE(lane, lanes) row->deed[lane] = (uint16_t)deed;
  if (r->deeds[deed].epoch > roll->latest.epoch) roll->latest.epoch = r->deeds[deed].epoch;
}

// There are too many deeds to be numbered: all rolls become entries, and numbers begin anew.
static void spell_all(struct shadow *s) {
  for (uint32_t g = 0; g < s->granules; g++)
    if (s->readers[g] & READER_ROLL && s->lines[g / line_granules(s)].detailed) shadow_readers(s, g);
  roll_begin(&s->rolls);
}

bool roll_read(struct shadow *s, uint32_t first, uint32_t count, uint32_t warp_agent, uint32_t lanes,
               uint32_t epoch, const struct op *op) {
  if (roll_at(s, s->readers[first])->latest.agent != reader_base(warp_agent)) return false;
  const uint32_t deed = roll_deed(&s->rolls, op, epoch);
  if (!deed) {
    spell_all(s);
    return false;
  }
  if (roll_at(s, s->readers[first])->granules != count) part(s, first, count);
  add(&s->rolls, roll_at(s, s->readers[first]), (warp_agent - 1) / WARP_LANES % READER_WARPS, lanes, deed);
  return true;
}

// Entries without what says where they lie.
static bool lists_are_alike(const struct shadow *s, uint32_t a, uint32_t b) {
  while (a && b) {
    const struct shadow_reader *x = &s->pool[a], *y = &s->pool[b];
    if (x->op != y->op || x->agent != y->agent || x->mask != y->mask || x->warps != y->warps ||
        x->strong != y->strong || x->epoch != y->epoch || !x->mask)
      return false;
    a = x->next;
    b = y->next;
  }
  return !a && !b;
}

uint32_t roll_alike(const struct shadow *s, uint32_t granule, uint32_t end) {
  const uint32_t note = s->readers[granule], warps = note & READER_ROLL ? 0 : s->reader_warps[granule];
  uint32_t g = granule + 1;
  for (; g < end; g++) {
    const uint32_t other = s->readers[g];
    if (note & READER_ROLL && note == other) continue;
    if ((note ^ other) & READER_ROLL || (note && s->reader_warps[g] != warps)) break;
    if (note != other && (note & READER_QUICK || other & READER_QUICK || !lists_are_alike(s, note, other)))
      break;
  }
  return g;
}

void roll_share(struct shadow *s, uint32_t first, uint32_t end) {
  const uint32_t note = s->readers[first];
  for (uint32_t g = first + 1; note & READER_ROLL && g < end; g++) {
    if (s->readers[g] == note || !(s->readers[g] & READER_ROLL)) continue;
    roll_free(s, s->readers[g]);
    s->readers[g] = roll_copy(s, note);
  }
}

// The last entry of the list is the oldest: later ones take its threads' places.
static uint32_t turn_round(struct shadow *s, uint32_t head) {
  uint32_t turned = 0;
  for (uint32_t i = head, next; i; i = next) {
    next = s->pool[i].next;
    s->pool[i].next = turned;
    turned = i;
  }
  return turned;
}

static bool add_entries(struct shadow *s, struct reader_roll *roll, uint32_t oldest) {
  for (uint32_t i = oldest; i; i = s->pool[i].next) {
    const struct shadow_reader *e = &s->pool[i];
    const uint32_t deed = roll_deed(&s->rolls, e->op, e->epoch);
    if (!deed) return false;
    for (uint32_t warps = e->warps; warps; warps &= warps - 1)
      add(&s->rolls, roll, (uint32_t)__builtin_ctz(warps), e->mask, deed);
  }
  return true;
}

bool roll_make(struct shadow *s, uint32_t granule, uint32_t agent) {
  const uint32_t head = s->readers[granule];
  uint32_t count = 0, i = head;
  for (; i && s->pool[i].mask && !s->pool[i].strong && s->pool[i].agent == agent; i = s->pool[i].next)
    count++;
  if (i || count < ROLL_FROM) return false;
  const uint32_t number = new_roll(&s->rolls), note = READER_QUICK | READER_ROLL | number;
  s->rolls.rolls[number].latest = (struct quick_kind){NULL, agent, 0};
  s->rolls.rolls[number].granules = 1;
  s->rolls.rolls[number].judged = 0;
  s->rolls.rolls[number].warps = 0;
  const uint32_t oldest = turn_round(s, head);
  const bool added = add_entries(s, &s->rolls.rolls[number], oldest);
  turn_round(s, oldest);
  if (!added) {
    roll_free(s, note);
    return false;
  }
  shadow_clear_readers(s, granule);
  s->readers[granule] = note;
  return true;
}

// ---- back to entries --------------------------------------------------------------------------------------

// Lanes of a warp that have done this one last: an entry of its own, or one more warp of such an entry. The
// latest deeds come first. `thread` has the deed's number meanwhile.
static void add_lanes(struct shadow *s, uint32_t granule, const struct reader_roll *roll, uint32_t warp,
                      uint32_t lanes, uint32_t deed) {
  uint32_t before = 0, at = s->readers[granule];
  for (; at && s->pool[at].thread >= deed; before = at, at = s->pool[at].next) {
    if (s->pool[at].thread != deed || s->pool[at].mask != lanes) continue;
    s->pool[at].warps |= 1u << warp;
    return;
  }
  const uint32_t made = reader_new(s);
  s->pool[made] = (struct shadow_reader){.op = s->rolls.deeds[deed].op,
                                         .agent = roll->latest.agent,
                                         .mask = lanes,
                                         .warps = 1u << warp,
                                         .epoch = s->rolls.deeds[deed].epoch,
                                         .thread = deed,
                                         .next = at};
  *(before ? &s->pool[before].next : &s->readers[granule]) = made;
}

static uint32_t lanes_with(const union roll_row *row, uint32_t deed) {
  uint32_t lanes = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    lanes |= (uint32_t)(row->deed[lane] == deed) << lane;
  return lanes;
}

uint32_t roll_spell(struct shadow *s, uint32_t granule) {
  const uint32_t note = s->readers[granule];
  const struct reader_roll roll = *roll_at(s, note);
  s->readers[granule] = 0;
  s->reader_warps[granule] = roll.warps;
  for (uint32_t warps = roll.warps; warps; warps &= warps - 1) {
    const uint32_t warp = (uint32_t)__builtin_ctz(warps);
    const union roll_row *row = &s->rolls.rows[roll.row[warp]];
    for (uint32_t left = ~lanes_with(row, 0); left;) {
      const uint32_t deed = row->deed[__builtin_ctz(left)], lanes = lanes_with(row, deed);
      add_lanes(s, granule, &roll, warp, lanes, deed);
      left &= ~lanes;
    }
  }
  for (uint32_t i = s->readers[granule]; i; i = s->pool[i].next)
    s->pool[i].thread = 0;
  roll_free(s, note);
  return s->readers[granule];
}
