// Shadow of one block's shared memory: who wrote each granule last, and who has read it since. In: agents and
// epochs, from access.c and copy.c. Out: the same, for their checks. One idea: one array for each field, so
// that a tile is stamped fast.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

enum { MOST_STORES_OF_A_GRANULE = 6 }; // as readers, each with its own entry

static void *grown(void *old, size_t count, size_t size) {
  void *memory = realloc(old, count * size);
  if (!memory) die("out of memory for shadow memory");
  return memory;
}

static void reserve(struct shadow *s, uint32_t granules) {
  if (granules <= s->granules && s->write_agent) return;
  size_t count = granules ? granules : 1;
  s->write_agent = grown(s->write_agent, count, sizeof *s->write_agent);
  s->write_epoch = grown(s->write_epoch, count, sizeof *s->write_epoch);
  s->write_thread = grown(s->write_thread, count, sizeof *s->write_thread);
  s->write_op = grown(s->write_op, count, sizeof *s->write_op);
  s->write_atomic = grown(s->write_atomic, count, sizeof *s->write_atomic);
  s->readers = grown(s->readers, count, sizeof *s->readers);
  memset(s->readers + s->granules, 0, (count - s->granules) * sizeof *s->readers); // no quick notes
  s->reader_warps = grown(s->reader_warps, count, sizeof *s->reader_warps);
}

void shadow_begin(struct shadow *s, uint32_t bytes, bool may_log, bool alone) {
  const uint32_t shift = 2;
  uint32_t granules = (bytes + (1u << shift) - 1) >> shift;
  if (s->rolls.used > 1)
    memset(s->readers, 0, s->granules * sizeof *s->readers); // so a roll's line is spelled out
  reserve(s, granules);
  s->shift = shift;
  s->granules = granules;
  uint32_t lines = (bytes + LINE_BYTES - 1) / LINE_BYTES;
  if (lines > s->line_capacity) {
    s->lines = grown(s->lines, lines, sizeof *s->lines);
    memset(s->lines + s->line_capacity, 0, (lines - s->line_capacity) * sizeof *s->lines);
    s->line_capacity = lines;
  }
  s->line_count = lines;
  for (uint32_t line = 0; line < lines; line++) {
    s->lines[line].detailed = false;
    s->lines[line].reader_count = 0;
    s->lines[line].quick_warps = 0;
    memset(&s->lines[line].write, 0, sizeof s->lines[line].write); // by nobody
  }
  s->pool_used = 1; // index 0 ends a list
  s->pool_free = 0;
  roll_begin(&s->rolls);
  log_begin(s, may_log, alone);
}

void shadow_free(struct shadow *s) {
  for (uint32_t line = 0; line < s->line_capacity; line++)
    free(s->lines[line].readers);
  free(s->lines);
  free(s->write_agent);
  free(s->write_epoch);
  free(s->write_thread);
  free(s->write_op);
  free(s->write_atomic);
  free(s->readers);
  free(s->reader_warps);
  free(s->pool);
  quick_end(s);
  free(s->quick.kinds);
  roll_end(&s->rolls);
  log_end(&s->log);
  memset(s, 0, sizeof *s);
}

uint32_t reader_new(struct shadow *s) {
  if (s->pool_free) {
    uint32_t index = s->pool_free;
    s->pool_free = s->pool[index].next;
    return index;
  }
  if (s->pool_used >= s->pool_capacity) {
    s->pool_capacity = s->pool_capacity ? s->pool_capacity * 2 : 4096;
    s->pool = grown(s->pool, s->pool_capacity, sizeof *s->pool);
  }
  return s->pool_used++;
}

uint32_t shadow_spell_readers(struct shadow *s, uint32_t granule) {
  const uint32_t note = s->readers[granule], lane = note % (1u << QUICK_LANE_BITS);
  if (note & READER_ROLL) return roll_spell(s, granule);
  const struct quick_kind *kind = quick_kind_at(s, note);
  s->readers[granule] = 0;
  if (!kind) return 0;
  const struct shadow_reader entry = {.op = kind->op,
                                      .agent = kind->agent,
                                      .mask = lane == QUICK_ALL_LANES ? UINT32_MAX : 1u << lane,
                                      .warps = s->reader_warps[granule],
                                      .epoch = kind->epoch};
  const uint32_t index = reader_new(s);
  s->pool[index] = entry;
  return s->readers[granule] = index;
}

void shadow_copy_readers(struct shadow *s, uint32_t to, uint32_t from) {
  const uint32_t head = s->readers[from];
  s->reader_warps[to] = s->reader_warps[from];
  s->readers[to] = head & READER_ROLL ? roll_copy(s, head) : head;
  if (head & READER_QUICK) return;
  s->readers[to] = 0;
  for (uint32_t r = head, last = 0, made; r; r = s->pool[r].next, last = made) {
    made = reader_new(s);
    s->pool[made] = s->pool[r];
    s->pool[made].next = 0;
    *(last ? &s->pool[last].next : &s->readers[to]) = made;
  }
}

// After a narrow access: every granule of 4 bytes becomes 4 granules of one byte with the same history.
void shadow_refine(struct shadow *s) {
  if (s->shift == 0) return;
  uint32_t coarse = s->granules;
  reserve(s, coarse * 4);
  for (uint32_t g = coarse;
       g-- > 0;) { // from the end: a granule moves up, never onto one that is still to be read
    if (!s->lines[g / line_granules(s)].detailed) continue;
    for (uint32_t i = 4; i-- > 0;) {
      uint32_t to = g * 4 + i;
      s->write_epoch[to] = s->write_epoch[g];
      s->write_thread[to] = s->write_thread[g];
      s->write_op[to] = s->write_op[g];
      s->write_atomic[to] = s->write_atomic[g];
      s->write_agent[to] = s->write_agent[g];
      if (i) {
        shadow_copy_readers(s, to, g);
      } else {
        s->readers[to] = s->readers[g];
        s->reader_warps[to] = s->reader_warps[g];
      }
    }
  }
  s->granules = coarse * 4;
  s->shift = 0;
}

// Takes the lanes of a warp out of the entry `*at`, which holds some of them. previous: the entry before it;
// 0: it is the first. Afterwards `*at` is the last entry that has been dealt with.
static void take_out(struct shadow *s, uint32_t granule, uint32_t previous, uint32_t *at, uint32_t warp,
                     uint32_t lanes) {
  struct shadow_reader *r = &s->pool[*at];
  const uint32_t stay = r->mask & ~lanes;
  if (r->warps != warp) { // the other warps' lanes stay together
    r->warps &= ~warp;
    if (!stay) return;
    const uint32_t rest = reader_new(s);
    s->pool[rest] = s->pool[*at];
    s->pool[rest].mask = stay;
    s->pool[rest].warps = warp;
    s->pool[*at].next = rest;
    *at = rest;
  } else if (stay) {
    r->mask = stay;
  } else {
    *(previous ? &s->pool[previous].next : &s->readers[granule]) = r->next;
    r->next = s->pool_free;
    s->pool_free = *at;
    *at = previous;
  }
}

// Takes the lanes of `read` out of entries of earlier epochs: whoever has seen the later read has seen the
// earlier ones. Returns the lanes that are still to be noted.
static uint32_t replace_earlier(struct shadow *s, uint32_t granule, const struct shadow_reader *read) {
  uint32_t left = read->mask, at = s->readers[granule];
  for (uint32_t previous = 0, next; at; previous = at, at = next) {
    const struct shadow_reader *r = &s->pool[at];
    next = r->next;
    if (!(r->mask & read->mask) || !(r->warps & read->warps) || r->agent != read->agent) continue;
    if (r->epoch == read->epoch && r->op == read->op)
      left &= ~r->mask;
    else
      take_out(s, granule, previous, &at, read->warps, read->mask);
  }
  return left;
}

// Adds the lanes to an entry of the same instruction and epoch, if lanes and warps still make a rectangle.
static bool add_to_entry(struct shadow *s, uint32_t granule, const struct shadow_reader *read) {
  for (uint32_t i = s->readers[granule]; i; i = s->pool[i].next) {
    struct shadow_reader *r = &s->pool[i];
    if (r->op != read->op || r->epoch != read->epoch || r->agent != read->agent ||
        r->strong != read->strong || !r->mask)
      continue;
    if (r->mask == read->mask)
      r->warps |= read->warps;
    else if (r->warps == read->warps)
      r->mask |= read->mask;
    else
      continue;
    return true;
  }
  return false;
}

static bool note_in_roll(struct shadow *s, uint32_t granule, const struct shadow_reader *read) {
  return !read->strong && roll_make(s, granule, read->agent) &&
         roll_read(s, granule, 1, read->agent + (uint32_t)__builtin_ctz(read->warps) * WARP_LANES, read->mask,
                   read->epoch, read->op);
}

static void note_read(struct shadow *s, uint32_t granule, struct shadow_reader read) {
  if (note_in_roll(s, granule, &read)) return;
  if (s->reader_warps[granule] & read.warps) read.mask = replace_earlier(s, granule, &read);
  if (!read.mask || add_to_entry(s, granule, &read)) return;
  const uint32_t index = reader_new(s);
  read.next = s->readers[granule];
  s->pool[index] = read;
  s->readers[granule] = index;
}

void shadow_read_together(struct shadow *s, uint32_t granule, uint32_t warp_agent, uint32_t lanes,
                          uint32_t epoch, const struct op *op, bool strong) {
  const uint32_t warp = reader_warp(warp_agent);
  shadow_readers(s, granule);
  note_read(s, granule,
            (struct shadow_reader){.op = op,
                                   .agent = reader_base(warp_agent),
                                   .mask = lanes,
                                   .warps = warp,
                                   .strong = strong,
                                   .epoch = epoch});
  s->reader_warps[granule] |= warp;
}

// A thread's stores complete their reads in the order of their groups, so its last store stands for all. When
// very many threads store the same bytes, the last ones replace the others.
void shadow_read_by_store(struct shadow *s, uint32_t granule, const struct shadow_reader *store) {
  uint32_t index = shadow_readers(s, granule), stores = 0;
  while (index && (s->pool[index].mask != 0 ||
                   (s->pool[index].agent != store->agent && ++stores < MOST_STORES_OF_A_GRANULE)))
    index = s->pool[index].next;
  if (index) {
    uint32_t next = s->pool[index].next;
    s->pool[index] = *store;
    s->pool[index].next = next;
    return;
  }
  index = reader_new(s);
  s->pool[index] = *store;
  s->pool[index].next = s->readers[granule];
  s->readers[granule] = index;
}

void shadow_clear_readers(struct shadow *s, uint32_t granule) {
  uint32_t head = s->readers[granule];
  if (!head) return;
  s->readers[granule] = s->reader_warps[granule] = 0;
  if (head & READER_ROLL) roll_free(s, head);
  if (head & READER_QUICK) return;
  uint32_t last = head;
  while (s->pool[last].next)
    last = s->pool[last].next;
  s->pool[last].next = s->pool_free;
  s->pool_free = head;
}
