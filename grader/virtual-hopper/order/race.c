// Races on global memory between clusters (race.h). A note stands for an access of a cluster's warp. Each
// granule of four bytes knows its last write, and its last reads by two clusters. Narrower accesses are
// judged against bulk stores alone, unless they are strong, since neighbours may share a granule.
#include "virtual-hopper/order/race.h"

#include <stdatomic.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-pages.h"

// ---- accesses ---------------------------------------------------------------------------------------------

struct access {
  struct race_shadow *shadow;
  struct order_cluster *cluster;
  struct actor by;
  enum deed_kind deed;
  enum order_kind kind;
  bool strong, accumulates;
  bool narrow;   // plain, and smaller than a granule
  bool acquires; // what it learns needs no fence after it
  const struct order_store *store;
  uint64_t address; // of the lane `first`; the next lanes follow, `bytes` each
  uint64_t end;
  uint32_t first, bytes;
  int reported; // the last lane that was reported; -1: none
  struct race_note note;
};

static bool is_of_other(const struct access *a, const struct race_note *n) {
  return n->cluster && n->cluster != a->note.cluster;
}

// True when its cluster has signalled nothing since, or nobody has told this cluster of anything so late.
static bool is_unordered(const struct access *a, const struct race_note *n) {
  return is_of_other(a, n) && (n->time >= a->cluster->race.seen ||
                               n->time >= atomic_load(&a->shadow->signals[n->cluster - 1].strong));
}

static bool is_unfenced(const struct access *a, const struct race_note *n) {
  return n->time >= a->cluster->race.seen_fenced ||
         n->time >= atomic_load(&a->shadow->signals[n->cluster - 1].fenced);
}

// Nothing but the flag itself leads to the reader: whose fence is missing?
static enum conflict_kind missing_fence(const struct access *a, const struct race_note *n) {
  return a->shadow->launch->strict && n->time < atomic_load(&a->shadow->signals[n->cluster - 1].fenced)
             ? CONFLICT_GLOBAL_READ_NOT_ACQUIRED
             : CONFLICT_GLOBAL_WRITE_NOT_FENCED;
}

static void learn(struct access *a, const struct race_note *n) {
  if (!is_of_other(a, n)) { // an own atomic, that has come upon what others released
    if (n->cluster && a->acquires && a->shadow->launch->strict)
      raise(&a->cluster->race.seen_fenced, n->published);
    return;
  }
  raise_shared(&a->shadow->signals[n->cluster - 1].strong, n->time + 1); // a plain flag is a signal, too
  raise(&a->cluster->race.seen, n->time + 1);
  raise(a->acquires ? &a->cluster->race.seen_fenced : &a->cluster->race.glanced_fenced, n->published);
  // Whoever acquires from an atomic has seen what was released to those before it (PTX ISA 8.9.2).
  if (a->kind != ORDER_READ) raise(&a->note.published, n->published);
}

// A plain flag: who waits for one puts a fence after it, or into the loop.
static void glance(const struct access *a, const struct race_note *n) {
  raise_shared(&a->shadow->signals[n->cluster - 1].strong, n->time + 1);
  raise(&a->cluster->race.glanced, n->time + 1);
  raise(&a->cluster->race.glanced_fenced, n->published);
}

static uint32_t lane_at(const struct access *a, uint64_t address) {
  if (a->bytes == RACE_GRANULE_BYTES && address >= a->address) // the usual case, without a division
    return a->first + (uint32_t)((address - a->address) / RACE_GRANULE_BYTES);
  return a->first + (address > a->address ? (uint32_t)((address - a->address) / a->bytes) : 0);
}

// Memory from malloc in a kernel is given to one block after the other.
static bool is_heap(const struct access *a, uint64_t address) {
  const struct memory_allocation *in = memory_find(a->shadow->launch->memory, address);
  return !in || in->heap;
}

static void report(struct access *a, const struct race_note *earlier, uint64_t address,
                   enum conflict_kind kind, enum deed_kind deed) {
  const uint32_t lane = lane_at(a, address);
  if (a->reported == (int)lane || is_heap(a, address)) return;
  a->reported = (int)lane;
  a->by.lane = lane;
  const struct conflict k = {
      .facts = {.kind = kind,
                .earlier = deed,
                .later = a->deed,
                .is_warning = kind == CONFLICT_GLOBAL_WRITE_NOT_FENCED && !a->shadow->launch->strict},
      .earlier = {.op = earlier->op},
      .later = order_actor_deed(a->by)};
  order_report(a->shadow->launch->order, &k);
}

static bool both_coherent(const struct access *a, const struct race_note *n) {
  return race_is_coherent(a->by.op) && race_is_coherent(n->op);
}

static bool changes(const struct access *a, uint64_t address) {
  return !a->store || a->store->changes(a->store, lane_at(a, address));
}

// What a plain write leaves in the granule at `address`. Memory may not hold yet what others have noted.
static uint32_t value_at(const struct access *a, uint64_t address) {
  const uint32_t lane = lane_at(a, address);
  return a->store->word(a->store, lane,
                        (uint32_t)(address - a->address - (uint64_t)(lane - a->first) * a->bytes));
}

// Notes what plain writes leave in these granules of the access.
static void leave_values(const struct access *a, struct race_page *page, uint32_t from, uint32_t to) {
  const uint64_t first = page->number * RACE_PAGE_BYTES + from * RACE_GRANULE_BYTES;
  if (a->store->words && a->bytes == RACE_GRANULE_BYTES && first >= a->address) {
    memcpy(&page->values[from], &a->store->words[lane_at(a, first)], (to - from) * sizeof *page->values);
    return;
  }
  for (uint32_t g = from; g < to; g++)
    page->values[g] = value_at(a, page->number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES);
}

// A store or a reduction that a wait has shown to be complete at time `done`; true: not to this cluster.
static bool is_not_done(const struct access *a, uint64_t cluster, uint64_t done) {
  return cluster && cluster != a->note.cluster &&
         (done >= a->cluster->race.seen || done >= atomic_load(&a->shadow->signals[cluster - 1].strong));
}

static void check_read_of_copy(struct access *a, const struct race_note *written, uint64_t address) {
  struct race_note found = *written;
  if (a->strong) {
    learn(a, written); // a counter that reductions raise
    return;
  }
  if (race_is_glance(a->by.op)) {
    if (is_of_other(a, written)) glance(a, written);
    return;
  }
  if (!is_not_done(a, written->cluster, written->done)) {
    if (!written->below || !is_not_done(a, written->below_cluster, written->below_done)) return;
    found.op = written->below;
    found.cluster = written->below_cluster;
  }
  report(a, &found, address,
         is_unordered(a, &found) ? CONFLICT_GLOBAL_STORE_THEN_READ : CONFLICT_GLOBAL_STORE_NOT_DONE,
         DEED_STORE);
}

// Two blocks raise a number, each by a strong load and a strong store: a sum may be lost. Whoever takes turns
// has learned of the other's store before, by the flag, the lock, or another read of the number.
static void check_sum_by_hand(struct access *a, const struct race_note *written, uint64_t address) {
  const uint64_t flags = written->flags & (RACE_NOTE_ASYNC | RACE_NOTE_STRONG | RACE_NOTE_ACCUMULATES);
  if (flags == RACE_NOTE_STRONG && is_unordered(a, written) && written->op->source &&
      race_store_of_sum(a->by.op) == written->op->source)
    report(a, written, address, CONFLICT_SUM_BY_HAND, DEED_WRITE);
}

static void check_read(struct access *a, const struct race_note *written, uint64_t address) {
  if (written->flags & RACE_NOTE_ASYNC) {
    check_read_of_copy(a, written, address);
    return;
  }
  if (a->strong || (is_of_other(a, written) && written->flags & RACE_NOTE_STRONG)) {
    if (a->strong) check_sum_by_hand(a, written, address);
    learn(a, written);
    return;
  }
  if (!is_of_other(a, written)) return;
  const bool unordered = is_unordered(a, written);
  if (!unordered && !is_unfenced(a, written)) return;
  if (both_coherent(a, written))
    learn(a, written);
  else if (race_is_glance(a->by.op))
    glance(a, written);
  else
    report(a, written, address, unordered ? CONFLICT_GLOBAL_WRITE_THEN_READ : missing_fence(a, written),
           DEED_WRITE);
}

// A plain write, and an atomic of another cluster that nothing brings after it. The write may be hidden
// behind atomics of its own cluster.
static void check_lost_atomic(struct access *a, const struct race_note *written, uint64_t address) {
  const bool hidden = written->flags & RACE_NOTE_STRONG;
  struct race_note plain = *written;
  if (hidden) {
    plain.op = written->plain;
    plain.time = written->plain_time;
  }
  if (plain.op && a->accumulates && !(written->flags & RACE_NOTE_OWNED) && is_unordered(a, &plain))
    report(a, &plain, address, CONFLICT_GLOBAL_WRITE_THEN_ATOMIC, DEED_WRITE);
}

static void note_plain(struct access *a, const struct race_note *written) {
  const bool hidden = written->flags & RACE_NOTE_STRONG;
  if (written->cluster != a->note.cluster || written->flags & RACE_NOTE_OWNED) return;
  a->note.plain = hidden ? written->plain : written->op;
  a->note.plain_time = hidden ? written->plain_time : written->time;
}

// Reductions may meet; whoever reads their sum must know that all of them are complete.
static void note_below(struct access *a, const struct race_note *written) {
  if (!(a->note.flags & RACE_NOTE_REDUCES) || !(written->flags & RACE_NOTE_REDUCES)) return;
  const bool passes_on = written->below && is_not_done(a, written->below_cluster, written->below_done);
  if (!passes_on && !is_not_done(a, written->cluster, written->done)) return;
  a->note.below = passes_on ? written->below : written->op;
  a->note.below_cluster = passes_on ? written->below_cluster : written->cluster;
  a->note.below_copy = passes_on ? written->below_copy : written->copy;
  a->note.below_done = passes_on ? written->below_done : written->done;
}

// ---- a plain write against a store or a reduction by a bulk copy ------------------------------------------
//
// Which of a write and a store comes last is open, unless they are ordered. Equal values do no harm. What the
// store brings is known when it lands, so the later one's note names its rival until then. A reduction loses
// something either way.

static void report_write_and_copy(struct access *a, const struct race_note *earlier, uint64_t address) {
  report(a, earlier, address, CONFLICT_GLOBAL_WRITE_AND_STORE,
         a->deed == DEED_STORE ? DEED_WRITE : DEED_STORE);
}

static void check_write_then_copy(struct access *a, const struct race_note *written, uint64_t address) {
  const uint64_t others = RACE_NOTE_STRONG | RACE_NOTE_ASYNC;
  if (written->flags & others || a->note.flags & RACE_NOTE_PARTIAL || !is_unordered(a, written)) return;
  if (a->note.flags & RACE_NOTE_REDUCES) {
    if (!(written->flags & RACE_NOTE_OWNED) && !race_is_coherent(written->op))
      report_write_and_copy(a, written, address);
    return;
  }
  a->note.rival = written->op;
  atomic_store(&a->shadow->rivals, true);
}

// A reduction that may come before a store is lost.
static void check_store_and_reduction(struct access *a, const struct race_note *written, uint64_t address) {
  const uint64_t either = a->note.flags | written->flags, differ = a->note.flags ^ written->flags;
  if (written->flags & RACE_NOTE_ASYNC && differ & RACE_NOTE_REDUCES && !(either & RACE_NOTE_PARTIAL) &&
      is_not_done(a, written->cluster, written->done))
    report(a, written, address, CONFLICT_STORE_AND_REDUCTION, DEED_STORE);
}

static bool is_in_memory(const struct access *a, uint64_t address, uint32_t value) {
  const uint8_t *there = memory_host(a->shadow->launch->memory, address, sizeof value);
  return !there || memcmp(there, &value, sizeof value) == 0;
}

static void check_copy_then_write(struct access *a, const struct race_note *written, uint64_t address) {
  if (written->flags & RACE_NOTE_PARTIAL || !is_not_done(a, written->cluster, written->done)) return;
  if (written->flags & RACE_NOTE_REDUCES) {
    if (!(a->note.flags & RACE_NOTE_OWNED) && !race_is_coherent(a->by.op))
      report_write_and_copy(a, written, address);
  } else if (written->flags & RACE_NOTE_LANDED) {
    if (!is_in_memory(a, address, value_at(a, address))) report_write_and_copy(a, written, address);
  } else {
    a->note.rival = written->op;
    a->note.rival_cluster = written->cluster;
    a->note.rival_copy = written->copy;
    atomic_store(&a->shadow->rivals, true);
  }
}

// Returns false if the write is not to be noted: it leaves what another one has written.
static bool check_written(struct access *a, const struct race_note *written, uint64_t address,
                          uint32_t value) {
  if (a->deed == DEED_STORE) { // between-clusters.c judges two stores
    note_below(a, written);
    check_write_then_copy(a, written, address);
    check_store_and_reduction(a, written, address);
    return true;
  }
  if (written->flags & RACE_NOTE_ASYNC) {
    if (a->kind == ORDER_ATOMIC)
      learn(a, written);
    else if (!a->strong)
      check_copy_then_write(a, written, address);
    return true;
  }
  const bool unordered = is_unordered(a, written);
  if (a->strong) {
    // Flags of a byte may share the granule: whoever reads the other one finds this note.
    if (a->kind != ORDER_ATOMIC && a->bytes < RACE_GRANULE_BYTES) learn(a, written);
    if (a->kind != ORDER_ATOMIC) return true;
    check_lost_atomic(a, written, address);
    note_plain(a, written);
    learn(a, written);
    return true;
  }
  if (!unordered) return true;
  if (written->flags & RACE_NOTE_STRONG) {
    if (written->flags & RACE_NOTE_ACCUMULATES && !(a->note.flags & RACE_NOTE_OWNED) &&
        !race_is_coherent(a->by.op))
      report(a, written, address, CONFLICT_GLOBAL_ATOMIC_THEN_WRITE, DEED_WRITE);
    return true;
  }
  if (value_at(a, address) == value) return false;
  if (!both_coherent(a, written)) report(a, written, address, CONFLICT_TWO_GLOBAL_WRITES, DEED_WRITE);
  return true;
}

static void check_reader(struct access *a, const struct race_note *read, uint64_t address) {
  if (!is_unordered(a, read) || read->flags & RACE_NOTE_STRONG || both_coherent(a, read) ||
      !changes(a, address) || race_is_glance(read->op))
    return;
  report(a, read, address, CONFLICT_GLOBAL_READ_THEN_WRITE,
         read->flags & RACE_NOTE_ASYNC ? DEED_LOAD : DEED_READ);
}

// It fills the granule, and brings every byte.
static bool is_whole_store(const struct race_note *written) {
  return (written->flags & (RACE_NOTE_ASYNC | RACE_NOTE_PARTIAL)) == RACE_NOTE_ASYNC;
}

static void visit_reads(struct access *a, struct race_page *page, uint32_t from, uint32_t to) {
  const uint64_t base = page->number * RACE_PAGE_BYTES;
  for (uint32_t g = from, next; g < to; g = next) {
    const uint16_t written = race_index_at(&page->writes, g);
    next = written ? g + 1 : race_index_alike(&page->writes, g, to);
    if (written && (!a->narrow || is_whole_store(&page->notes[written])))
      check_read(a, &page->notes[written], base + g * RACE_GRANULE_BYTES);
  }
  if (a->narrow)
    race_index_set(a->shadow, &page->narrow_reads, from, from + 1,
                   race_note_index(a->shadow, page, &a->note));
  else if (!a->strong)
    race_note_read(a->shadow, page, from, to, &a->note);
}

// A store or a reduction fills a granule in which another cluster has written, or read, a byte or two.
static void check_narrow_then_copy(struct access *a, struct race_page *page, uint32_t g) {
  if (a->deed != DEED_STORE || a->note.flags & RACE_NOTE_PARTIAL) return;
  const uint16_t read = race_index_at(&page->narrow_reads, g);
  if (read) {
    check_reader(a, &page->notes[read], page->number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES);
    race_index_set(a->shadow, &page->narrow_reads, g, g + 1, 0);
  }
  if (a->note.flags & RACE_NOTE_REDUCES || !page->narrow || !page->narrow->notes[g]) return;
  if (is_unordered(a, &page->notes[page->narrow->notes[g]])) race_narrow_meet(a->shadow, page, g, &a->note);
}

// Returns false if the note there stays.
static bool check_granule(struct access *a, const struct race_page *page, uint32_t g) {
  const uint64_t address = page->number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES;
  const struct race_readers who = race_readers_of(page, g);
  const uint16_t written = race_index_at(&page->writes, g);
  if (!a->strong && who.last) check_reader(a, &page->notes[who.last], address);
  if (!a->strong && who.other) check_reader(a, &page->notes[who.other], address);
  return !written || check_written(a, &page->notes[written], address, race_value(page, g));
}

// Of a tensor whose rows are no multiple of a granule, a store fills the last one in part.
static bool is_partial(const struct access *a, uint64_t address) {
  return address < a->address || address + RACE_GRANULE_BYTES > a->end;
}

static void begin_granule(struct access *a, uint64_t address) {
  const bool partial = is_partial(a, address);
  a->note.rival = NULL;
  a->note.rival_cluster = a->note.rival_copy = 0;
  a->note.flags &= ~(uint64_t)RACE_NOTE_PARTIAL;
  if (partial && a->deed == DEED_STORE) a->note.flags |= RACE_NOTE_PARTIAL;
}

// Checks the granule. Returns the index of the note that it gets; 0: the one that is there stays.
static uint16_t judge_granule(struct access *a, struct race_page *page, uint32_t g) {
  begin_granule(a, page->number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES);
  const bool notes = check_granule(a, page, g);
  check_narrow_then_copy(a, page, g);
  // What the access has learned, it hands on.
  raise(&a->note.published, a->cluster->race.seen_fenced);
  return notes ? race_note_index(a->shadow, page, &a->note) : 0;
}

// Nobody has written the whole granule, or touched a part of it.
static bool is_unwritten(const struct access *a, const struct race_page *page, uint32_t g) {
  return !race_index_at(&page->writes, g) && !(page->narrow && page->narrow->notes[g]) &&
         !race_index_at(&page->narrow_reads, g) &&
         !is_partial(a, page->number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES);
}

static bool are_ordered(const struct access *a, const struct race_page *page, struct race_readers who) {
  return !(who.last && is_unordered(a, &page->notes[who.last])) &&
         !(who.other && is_unordered(a, &page->notes[who.other]));
}

// The granules from `g` on, which is unwritten, that are unwritten and have its readers, end here.
static uint32_t end_of_alike(const struct access *a, const struct race_page *page, uint32_t g, uint32_t to) {
  if (page->narrow || !race_index_is_empty(&page->narrow_reads)) return g + 1;
  uint32_t end = race_index_alike(&page->writes, g, to);
  end = race_index_alike(&page->reads, g, end);
  end = race_index_alike(&page->reads_too, g, end);
  const bool partial = is_partial(a, page->number * RACE_PAGE_BYTES + (end - 1) * RACE_GRANULE_BYTES);
  return partial && end > g + 1 ? end - 1 : end;
}

// A granule that nobody has written, and whose readers come before the write, gets the note of the one right
// before it that was such a granule, too.
static void visit_writes(struct access *a, struct race_page *page, uint32_t from, uint32_t to) {
  const bool leaves_values =
      a->store && a->bytes >= RACE_GRANULE_BYTES; // a byte may begin behind its granule
  if (leaves_values && !page->values)
    page->values = race_take(a->shadow, RACE_GRANULES * sizeof *page->values);
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
    if (leaves_values) leave_values(a, page, g, next);
  }
}

// One lane's write of one or two bytes.
static void visit_narrow(struct access *a, struct race_page *page, uint32_t g) {
  const struct race_note written = page->notes ? page->notes[race_index_at(&page->writes, g)] : a->note;
  const bool meets = is_whole_store(&written) && !(written.flags & RACE_NOTE_REDUCES) &&
                     is_not_done(a, written.cluster, written.done);
  const uint32_t value = value_at(a, a->address);
  const uint8_t *there = memory_host(a->shadow->launch->memory, a->address, a->bytes);
  a->note.rival = NULL;
  a->note.rival_cluster = a->note.rival_copy = 0;
  if (meets && written.flags & RACE_NOTE_LANDED) {
    if (there && memcmp(there, &value, a->bytes) != 0) report_write_and_copy(a, &written, a->address);
  } else if (meets) {
    a->note.rival = written.op;
    a->note.rival_cluster = written.cluster;
    a->note.rival_copy = written.copy;
  }
  race_narrow_note(a->shadow, page, &a->note, a->address, a->bytes, value);
}

static void visit(struct access *a, uint64_t address, uint64_t bytes) {
  struct race_shadow *s = a->shadow;
  a->end = address + bytes;
  for (const uint64_t end = a->end; address < end;) {
    const uint64_t number = address / RACE_PAGE_BYTES, page_end = (number + 1) * RACE_PAGE_BYTES,
                   stop = end < page_end ? end : page_end;
    const uint32_t from = (uint32_t)(address % RACE_PAGE_BYTES / RACE_GRANULE_BYTES),
                   to = (uint32_t)((stop - number * RACE_PAGE_BYTES + RACE_GRANULE_BYTES - 1) /
                                   RACE_GRANULE_BYTES);
    const bool makes = a->kind != ORDER_READ || !a->strong;
    pthread_mutex_t *lock = race_lock(s, number);
    pthread_mutex_lock(lock);
    struct race_page *page = race_page_find(s, number, makes);
    if (page && a->kind == ORDER_READ)
      visit_reads(a, page, from, to);
    else if (page && a->narrow)
      visit_narrow(a, page, from);
    else if (page)
      visit_writes(a, page, from, to);
    pthread_mutex_unlock(lock);
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

static void touch(struct access *a, uint32_t lane, uint32_t count, uint64_t address) {
  uint64_t bit, *word = strong_word(a->cluster, address, &bit);
  a->address = address;
  a->first = lane;
  a->note.flags &= ~(uint64_t)RACE_NOTE_OWNED;
  a->note.plain = NULL;
  a->note.plain_time = 0;
  if (a->strong && !(a->accumulates && race_is_unused(a->shadow, a->by.op)))
    *word |= bit;
  else if (!a->strong && *word & bit)
    a->note.flags |= RACE_NOTE_OWNED;
  visit(a, address, (uint64_t)count * a->bytes);
}

void race_access(struct warp *w, const struct op *op, uint32_t lanes, const uint64_t address[WARP_LANES],
                 uint32_t bytes, enum order_kind kind, enum order_strength strength,
                 const struct order_store *store) {
  struct order_launch *l = w->launch->order;
  const bool strong = strength != ORDER_WEAK || kind == ORDER_ATOMIC;
  if (!l->races || atomic_load_explicit(&l->races->full, memory_order_relaxed)) return;
  const bool narrow = !strong && bytes < RACE_GRANULE_BYTES;
  if (narrow && !l->tracks_global_stores) return;
  if (!strong && ((kind == ORDER_WRITE && !store) || (op->source && ptx_has_modifier(op->source, "nc"))))
    return;
  struct order_cluster *c = w->block->order->cluster;
  struct access a = {.shadow = l->races,
                     .cluster = c,
                     .by = actor_of(w, op, 0),
                     .deed = kind == ORDER_READ ? DEED_READ : DEED_WRITE,
                     .kind = kind,
                     .strong = strong,
                     .narrow = narrow,
                     .accumulates = kind == ORDER_ATOMIC && race_accumulates(op),
                     .acquires = acquires(w->launch, op, strength),
                     .store = store,
                     .bytes = bytes,
                     .reported = -1,
                     .note = note_of(l->races, c, op, strong && kind != ORDER_READ, strength)};
  if (strong) a.note.flags = RACE_NOTE_STRONG | (a.accumulates ? (unsigned)RACE_NOTE_ACCUMULATES : 0);
  for (uint32_t lane = 0; lane < WARP_LANES;) {
    uint32_t count = 1;
    if (lanes >> lane & 1 &&
        (lane == 0 || !(lanes >> (lane - 1) & 1) || address[lane] != address[lane - 1])) {
      if (!strong && !(narrow && kind != ORDER_READ)) count = run_of(lanes, lane, address, bytes);
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

static void visit_span(uint64_t address, uint64_t bytes, void *context) {
  struct access *a = context;
  a->address = address;
  visit(a, address, bytes);
}

static void visit_copy(struct actor by, const struct async_copy *copy, enum order_kind kind, uint64_t flags) {
  struct race_shadow *s = by.w->launch->order->races;
  if (!s || atomic_load_explicit(&s->full, memory_order_relaxed)) return;
  struct order_cluster *c = by.w->block->order->cluster;
  struct access a = {.shadow = s,
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
  visit_copy(by, copy, ORDER_WRITE, copy->operation == ASYNC_STORE ? 0 : RACE_NOTE_REDUCES);
}
