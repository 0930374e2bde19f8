// Races on global memory between clusters (race.h). A note stands for an access of a cluster's warp. Each
// granule of four bytes knows its last write, and its last reads by two clusters. Narrower writes are judged
// like others where lanes of a warp fill granules; else against bulk stores alone, unless they are strong,
// since neighbours may share a granule.
#include "virtual-hopper/order/race.h"

#include <stdatomic.h>
#include <string.h>

#include "virtual-hopper/base/tensor-map.h"
#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-judge.h"
#include "virtual-hopper/order/race-pages.h"

static void leave(struct race_deed *a) {
  if (a->lock) lone_lock_give(a->lock);
  a->lock = NULL;
}

static void visit_reads(struct race_deed *a, struct race_page *page, uint32_t from, uint32_t to) {
  const uint64_t base = page->number * RACE_PAGE_BYTES;
  for (uint32_t g = from, next; g < to; g = next) {
    const uint32_t written = race_index_at(&page->writes, g);
    const struct race_note *n = race_note_at(a->shadow, written);
    next = written ? g + 1 : race_index_alike(&page->writes, g, to);
    if (written && (!a->narrow || race_is_whole(n))) race_check_read(a, n, base + g * RACE_GRANULE_BYTES);
  }
  if (a->narrow)
    race_index_set(a->shadow, page->number, &page->narrow_reads, from, to, race_settled_note(a));
  else if (!a->strong)
    race_note_read(a->shadow, page, from, to, race_settled_note(a));
}

// A write, a store or a reduction fills a granule in which another cluster has written, or read, a byte or
// two.
static void check_narrow_before(struct race_deed *a, struct race_page *page, uint32_t g) {
  if (a->strong || a->note.flags & RACE_NOTE_PARTIAL) return;
  const uint32_t read = race_index_at(&page->narrow_reads, g);
  if (read) {
    race_check_reader(a, race_note_at(a->shadow, read),
                      page->number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES);
    race_index_set(a->shadow, page->number, &page->narrow_reads, g, g + 1, 0);
  }
  if (a->deed != DEED_STORE) return;
  if (a->note.flags & RACE_NOTE_REDUCES || !page->narrow || !page->narrow->notes[g]) return;
  if (race_is_unordered(a, race_note_at(a->shadow, page->narrow->notes[g])))
    race_narrow_meet(a->shadow, page, g, &a->note);
}

// Returns false if the note there stays.
static bool check_granule(struct race_deed *a, const struct race_page *page, uint32_t g) {
  const uint64_t address = page->number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES;
  const struct race_readers who = race_readers_of(page, g);
  const uint32_t written = race_index_at(&page->writes, g);
  if (!a->strong && who.last) race_check_reader(a, race_note_at(a->shadow, who.last), address);
  if (!a->strong && who.other) race_check_reader(a, race_note_at(a->shadow, who.other), address);
  return !written || race_check_written(a, race_note_at(a->shadow, written), address, race_value(page, g));
}

// Of a tensor whose rows are no multiple of a granule, a store fills the last one in part.
static bool is_partial(const struct race_deed *a, uint64_t address) {
  return address < a->address || address + RACE_GRANULE_BYTES > a->end;
}

static void begin_granule(struct race_deed *a, uint64_t address) {
  const bool partial = is_partial(a, address);
  a->note.rival = a->note.plain = NULL;
  a->note.rival_copy = 0;
  a->note.plain_time = 0;
  a->note.flags &= ~(uint32_t)RACE_NOTE_PARTIAL;
  if (partial && a->deed == DEED_STORE) a->note.flags |= RACE_NOTE_PARTIAL;
}

// Checks the granule. Returns the index of the note that it gets; 0: the one that is there stays.
static uint32_t judge_granule(struct race_deed *a, struct race_page *page, uint32_t g) {
  begin_granule(a, page->number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES);
  const bool notes = check_granule(a, page, g);
  check_narrow_before(a, page, g);
  // What the access has learned, it hands on.
  raise(&a->note.published, a->cluster->race.seen_fenced);
  return notes ? race_own_note(a) : 0;
}

// Nobody has written the whole granule, or touched a part of it.
static bool is_unwritten(const struct race_deed *a, const struct race_page *page, uint32_t g) {
  return !race_index_at(&page->writes, g) && !(page->narrow && page->narrow->notes[g]) &&
         !race_index_at(&page->narrow_reads, g) &&
         !is_partial(a, page->number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES);
}

// The granules from `g` on, which is unwritten, that are unwritten and have its readers, end here.
static uint32_t end_of_alike(const struct race_deed *a, const struct race_page *page, uint32_t g,
                             uint32_t to) {
  if (page->narrow || !race_index_is_empty(&page->narrow_reads)) return g + 1;
  uint32_t end = race_index_alike(&page->writes, g, to);
  end = race_index_alike(&page->reads, g, end);
  end = race_index_alike(&page->reads_too, g, end);
  const bool partial = is_partial(a, page->number * RACE_PAGE_BYTES + (end - 1) * RACE_GRANULE_BYTES);
  return partial && end > g + 1 ? end - 1 : end;
}

// A granule that nobody has written, and whose readers come before the write, gets the note of the one right
// before it that was such a granule, too.
static void visit_writes(struct race_deed *a, struct race_page *page, uint32_t from, uint32_t to) {
  const bool leaves_values = a->store && (a->bytes >= RACE_GRANULE_BYTES || !a->strong);
  struct race_readers known = {0, 0}; // that come before
  uint32_t plain_note = 0;
  for (uint32_t g = from, next; g < to; g = next) {
    const bool unwritten = is_unwritten(a, page, g);
    const struct race_readers who = race_readers_of(page, g);
    const bool plain =
        unwritten && ((who.last == known.last && who.other == known.other) || race_are_ordered(a, who));
    next = plain ? end_of_alike(a, page, g, to) : g + 1;
    const uint32_t index = plain && plain_note ? plain_note : judge_granule(a, page, g);
    plain_note = plain ? index : 0;
    known = plain ? who : (struct race_readers){0, 0};
    if (!index) continue;
    race_note_written(a->shadow, page, g, next, index);
    if (leaves_values) race_leave_values(a, page, g, next);
  }
}

// One lane's write of one or two bytes.
static void visit_narrow(struct race_deed *a, struct race_page *page, uint32_t g) {
  const struct race_note *written = race_note_at(a->shadow, race_index_at(&page->writes, g));
  const bool meets = race_is_whole_store(written) && !(written->flags & RACE_NOTE_REDUCES) &&
                     race_is_not_done(a, written->copy);
  const uint32_t value = race_value_at(a, a->address);
  const uint8_t *there = memory_host(a->shadow->launch->memory, a->address, a->bytes);
  a->note.rival = NULL;
  a->note.rival_copy = 0;
  if (meets && race_has_landed(a, written->copy)) {
    if (there && memcmp(there, &value, a->bytes) != 0) race_report_write_and_copy(a, written, a->address);
  } else if (meets) {
    a->note.rival = written->op;
    a->note.rival_copy = written->copy;
  }
  race_narrow_note(a->shadow, page, race_own_note(a), a->address, a->bytes, value);
}

// The caller leaves the last page.
static void visit(struct race_deed *a, uint64_t address, uint64_t bytes) {
  a->address = address;
  a->end = address + bytes;
  for (const uint64_t end = a->end; address < end;) {
    const uint64_t number = address / RACE_PAGE_BYTES, page_end = (number + 1) * RACE_PAGE_BYTES,
                   stop = end < page_end ? end : page_end;
    const uint32_t from = (uint32_t)(address % RACE_PAGE_BYTES / RACE_GRANULE_BYTES),
                   to = (uint32_t)((stop - number * RACE_PAGE_BYTES + RACE_GRANULE_BYTES - 1) /
                                   RACE_GRANULE_BYTES);
    const bool makes = a->kind != ORDER_READ || !a->strong;
    struct race_page *page = race_enter(a, number, makes);
    address = stop;
    if (page && a->kind == ORDER_READ && !a->strong && !a->narrow && race_read_row(a, page, from, to))
      continue;
    if (page) race_gather(a->shadow, page);
    if (page && a->kind == ORDER_READ)
      visit_reads(a, page, from, to);
    else if (page && a->narrow)
      visit_narrow(a, page, from);
    else if (page)
      visit_writes(a, page, from, to);
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
  note.cluster = (uint32_t)c->cluster->index + 1;
  note.time = strong_write ? atomic_fetch_add(&s->time, 2) + 1 : now(s);
  note.published = c->race.fenced > c->race.seen_fenced ? c->race.fenced : c->race.seen_fenced;
  if (!strong_write) return note;
  struct race_signals *signals = &s->signals[c->cluster->index];
  race_tell(s, note.cluster, note.time);
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

// Lanes in a row of addresses are looked at together, and those with the same address once.
static uint32_t run_of(uint32_t lanes, uint32_t lane, const uint64_t address[WARP_LANES], uint32_t bytes) {
  uint32_t count = 1;
  while (lane + count < WARP_LANES && lanes >> (lane + count) & 1 &&
         address[lane + count] == address[lane] + (uint64_t)count * bytes)
    count++;
  return count;
}

static void touch(struct race_deed *a, uint32_t lane, uint32_t count, uint64_t address) {
  a->settled = 0;
  uint64_t bit, *word = race_strong_word(a->cluster, address, &bit);
  a->first = lane;
  a->known = *word & bit;
  a->note.flags &= ~(uint32_t)RACE_NOTE_OWNED;
  if (a->strong && !(a->accumulates && race_is_unused(a->shadow, a->by.op))) {
    a->cluster->race.any_strong = true;
    *word |= bit;
  } else if (!a->strong && a->kind != ORDER_READ && *word & bit) {
    a->note.flags |= RACE_NOTE_OWNED;
  }
  visit(a, address, (uint64_t)count * a->bytes);
}

// An atomic on a word that strong accesses alone have written: it learns of the last one, and takes its
// place. False: that is not so.
static bool atomic_word(struct race_deed *a, uint64_t address) {
  struct race_page *page = race_enter(a, address / RACE_PAGE_BYTES, true);
  const uint32_t g = (uint32_t)(address % RACE_PAGE_BYTES / RACE_GRANULE_BYTES);
  if (!page) return true; // no room
  race_gather(a->shadow, page);
  const uint32_t written = race_index_at(&page->writes, g);
  const struct race_note *n = race_note_at(a->shadow, written);
  const uint64_t published = a->note.published;
  const uint32_t flags = a->note.flags;
  if (written && ((n->flags & (RACE_NOTE_STRONG | RACE_NOTE_ASYNC)) != RACE_NOTE_STRONG || n->plain ||
                  race_sizes_differ(a->by.op, n->op)))
    return false;
  if (written) race_learn(a, n, address);
  raise(&a->note.published, a->cluster->race.seen_fenced);
  if (a->note.published != published || a->note.flags != flags) a->settled = 0;
  const uint32_t own = race_settled_note(a);
  if (!own) return true;
  race_index_put(a->shadow, a->number, &page->writes, g, own);
  if (!race_index_is_empty(&page->reads)) race_index_put(a->shadow, a->number, &page->reads, g, 0);
  if (!race_index_is_empty(&page->reads_too)) race_index_put(a->shadow, a->number, &page->reads_too, g, 0);
  return true;
}

// Atomics on words, lane after lane.
static void touch_atomics(struct race_deed *a, uint32_t lanes, const uint64_t address[WARP_LANES]) {
  const bool marks = !(a->accumulates && race_is_unused(a->shadow, a->by.op));
  EACH_LANE(lane, lanes) {
    uint64_t bit, *word = race_strong_word(a->cluster, address[lane], &bit);
    if (!atomic_word(a, address[lane])) {
      touch(a, lane, 1, address[lane]);
    } else if (marks) {
      a->cluster->race.any_strong = true;
      *word |= bit;
    }
  }
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

// Of lanes with one address, one after the other, the first one is looked at.
OVER_ALL_AGENTS static uint32_t without_repeats(uint32_t lanes, const uint64_t address[WARP_LANES]) {
  uint32_t repeats = 0;
  for (uint32_t lane = 1; lane < WARP_LANES; lane++)
    repeats |= (uint32_t)(address[lane] == address[lane - 1]) << lane;
  return lanes & ~(repeats & lanes << 1);
}

static void touch_lanes(struct race_deed *a, uint32_t lanes, const uint64_t address[WARP_LANES]) {
  const uint32_t first = (uint32_t)__builtin_ctz(lanes);
  if (!a->strong && order_is_row(lanes, address, a->bytes)) {
    if (a->narrow && a->kind != ORDER_READ)
      touch_narrow(a, 0, WARP_LANES, address[0]);
    else
      touch(a, 0, WARP_LANES, address[0]);
    return;
  }
  const bool words =
      !a->strong && a->bytes == RACE_GRANULE_BYTES && run_of(lanes, first, address, a->bytes) == 1;
  if (words && a->kind == ORDER_READ) lanes = race_read_words(a, lanes, address);
  if (lanes) lanes = without_repeats(lanes, address);
  if (words && a->kind != ORDER_READ) lanes = race_write_words(a, lanes, address);
  if (a->kind == ORDER_ATOMIC && a->bytes == RACE_GRANULE_BYTES) {
    touch_atomics(a, lanes, address);
    return;
  }
  while (lanes) {
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes),
                   count = a->strong ? 1 : run_of(lanes, lane, address, a->bytes);
    if (a->narrow && a->kind != ORDER_READ)
      touch_narrow(a, lane, count, address[lane]);
    else
      touch(a, lane, count, address[lane]);
    lanes &= ~(uint32_t)(((1ull << count) - 1) << lane);
  }
}

// Words are compared once for each of the last many instructions.
enum { IS_UNCHANGING = 1, IS_COHERENT = 2, MODIFIERS = IS_UNCHANGING | IS_COHERENT };
static uintptr_t modifiers_of(struct race_shadow *s, const struct op *op) {
  _Atomic uintptr_t *place = &s->modifiers[(uintptr_t)op / sizeof *op % RACE_MODIFIERS];
  uintptr_t known = atomic_load_explicit(place, memory_order_relaxed);
  if ((known & ~(uintptr_t)MODIFIERS) != (uintptr_t)op) {
    known = (uintptr_t)op;
    // With L1::no_allocate libraries read what others write, and rely on it (DeepEP).
    if (op->source && ptx_has_modifier(op->source, "nc") && !ptx_has_modifier(op->source, "L1::no_allocate"))
      known |= IS_UNCHANGING;
    if (race_is_coherent(op)) known |= IS_COHERENT;
    atomic_store_explicit(place, known, memory_order_relaxed);
  }
  return known & MODIFIERS;
}

static uint32_t lanes_of(uint32_t lanes, const uint64_t address[WARP_LANES], uint32_t bytes) {
  if (bytes % RACE_GRANULE_BYTES) return 0;
  if (!(lanes & (lanes - 1))) return (uint32_t)RACE_LANES_ONE | (uint32_t)__builtin_ctz(lanes);
  if (!order_is_row(lanes, address, bytes)) return 0;
  return race_row_of(address[0], (uint32_t)__builtin_ctz(bytes / RACE_GRANULE_BYTES));
}

void race_access(struct warp *w, const struct op *op, uint32_t lanes, const uint64_t address[WARP_LANES],
                 uint32_t bytes, enum order_kind kind, enum order_strength strength,
                 const struct order_store *store) {
  struct order_launch *l = w->launch->order;
  const bool strong = strength != ORDER_WEAK || kind == ORDER_ATOMIC;
  if (!l->races || !lanes || atomic_load_explicit(&l->races->full, memory_order_relaxed)) return;
  const bool narrow = !strong && bytes < RACE_GRANULE_BYTES;
  struct order_cluster *c = w->block->order->cluster;
  const uintptr_t modifiers = strong ? 0 : modifiers_of(l->races, op);
  if (!strong && kind == ORDER_WRITE && !store) return;
  struct race_deed a = {.shadow = l->races,
                        .cluster = c,
                        .by = actor_of(w, op, 0),
                        .deed = kind == ORDER_READ ? DEED_READ : DEED_WRITE,
                        .kind = kind,
                        .strong = strong,
                        .narrow = narrow,
                        .coherent = kind == ORDER_READ && modifiers & IS_COHERENT,
                        .unchanging = modifiers & IS_UNCHANGING,
                        .accumulates = kind == ORDER_ATOMIC && race_text_of(&c->race, op)->accumulates,
                        .acquires = acquires(w->launch, op, strength),
                        .store = store,
                        .bytes = bytes,
                        .reported = -1,
                        .alone = w->launch->one_worker || c->cluster->turn,
                        .number = RACE_NO_PAGE,
                        .note = note_of(l->races, c, op, strong && kind != ORDER_READ, strength)};
  if (strong) a.note.flags = RACE_NOTE_STRONG | (a.accumulates ? (unsigned)RACE_NOTE_ACCUMULATES : 0);
  if (strong && kind != ORDER_READ && !race_is_narrow(op))
    race_met_told(l->races, w, op, lanes, strength, a.note.time);
  else if (!strong)
    race_met_name(&a.note, w, lanes);
  if (!strong && kind == ORDER_WRITE) a.note.lanes = lanes_of(lanes, address, bytes);
  race_collect(l->races);
  if (strong && kind != ORDER_READ) race_late_write(&a, lanes, address);
  touch_lanes(&a, lanes, address);
  leave(&a);
}

bool race_reads_old(struct warp *w, const struct op *op, uint32_t lanes, const uint64_t address[WARP_LANES],
                    uint32_t bytes, enum order_strength strength, uint64_t *value) {
  struct race_shadow *s = w->launch->order->races;
  struct order_cluster *c = w->block->order->cluster;
  if (!s || !atomic_load(&s->late) || atomic_load_explicit(&s->full, memory_order_relaxed)) return false;
  struct race_deed a = {.shadow = s,
                        .cluster = c,
                        .by = actor_of(w, op, 0),
                        .deed = DEED_READ,
                        .kind = ORDER_READ,
                        .strong = true,
                        .acquires = acquires(w->launch, op, strength),
                        .bytes = bytes,
                        .reported = -1,
                        .alone = w->launch->one_worker || c->cluster->turn,
                        .number = RACE_NO_PAGE,
                        .note = note_of(s, c, op, false, strength)};
  race_collect(s);
  const bool old = race_late_read(&a, lanes, address, value);
  leave(&a);
  return old;
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
  a->note.flags &= ~(uint32_t)RACE_NOTE_BEYOND_EDGE;
}

// is: of a store, its struct race_copy. deed: of what it does there.
static struct race_deed deed_of_copy(struct actor by, const struct async_copy *copy, enum deed_kind deed,
                                     uint32_t flags, uint32_t is) {
  const enum order_kind kind = deed == DEED_STORE ? ORDER_WRITE : ORDER_READ;
  struct race_shadow *s = by.w->launch->order->races;
  struct order_cluster *c = by.w->block->order->cluster;
  struct race_deed a = {.shadow = s,
                        .cluster = c,
                        .by = by,
                        .deed = deed,
                        .kind = kind,
                        .first = by.lane,
                        .bytes = UINT32_MAX,
                        .reported = -1,
                        .alone = by.w->launch->one_worker || c->cluster->turn,
                        .number = RACE_NO_PAGE,
                        .note = note_of(s, c, by.op, false, ORDER_WEAK)};
  a.note.flags = RACE_NOTE_ASYNC | flags;
  a.note.copy = is;
  if (copy->kind == ASYNC_CP_ASYNC)
    race_met_name_cp_async(&a.note, by, copy);
  else if (deed == DEED_LOAD)
    race_met_name_load(&a.note, c, copy);
  return a;
}

static void visit_copy(struct actor by, const struct async_copy *copy, enum deed_kind deed, uint32_t flags,
                       uint32_t is) {
  struct race_deed a = deed_of_copy(by, copy, deed, flags, is);
  copy_each_global_span(copy, visit_span, &a);
  leave(&a);
}

static bool is_judged(struct race_shadow *s) {
  if (!s || atomic_load_explicit(&s->full, memory_order_relaxed)) return false;
  race_collect(s);
  return true;
}

bool race_store_is_open(struct actor by, uint64_t address) {
  struct race_shadow *s = by.w->launch->order->races;
  struct order_cluster *c = by.w->block->order->cluster;
  if (!is_judged(s)) return false;
  struct race_deed a = {.shadow = s,
                        .cluster = c,
                        .by = by,
                        .alone = by.w->launch->one_worker || c->cluster->turn,
                        .number = RACE_NO_PAGE,
                        .note = note_of(s, c, by.op, false, ORDER_WEAK)};
  struct race_page *page = race_enter(&a, address / RACE_PAGE_BYTES, false);
  if (page) race_gather(s, page);
  const uint32_t g = (uint32_t)(address % RACE_PAGE_BYTES / RACE_GRANULE_BYTES),
                 written = page ? race_index_at(&page->writes, g) : 0;
  const struct race_note *n = race_note_at(s, written);
  const bool is_open = written && (n->flags & (RACE_NOTE_ASYNC | RACE_NOTE_REDUCES)) == RACE_NOTE_ASYNC &&
                       race_is_of_other(&a, n) && race_is_not_done(&a, n->copy);
  leave(&a);
  return is_open;
}

void race_copy_reads(struct actor by, const struct async_copy *copy) {
  if (is_judged(by.w->launch->order->races)) visit_copy(by, copy, DEED_LOAD, 0, 0);
}

// A cluster that makes maps itself may make the very one that others make, too.
void race_copy_reads_map(struct actor by, const struct async_copy *copy) {
  const struct order_launch *l = by.w->launch->order;
  if (!is_judged(l->races) || !l->fences_maps || by.w->block->order->cluster->maps.releases) return;
  struct race_deed a = deed_of_copy(by, copy, DEED_MAP_USE, RACE_NOTE_MAP, 0);
  visit(&a, copy->map, TENSOR_MAP_BYTES);
  leave(&a);
}

void race_copy_writes(struct actor by, struct async_copy *copy) {
  struct race_shadow *s = by.w->launch->order->races;
  const uint32_t reduces = RACE_NOTE_REDUCES | (uint32_t)copy->operation << RACE_NOTE_OPERATION;
  if (!is_judged(s)) return;
  const struct race_copy is = {.op = by.op,
                               .name = race_copy_name(order_agent_of(by.w, by.lane), copy),
                               .cluster = (uint32_t)by.w->block->cluster->index + 1};
  copy->race = race_copy_make(s, &is);
  if (copy->race) visit_copy(by, copy, DEED_STORE, copy->operation == ASYNC_STORE ? 0 : reduces, copy->race);
}
