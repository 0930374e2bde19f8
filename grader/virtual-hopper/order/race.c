// Races on global memory between clusters (race.h). A note stands for an access of a cluster's warp. Each
// granule of four bytes knows its last write, and its last reads by two clusters. Narrower writes are judged
// like others where lanes of a warp fill granules; else against bulk stores alone, unless they are strong,
// since neighbours may share a granule.
#include "virtual-hopper/order/race.h"

#include <stdatomic.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-judge.h"
#include "virtual-hopper/order/race-pages.h"

static void visit_reads(struct race_deed *a, struct race_page *page, uint32_t from, uint32_t to) {
  const uint64_t base = page->link.number * RACE_PAGE_BYTES;
  for (uint32_t g = from, next; g < to; g = next) {
    const uint16_t written = race_index_at(&page->writes, g);
    next = written ? g + 1 : race_index_alike(&page->writes, g, to);
    if (written && (!a->narrow || race_is_whole(&page->notes[written])))
      race_check_read(a, &page->notes[written], base + g * RACE_GRANULE_BYTES);
  }
  if (a->narrow)
    race_index_set(a->shadow, page->link.number, &page->narrow_reads, from, to,
                   race_note_index(a->shadow, page, &a->note));
  else if (!a->strong)
    race_note_read(a->shadow, page, from, to, &a->note);
}

// A write, a store or a reduction fills a granule in which another cluster has written, or read, a byte or
// two.
static void check_narrow_before(struct race_deed *a, struct race_page *page, uint32_t g) {
  if (a->strong || a->note.flags & RACE_NOTE_PARTIAL) return;
  const uint16_t read = race_index_at(&page->narrow_reads, g);
  if (read) {
    race_check_reader(a, &page->notes[read], page->link.number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES);
    race_index_set(a->shadow, page->link.number, &page->narrow_reads, g, g + 1, 0);
  }
  if (a->deed != DEED_STORE) return;
  if (a->note.flags & RACE_NOTE_REDUCES || !page->narrow || !page->narrow->notes[g]) return;
  if (race_is_unordered(a, &page->notes[page->narrow->notes[g]]))
    race_narrow_meet(a->shadow, page, g, &a->note);
}

// Returns false if the note there stays.
static bool check_granule(struct race_deed *a, const struct race_page *page, uint32_t g) {
  const uint64_t address = page->link.number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES;
  const struct race_readers who = race_readers_of(page, g);
  const uint16_t written = race_index_at(&page->writes, g);
  if (!a->strong && who.last) race_check_reader(a, &page->notes[who.last], address);
  if (!a->strong && who.other) race_check_reader(a, &page->notes[who.other], address);
  return !written || race_check_written(a, &page->notes[written], address, race_value(page, g));
}

// Of a tensor whose rows are no multiple of a granule, a store fills the last one in part.
static bool is_partial(const struct race_deed *a, uint64_t address) {
  return address < a->address || address + RACE_GRANULE_BYTES > a->end;
}

static void begin_granule(struct race_deed *a, uint64_t address) {
  const bool partial = is_partial(a, address);
  a->note.rival = a->note.plain = NULL;
  a->note.rival_cluster = a->note.rival_copy = a->note.plain_time = 0;
  a->note.flags &= ~(uint64_t)RACE_NOTE_PARTIAL;
  if (partial && a->deed == DEED_STORE) a->note.flags |= RACE_NOTE_PARTIAL;
}

// Checks the granule. Returns the index of the note that it gets; 0: the one that is there stays.
static uint16_t judge_granule(struct race_deed *a, struct race_page *page, uint32_t g) {
  begin_granule(a, page->link.number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES);
  const bool notes = check_granule(a, page, g);
  check_narrow_before(a, page, g);
  // What the access has learned, it hands on.
  raise(&a->note.published, a->cluster->race.seen_fenced);
  return notes ? race_note_index(a->shadow, page, &a->note) : 0;
}

// Nobody has written the whole granule, or touched a part of it.
static bool is_unwritten(const struct race_deed *a, const struct race_page *page, uint32_t g) {
  return !race_index_at(&page->writes, g) && !(page->narrow && page->narrow->notes[g]) &&
         !race_index_at(&page->narrow_reads, g) &&
         !is_partial(a, page->link.number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES);
}

static bool are_ordered(struct race_deed *a, const struct race_page *page, struct race_readers who) {
  return !(who.last && race_is_unordered(a, &page->notes[who.last])) &&
         !(who.other && race_is_unordered(a, &page->notes[who.other]));
}

// The granules from `g` on, which is unwritten, that are unwritten and have its readers, end here.
static uint32_t end_of_alike(const struct race_deed *a, const struct race_page *page, uint32_t g,
                             uint32_t to) {
  if (page->narrow || !race_index_is_empty(&page->narrow_reads)) return g + 1;
  uint32_t end = race_index_alike(&page->writes, g, to);
  end = race_index_alike(&page->reads, g, end);
  end = race_index_alike(&page->reads_too, g, end);
  const bool partial = is_partial(a, page->link.number * RACE_PAGE_BYTES + (end - 1) * RACE_GRANULE_BYTES);
  return partial && end > g + 1 ? end - 1 : end;
}

// A granule that nobody has written, and whose readers come before the write, gets the note of the one right
// before it that was such a granule, too.
static void visit_writes(struct race_deed *a, struct race_page *page, uint32_t from, uint32_t to) {
  const bool leaves_values = a->store && (a->bytes >= RACE_GRANULE_BYTES || !a->strong);
  if (leaves_values && !page->values)
    page->values = race_take(a->shadow, page->link.number, RACE_GRANULES * sizeof *page->values);
  if (leaves_values && !page->values) return;
  struct race_readers known = {0, 0}; // that come before
  uint16_t plain_note = 0;
  for (uint32_t g = from, next; g < to; g = next) {
    const bool unwritten = is_unwritten(a, page, g);
    const struct race_readers who = race_readers_of(page, g);
    const bool plain =
        unwritten && ((who.last == known.last && who.other == known.other) || are_ordered(a, page, who));
    next = plain ? end_of_alike(a, page, g, to) : g + 1;
    const uint16_t index = plain && plain_note ? plain_note : judge_granule(a, page, g);
    plain_note = plain ? index : 0;
    known =
        plain ? race_readers_of(page, g) : (struct race_readers){0, 0}; // notes may have got other numbers
    if (!index) continue;
    race_note_written(a->shadow, page, g, next, index);
    if (leaves_values) race_leave_values(a, page, g, next);
  }
}

// One lane's write of one or two bytes.
static void visit_narrow(struct race_deed *a, struct race_page *page, uint32_t g) {
  const struct race_note written = page->notes ? page->notes[race_index_at(&page->writes, g)] : a->note;
  const bool meets = race_is_whole_store(&written) && !(written.flags & RACE_NOTE_REDUCES) &&
                     race_is_not_done(a, written.cluster, written.done);
  const uint32_t value = race_value_at(a, a->address);
  const uint8_t *there = memory_host(a->shadow->launch->memory, a->address, a->bytes);
  a->note.rival = NULL;
  a->note.rival_cluster = a->note.rival_copy = 0;
  if (meets && written.flags & RACE_NOTE_LANDED) {
    if (there && memcmp(there, &value, a->bytes) != 0) race_report_write_and_copy(a, &written, a->address);
  } else if (meets) {
    a->note.rival = written.op;
    a->note.rival_cluster = written.cluster;
    a->note.rival_copy = written.copy;
  }
  race_narrow_note(a->shadow, page, &a->note, a->address, a->bytes, value);
}

static void visit(struct race_deed *a, uint64_t address, uint64_t bytes) {
  struct race_shadow *s = a->shadow;
  a->address = address;
  a->end = address + bytes;
  for (const uint64_t end = a->end; address < end;) {
    const uint64_t number = address / RACE_PAGE_BYTES, page_end = (number + 1) * RACE_PAGE_BYTES,
                   stop = end < page_end ? end : page_end;
    const uint32_t from = (uint32_t)(address % RACE_PAGE_BYTES / RACE_GRANULE_BYTES),
                   to = (uint32_t)((stop - number * RACE_PAGE_BYTES + RACE_GRANULE_BYTES - 1) /
                                   RACE_GRANULE_BYTES);
    const bool makes = a->kind != ORDER_READ || !a->strong;
    struct lone_lock *lock = race_lock(s, number);
    lone_lock_take(lock);
    struct race_page *page = race_page_find(s, number, makes);
    if (page && a->kind == ORDER_READ)
      visit_reads(a, page, from, to);
    else if (page && a->narrow)
      visit_narrow(a, page, from);
    else if (page)
      visit_writes(a, page, from, to);
    lone_lock_give(lock);
    address = stop;
  }
}

static uint64_t now(struct race_shadow *s) {
  return atomic_load(&s->time);
}

// A strong write has a time of its own: what comes before it is earlier, and what comes after it later.
static struct race_note note_of(struct race_shadow *s, const struct order_cluster *c, const struct op *op,
                                bool strong_write, enum order_strength strength) {
  struct race_note note;
  memset(&note, 0, sizeof note); // notes are compared as bytes
  note.op = op;
  note.cluster = c->cluster->index + 1;
  note.time = strong_write ? atomic_fetch_add(&s->time, 2) + 1 : now(s);
  note.published = c->race.fenced > c->race.seen_fenced ? c->race.fenced : c->race.seen_fenced;
  if (!strong_write) return note;
  struct race_signals *signals = &s->signals[c->cluster->index];
  raise_shared(&signals->strong, note.time);
  if ((strength != ORDER_RELEASE && strength != ORDER_ACQ_REL) || race_is_narrow(op)) return note;
  note.published = note.time;
  raise_shared(&signals->fenced, note.time);
  return note;
}

// By the letter a relaxed read needs a fence after it. Old and sound code has none: its blocks share a cache.
static bool acquires(const struct launch *l, const struct op *op, enum order_strength strength) {
  if (!l->strict) return true;
  return (strength == ORDER_ACQUIRE || strength == ORDER_ACQ_REL) && !race_is_narrow(op);
}

static uint64_t *strong_word(struct order_cluster *c, uint64_t address, uint64_t *bit) {
  const uint64_t place = ((address >> 2) * 0x9e3779b97f4a7c15ull) >> 54; // below RACE_PLACES
  *bit = 1ull << place % 64;
  return &c->race.strong[place / 64];
}

// Lanes in a row of addresses are looked at together, and those with the same address once.
static uint32_t run_of(uint32_t lanes, uint32_t lane, const uint64_t address[WARP_LANES], uint32_t bytes) {
  uint32_t count = 1;
  while (lane + count < WARP_LANES && lanes >> (lane + count) & 1 &&
         address[lane + count] == address[lane] + (uint64_t)count * bytes)
    count++;
  return count;
}

static void touch(struct race_deed *a, uint32_t lane, uint32_t count, uint64_t address) {
  uint64_t bit, *word = strong_word(a->cluster, address, &bit);
  a->first = lane;
  a->known = *word & bit;
  a->note.flags &= ~(uint64_t)RACE_NOTE_OWNED;
  if (a->strong && !(a->accumulates && race_is_unused(a->shadow, a->by.op)))
    *word |= bit;
  else if (!a->strong && *word & bit)
    a->note.flags |= RACE_NOTE_OWNED;
  visit(a, address, (uint64_t)count * a->bytes);
}

// Lanes that write one or two bytes each: where they fill granules between them, that is a write like any
// other. What is left of the run is judged against bulk stores alone.
static void touch_narrow(struct race_deed *a, uint32_t lane, uint32_t count, uint64_t address) {
  const bool stores = a->cluster->launch->tracks_global_stores;
  const uint32_t each = RACE_GRANULE_BYTES / a->bytes;
  for (uint32_t i = 0; i < count;) {
    const uint64_t at = address + (uint64_t)i * a->bytes;
    const uint32_t whole = at % RACE_GRANULE_BYTES ? 0 : (count - i) / each * each;
    a->narrow = !whole;
    if (whole || stores) touch(a, lane + i, whole ? whole : 1, at);
    i += whole ? whole : 1;
  }
  a->narrow = true;
}

// Words are compared once for each of the last few instructions.
static const struct race_modifiers *modifiers_of(struct race_view *view, const struct op *op) {
  struct race_modifiers *known = &view->modifiers[((uintptr_t)op >> 6) % RACE_MODIFIERS];
  if (known->op != op)
    *known =
        (struct race_modifiers){op, op->source && ptx_has_modifier(op->source, "nc"), race_is_coherent(op)};
  return known;
}

void race_access(struct warp *w, const struct op *op, uint32_t lanes, const uint64_t address[WARP_LANES],
                 uint32_t bytes, enum order_kind kind, enum order_strength strength,
                 const struct order_store *store) {
  struct order_launch *l = w->launch->order;
  const bool strong = strength != ORDER_WEAK || kind == ORDER_ATOMIC;
  if (!l->races || atomic_load_explicit(&l->races->full, memory_order_relaxed)) return;
  const bool narrow = !strong && bytes < RACE_GRANULE_BYTES;
  struct order_cluster *c = w->block->order->cluster;
  if (!strong && ((kind == ORDER_WRITE && !store) || modifiers_of(&c->race, op)->unchanging)) return;
  struct race_deed a = {.shadow = l->races,
                        .cluster = c,
                        .by = actor_of(w, op, 0),
                        .deed = kind == ORDER_READ ? DEED_READ : DEED_WRITE,
                        .kind = kind,
                        .strong = strong,
                        .narrow = narrow,
                        .coherent = !strong && kind == ORDER_READ && modifiers_of(&c->race, op)->coherent,
                        .accumulates = kind == ORDER_ATOMIC && race_text_of(&c->race, op)->accumulates,
                        .acquires = acquires(w->launch, op, strength),
                        .store = store,
                        .bytes = bytes,
                        .reported = -1,
                        .note = note_of(l->races, c, op, strong && kind != ORDER_READ, strength)};
  if (strong) a.note.flags = RACE_NOTE_STRONG | (a.accumulates ? (unsigned)RACE_NOTE_ACCUMULATES : 0);
  if (strong && kind != ORDER_READ && !race_is_narrow(op))
    race_met_told(l->races, w, op, lanes, strength, a.note.time);
  else if (!strong)
    race_met_name(&a.note, w, lanes);
  const bool row = !strong && order_is_row(lanes, address, bytes);
  for (uint32_t lane = 0; lane < WARP_LANES;) {
    uint32_t count = 1;
    if (lanes >> lane & 1 &&
        (lane == 0 || !(lanes >> (lane - 1) & 1) || address[lane] != address[lane - 1])) {
      if (!strong) count = row ? (uint32_t)WARP_LANES : run_of(lanes, lane, address, bytes);
      if (narrow && kind != ORDER_READ)
        touch_narrow(&a, lane, count, address[lane]);
      else
        touch(&a, lane, count, address[lane]);
    }
    lane += count;
  }
}

void race_fence(struct order_cluster *c, bool narrow) {
  struct race_shadow *s = c->launch->races;
  if (!s) return;
  if (!narrow) {
    c->race.fenced = atomic_fetch_add(&s->time, 1) + 1;
    raise_shared(&s->signals[c->cluster->index].fenced, c->race.fenced);
  }
  raise(&c->race.seen, c->race.glanced);
  raise(&c->race.seen_fenced, c->race.glanced_fenced);
}

// ---- copies -----------------------------------------------------------------------------------------------

// What a store writes behind the tensor's edge, and the granule that the edge cuts, are noted as such.
static void visit_span(const struct copy_span *span, void *context) {
  struct race_deed *a = context;
  const uint64_t end = span->address + span->bytes, beyond = span->beyond_edge,
                 edge = beyond ? end - beyond - (end - beyond) % RACE_GRANULE_BYTES : end;
  visit(a, span->address, edge - span->address);
  a->note.flags |= RACE_NOTE_BEYOND_EDGE;
  visit(a, edge, end - edge);
  a->note.flags &= ~(uint64_t)RACE_NOTE_BEYOND_EDGE;
}

static void visit_copy(struct actor by, const struct async_copy *copy, enum order_kind kind, uint64_t flags) {
  struct race_shadow *s = by.w->launch->order->races;
  if (!s || atomic_load_explicit(&s->full, memory_order_relaxed)) return;
  struct order_cluster *c = by.w->block->order->cluster;
  struct race_deed a = {.shadow = s,
                        .cluster = c,
                        .by = by,
                        .deed = kind == ORDER_READ ? DEED_LOAD : DEED_STORE,
                        .kind = kind,
                        .first = by.lane,
                        .bytes = UINT32_MAX,
                        .reported = -1,
                        .note = note_of(s, c, by.op, false, ORDER_WEAK)};
  a.note.flags = RACE_NOTE_ASYNC | flags;
  if (kind == ORDER_WRITE) {
    a.note.copy = race_copy_name(order_agent_of(by.w, by.lane), copy);
    a.note.done = RACE_PENDING;
  }
  copy_each_global_span(copy, visit_span, &a);
}

void race_copy_reads(struct actor by, const struct async_copy *copy) {
  visit_copy(by, copy, ORDER_READ, 0);
}

void race_copy_writes(struct actor by, const struct async_copy *copy) {
  visit_copy(by, copy, ORDER_WRITE,
             copy->operation == ASYNC_STORE
                 ? 0
                 : RACE_NOTE_REDUCES | (uint64_t)copy->operation << RACE_NOTE_OPERATION);
}
