// What an access meets in a granule of global memory: a write or a read of another cluster (race.h). In: the
// access, the note that is there. Out: conflicts, and what the access learns by it.
#include "virtual-hopper/order/race-judge.h"

#include <stdatomic.h>
#include <string.h>

static bool is_unfenced(const struct race_deed *a, const struct race_note *n) {
  return n->time >= a->cluster->race.seen_fenced ||
         n->time >= atomic_load(&a->shadow->signals[n->cluster - 1].fenced);
}

// Nothing but the flag itself leads to the reader: whose fence is missing?
static enum conflict_kind missing_fence(const struct race_deed *a, const struct race_note *n) {
  return a->shadow->launch->strict && n->time < atomic_load(&a->shadow->signals[n->cluster - 1].fenced)
             ? CONFLICT_GLOBAL_READ_NOT_ACQUIRED
             : CONFLICT_GLOBAL_WRITE_NOT_FENCED;
}

const struct race_text *race_text_of(struct race_view *view, const struct op *op) {
  struct race_text *text = &view->texts[((uintptr_t)op >> 6) % RACE_TEXTS];
  if (text->op != op)
    *text = (struct race_text){op, race_is_only_data(op), race_accumulates(op), race_weak_poll(op)};
  return text;
}

static bool is_only_data(const struct race_deed *a) {
  return race_text_of(&a->cluster->race, a->by.op)->only_data;
}

static enum race_poll weak_poll(const struct race_deed *a) {
  return a->strong ? RACE_POLL_NONE : race_text_of(&a->cluster->race, a->by.op)->weak_poll;
}

static void note_flag(const struct race_deed *a, const struct race_note *n, uint64_t address) {
  struct race_view *view = &a->cluster->race;
  if (!race_is_of_other(a, n) || n->flags & RACE_NOTE_ASYNC) return;
  if (view->flag.cluster == n->cluster && view->flag.time > n->time) return;
  if (a->kind == ORDER_READ && is_only_data(a)) return;
  view->flag.cluster = n->cluster;
  view->flag.time = n->time;
  view->flag.published = n->published;
  view->flag.address = address;
}

void race_learn(struct race_deed *a, const struct race_note *n, uint64_t address) {
  note_flag(a, n, address);
  // Whoever acquires from an atomic has seen what was released to those before it (PTX ISA 8.9.2), whether
  // the one before was another cluster's or an own one.
  if (a->kind != ORDER_READ) raise(&a->note.published, n->published);
  if (a->kind == ORDER_ATOMIC && (race_is_of_other(a, n) || n->flags & RACE_NOTE_UPON))
    a->note.flags |= RACE_NOTE_UPON;
  // Whoever looks at no result has not learned which of the two came first.
  if (a->kind == ORDER_ATOMIC && race_is_unused(a->shadow, a->by.op)) return;
  if (!race_is_of_other(a, n)) { // an own atomic, that has come upon what others released
    if (!(n->flags & RACE_NOTE_UPON)) return;
    raise(&a->cluster->race.seen, n->time);
    raise(a->acquires ? &a->cluster->race.seen_fenced : &a->cluster->race.glanced_fenced, n->published);
    return;
  }
  race_tell(a->shadow, n->cluster, n->time + 1); // a plain flag is a signal, too
  if (!(n->flags & RACE_NOTE_STRONG)) atomic_store(&a->shadow->signals[n->cluster - 1].plain, true);
  raise(&a->cluster->race.seen, n->time + 1);
  raise(a->acquires ? &a->cluster->race.seen_fenced : &a->cluster->race.glanced_fenced, n->published);
}

// A plain flag: who waits for one puts a fence after it, or into the loop.
static void glance(const struct race_deed *a, const struct race_note *n) {
  atomic_store(&a->shadow->signals[n->cluster - 1].plain, true);
  race_tell(a->shadow, n->cluster, n->time + 1);
  raise(&a->cluster->race.glanced, n->time + 1);
  raise(&a->cluster->race.glanced_fenced, n->published);
}

static uint32_t lane_at(const struct race_deed *a, uint64_t address) {
  if (a->bytes == RACE_GRANULE_BYTES && address >= a->address) // the usual case, without a division
    return a->first + (uint32_t)((address - a->address) / RACE_GRANULE_BYTES);
  return a->first + (address > a->address ? (uint32_t)((address - a->address) / a->bytes) : 0);
}

// Memory from malloc in a kernel is given to one block after the other.
static bool is_heap(const struct race_deed *a, uint64_t address) {
  const struct memory_allocation *in = memory_find(a->shadow->launch->memory, address);
  return !in || in->heap;
}

static void report(struct race_deed *a, const struct race_note *earlier, uint64_t address,
                   enum conflict_kind kind, enum deed_kind deed) {
  const uint32_t lane = lane_at(a, address);
  if (a->reported == (int)lane || is_heap(a, address)) return;
  a->reported = (int)lane;
  a->by.lane = lane;
  const bool tells = kind == CONFLICT_GLOBAL_WRITE_THEN_READ || kind == CONFLICT_GLOBAL_READ_THEN_WRITE ||
                     kind == CONFLICT_TWO_GLOBAL_WRITES || kind == CONFLICT_GLOBAL_STORE_THEN_READ;
  bool for_later = false;
  const struct op *teller =
      tells ? race_met_teller(a, earlier, kind == CONFLICT_GLOBAL_READ_THEN_WRITE, &for_later) : NULL;
  const struct conflict k = {
      .facts = {.kind = kind,
                .is_warning = kind == CONFLICT_GLOBAL_SOFT_MESSAGE ||
                              (kind == CONFLICT_GLOBAL_ATOMICS_OF_TWO_SIZES && !a->shadow->launch->strict),
                .earlier = deed,
                .later = a->deed,
                .beyond_edge = (a->note.flags | earlier->flags) & RACE_NOTE_BEYOND_EDGE},
      .earlier = {.op = earlier->op},
      .later = order_actor_deed(a->by),
      .global_address = address,
      .teller = teller,
      .told_for_later = for_later};
  order_report(a->shadow->launch->order, &k);
}

static bool both_coherent(const struct race_deed *a, const struct race_note *n) {
  return race_is_coherent(a->by.op) && race_is_coherent(n->op);
}

// Of narrower writes several lanes fill the granule.
static bool changes(const struct race_deed *a, uint64_t address) {
  bool any = !a->store;
  for (uint32_t i = 0; !any && i < RACE_GRANULE_BYTES; i += a->bytes)
    any = a->store->changes(a->store, lane_at(a, address + i));
  return any;
}

uint32_t race_value_at(const struct race_deed *a, uint64_t address) {
  const uint32_t lane = lane_at(a, address);
  if (a->bytes < RACE_GRANULE_BYTES && !a->narrow) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < RACE_GRANULE_BYTES; i += a->bytes)
      value |= a->store->word(a->store, lane_at(a, address + i), 0) << 8 * i;
    return value;
  }
  return a->store->word(a->store, lane,
                        (uint32_t)(address - a->address - (uint64_t)(lane - a->first) * a->bytes));
}

// Of granules in one line.
static void leave_in_line(const struct race_deed *a, struct race_page *page, uint32_t from, uint32_t to) {
  const uint64_t base = page->number * RACE_PAGE_BYTES, first = base + from * RACE_GRANULE_BYTES;
  uint32_t *values = race_values_at(a->shadow, page, from, to - from == RACE_LINE);
  if (!values) return;
  if (a->store->words && a->bytes == RACE_GRANULE_BYTES && first >= a->address) {
    memcpy(&values[from % RACE_LINE], &a->store->words[lane_at(a, first)], (to - from) * sizeof *values);
    return;
  }
  for (uint32_t g = from; g < to; g++)
    values[g % RACE_LINE] = race_value_at(a, base + g * RACE_GRANULE_BYTES);
}

void race_leave_values(const struct race_deed *a, struct race_page *page, uint32_t from, uint32_t to) {
  for (uint32_t g = from, end; g < to; g = end) {
    end = g - g % RACE_LINE + RACE_LINE;
    if (end > to) end = to;
    leave_in_line(a, page, g, end);
  }
}

// By the letter a store that is complete needs a release as well: its bytes have reached the memory that all
// blocks share, but nothing orders them before a relaxed flag.
static void check_fence_of_copy(struct race_deed *a, const struct race_note *written, uint64_t address) {
  if (!a->shadow->launch->strict || !written->copy || !race_is_of_other(a, written)) return;
  struct race_note done = *written;
  done.time = atomic_load(&race_copy_at(a->shadow, written->copy)->done);
  if (done.time != RACE_PENDING && is_unfenced(a, &done))
    report(a, &done, address, missing_fence(a, &done), DEED_STORE);
}

static void check_read_of_copy(struct race_deed *a, const struct race_note *written, uint64_t address) {
  struct race_note found = *written;
  if (a->strong) {
    race_learn(a, written, address); // a counter that reductions raise
    return;
  }
  if (race_is_glance(a->by.op)) {
    if (race_is_of_other(a, written)) glance(a, written);
    return;
  }
  if (!race_is_not_done(a, written->copy)) {
    if (!race_is_not_done(a, written->below)) return check_fence_of_copy(a, written, address);
    found.copy = written->below;
  }
  const struct race_copy *copy = race_copy_at(a->shadow, found.copy);
  found.op = copy->op;
  found.cluster = copy->cluster;
  if (!race_is_later_done(a, found.copy)) {
    found.warp = copy->warp;
    found.epoch = copy->epoch;
  }
  report(a, &found, address,
         race_is_unordered(a, &found) ? CONFLICT_GLOBAL_STORE_THEN_READ : CONFLICT_GLOBAL_STORE_NOT_DONE,
         DEED_STORE);
}

// Two blocks raise a number, each by a strong load and a strong store: a sum may be lost. Whoever takes turns
// has learned of the other's store before, by the flag, the lock, or another read of the number.
void race_check_sum_by_hand(struct race_deed *a, const struct race_note *written, uint64_t address) {
  const uint64_t flags = written->flags & (RACE_NOTE_ASYNC | RACE_NOTE_STRONG | RACE_NOTE_ACCUMULATES);
  if (flags == RACE_NOTE_STRONG && race_is_unordered(a, written) && written->op->source &&
      race_store_of_sum(a->by.op) == written->op->source)
    report(a, written, address, CONFLICT_SUM_BY_HAND, DEED_WRITE);
}

// Data and flag both volatile, relaxed or .cg, and no fence between their writes: each reaches memory, but
// nothing says in which order (PTX ISA 8.9). Whoever compares what is read may be prepared for an old value;
// and whoever has read the place before finds nothing older there (8.10.5).
static void check_soft_message(struct race_deed *a, const struct race_note *written, uint64_t address) {
  const struct race_view *view = &a->cluster->race;
  const struct ptx_instruction *store = written->op->source;
  if (!race_is_of_other(a, written) || view->flag.cluster != written->cluster ||
      view->flag.time < written->time || view->flag.published > written->time ||
      view->flag.address == address || a->known || a->bytes < RACE_GRANULE_BYTES || !store ||
      strcmp(store->opcode, "st") != 0 || !is_only_data(a))
    return;
  report(a, written, address, CONFLICT_GLOBAL_SOFT_MESSAGE, DEED_WRITE);
}

// Threads of one block hand over by .cg as well: what its clocks say of who has met whom is too little then.
static void check_own_message(const struct race_deed *a, const struct race_note *written) {
  if (written->cluster == a->note.cluster && a->coherent && written->warp != a->note.warp &&
      race_is_coherent(written->op))
    atomic_store(&a->shadow->signals[written->cluster - 1].plain, true);
}

// ---- what was waited for in a loop of plain loads (race-poll.c) -------------------------------------------
//
// On the chip the loop may be gone, so nothing is learned by it. Nothing is said of it either: some look at a
// lock before they try to take it. What is read after it, and ordered by nothing else, is reported.

static void note_weak_poll(const struct race_deed *a, const struct race_note *written, uint64_t address) {
  struct race_view *view = &a->cluster->race;
  if (view->polled.cluster == written->cluster && view->polled.time > written->time) return;
  view->polled.cluster = written->cluster;
  view->polled.time = written->time;
  view->polled.address = address;
  view->polled.bounded = weak_poll(a) == RACE_POLL_BOUNDED;
}

static bool has_waited_weakly(struct race_deed *a, const struct race_note *written, uint64_t address) {
  const struct race_view *view = &a->cluster->race;
  return view->polled.cluster && view->polled.cluster == written->cluster &&
         view->polled.time >= written->time && view->polled.address != address &&
         race_is_of_other(a, written) && race_is_unordered(a, written);
}

// Of volatile, relaxed and .cg accesses only those whose value is never compared, after a loop that ends by
// its flag alone: after one that may give up, any value may do.
static bool is_data(const struct race_deed *a, const struct race_note *written) {
  const bool soft = a->strong || a->coherent || written->flags & RACE_NOTE_STRONG;
  return a->kind == ORDER_READ && (!soft || (is_only_data(a) && !a->cluster->race.polled.bounded));
}

// A read by .nc, of what another cluster has written: however the program orders the two, ptxas may move the
// read up.
static bool is_too_old(struct race_deed *a, const struct race_note *written) {
  if (!a->unchanging || !race_is_of_other(a, written)) return false;
  return written->flags & RACE_NOTE_ASYNC ? !race_is_not_done(a, written->copy)
                                          : !race_is_unordered(a, written);
}

static void check_read(struct race_deed *a, const struct race_note *written, uint64_t address) {
  if (race_is_of_other(a, written)) raise(&a->cluster->race.heard, written->time + 1);
  if (is_too_old(a, written)) {
    report(a, written, address, CONFLICT_GLOBAL_UNCHANGING,
           written->flags & RACE_NOTE_ASYNC ? DEED_STORE : DEED_WRITE);
    return;
  }
  if (written->flags & RACE_NOTE_ASYNC) {
    check_read_of_copy(a, written, address);
    return;
  }
  if (race_is_of_other(a, written) && race_is_unordered(a, written) && weak_poll(a)) {
    note_weak_poll(a, written, address);
    return;
  }
  if (has_waited_weakly(a, written, address) && !race_is_glance(a->by.op) && is_data(a, written)) {
    report(a, written, address, CONFLICT_GLOBAL_WEAK_POLL, DEED_WRITE);
    return;
  }
  if (a->strong || (race_is_of_other(a, written) && written->flags & RACE_NOTE_STRONG)) {
    if (a->strong) race_check_sum_by_hand(a, written, address);
    if (a->strong && written->flags & RACE_NOTE_STRONG) check_soft_message(a, written, address);
    race_learn(a, written, address);
    return;
  }
  check_own_message(a, written);
  if (!race_is_of_other(a, written)) return;
  const bool unordered = race_is_unordered(a, written);
  if (!unordered && !is_unfenced(a, written)) return;
  if (both_coherent(a, written)) {
    check_soft_message(a, written, address);
    race_learn(a, written, address);
  } else if (race_is_glance(a->by.op))
    glance(a, written);
  else
    report(a, written, address, unordered ? CONFLICT_GLOBAL_WRITE_THEN_READ : missing_fence(a, written),
           DEED_WRITE);
}

void race_check_read(struct race_deed *a, const struct race_note *written, uint64_t address) {
  a->place = address;
  check_read(a, written, address);
  a->place = 0;
}

// A plain write, and an atomic of another cluster that nothing brings after it. The write may be hidden
// behind atomics of its own cluster.
static void check_lost_atomic(struct race_deed *a, const struct race_note *written, uint64_t address) {
  const bool hidden = written->flags & RACE_NOTE_STRONG;
  struct race_note plain = *written;
  if (hidden) {
    plain.op = written->plain;
    plain.time = written->plain_time;
  }
  if (plain.op && a->accumulates && !(written->flags & RACE_NOTE_OWNED) && race_is_unordered(a, &plain))
    report(a, &plain, address, CONFLICT_GLOBAL_WRITE_THEN_ATOMIC, DEED_WRITE);
}

// An atomic or a reduction hides the cluster's own plain write that it comes upon: the note keeps it.
static void note_plain(struct race_deed *a, const struct race_note *written) {
  const bool hidden = written->flags & (RACE_NOTE_STRONG | RACE_NOTE_REDUCES);
  if (written->cluster != a->note.cluster || written->flags & RACE_NOTE_OWNED) return;
  a->note.plain = hidden ? written->plain : written->op;
  a->note.plain_time = hidden ? written->plain_time : written->time;
}

static bool is_bitwise(uint64_t operation) {
  return operation == ASYNC_AND || operation == ASYNC_OR || operation == ASYNC_XOR;
}

// Of bitwise operations each may have bits of its own, so they are taken to be meant.
static bool commute(uint64_t flags, uint64_t others) {
  const uint64_t mine = flags >> RACE_NOTE_OPERATION & 15, theirs = others >> RACE_NOTE_OPERATION & 15;
  return mine == theirs || (is_bitwise(mine) && is_bitwise(theirs));
}

// Reductions may meet; whoever reads their sum must know that all of them are complete.
static void note_below(struct race_deed *a, const struct race_note *written, uint64_t address) {
  if (!(a->note.flags & RACE_NOTE_REDUCES) || !(written->flags & RACE_NOTE_REDUCES)) return;
  const bool passes_on = race_is_not_done(a, written->below);
  const bool not_done = race_is_not_done(a, written->copy);
  if (!passes_on && !not_done) return;
  if (not_done && !commute(a->note.flags, written->flags))
    report(a, written, address, CONFLICT_TWO_REDUCTIONS, DEED_STORE);
  a->note.below = passes_on ? written->below : written->copy;
}

// ---- a plain write against a store or a reduction by a bulk copy ------------------------------------------
//
// Which of a write and a store comes last is open, unless they are ordered. Equal values do no harm. What the
// store brings is known when it lands, so the later one's note names its rival until then. A reduction loses
// something either way.

void race_report_write_and_copy(struct race_deed *a, const struct race_note *earlier, uint64_t address) {
  report(a, earlier, address, CONFLICT_GLOBAL_WRITE_AND_STORE,
         a->deed == DEED_STORE ? DEED_WRITE : DEED_STORE);
}

static void check_write_then_copy(struct race_deed *a, const struct race_note *written, uint64_t address) {
  struct race_note plain = *written;
  const bool hidden = written->flags & RACE_NOTE_REDUCES; // behind a reduction of its own cluster
  if (hidden) {
    plain.op = written->plain;
    plain.time = written->plain_time;
  }
  if (!plain.op || (written->flags & (RACE_NOTE_STRONG | RACE_NOTE_ASYNC) && !hidden) ||
      a->note.flags & RACE_NOTE_PARTIAL || !race_is_unordered(a, &plain))
    return;
  if (a->note.flags & RACE_NOTE_REDUCES) {
    if (!(written->flags & RACE_NOTE_OWNED) && !race_is_coherent(plain.op))
      race_report_write_and_copy(a, &plain, address);
    return;
  }
  if (hidden) return; // the store and the reduction are judged
  a->note.rival = written->op;
  atomic_store(&a->shadow->rivals, true);
}

// A reduction that may come before a store is lost.
static void check_store_and_reduction(struct race_deed *a, const struct race_note *written,
                                      uint64_t address) {
  const uint64_t either = a->note.flags | written->flags, differ = a->note.flags ^ written->flags;
  if (written->flags & RACE_NOTE_ASYNC && differ & RACE_NOTE_REDUCES && !(either & RACE_NOTE_PARTIAL) &&
      race_is_not_done(a, written->copy))
    report(a, written, address, CONFLICT_STORE_AND_REDUCTION, DEED_STORE);
}

static bool is_in_memory(const struct race_deed *a, uint64_t address, uint32_t value) {
  const uint8_t *there = memory_host(a->shadow->launch->memory, address, sizeof value);
  return !there || memcmp(there, &value, sizeof value) == 0;
}

static void check_copy_then_write(struct race_deed *a, const struct race_note *written, uint64_t address) {
  if (written->flags & RACE_NOTE_PARTIAL || !race_is_not_done(a, written->copy)) return;
  if (written->flags & RACE_NOTE_REDUCES) {
    if (!(a->note.flags & RACE_NOTE_OWNED) && !race_is_coherent(a->by.op))
      race_report_write_and_copy(a, written, address);
  } else if (race_has_landed(a, written->copy)) {
    if (!is_in_memory(a, address, race_value_at(a, address))) race_report_write_and_copy(a, written, address);
  } else {
    a->note.rival = written->op;
    a->note.rival_copy = written->copy;
    atomic_store(&a->shadow->rivals, true);
  }
}

bool race_check_written(struct race_deed *a, const struct race_note *written, uint64_t address,
                        uint32_t value) {
  if (a->deed == DEED_STORE) { // between-clusters.c judges two stores
    if (a->note.flags & RACE_NOTE_REDUCES) note_plain(a, written);
    note_below(a, written, address);
    check_write_then_copy(a, written, address);
    check_store_and_reduction(a, written, address);
    return true;
  }
  if (written->flags & RACE_NOTE_ASYNC) {
    if (a->kind == ORDER_ATOMIC)
      race_learn(a, written, address);
    else if (!a->strong)
      check_copy_then_write(a, written, address);
    return true;
  }
  const bool unordered = race_is_unordered(a, written);
  if (a->strong) {
    // Flags of a byte may share the granule: whoever reads the other one finds this note.
    if (a->kind != ORDER_ATOMIC && a->bytes < RACE_GRANULE_BYTES) race_learn(a, written, address);
    if (a->kind != ORDER_ATOMIC) return true;
    if (unordered && race_sizes_differ(a->by.op, written->op))
      report(a, written, address, CONFLICT_GLOBAL_ATOMICS_OF_TWO_SIZES, DEED_WRITE);
    check_lost_atomic(a, written, address);
    note_plain(a, written);
    race_learn(a, written, address);
    return true;
  }
  if (!unordered) return true;
  if (written->flags & RACE_NOTE_STRONG) {
    if (written->flags & RACE_NOTE_ACCUMULATES && !(a->note.flags & RACE_NOTE_OWNED) &&
        !race_is_coherent(a->by.op))
      report(a, written, address, CONFLICT_GLOBAL_ATOMIC_THEN_WRITE, DEED_WRITE);
    return true;
  }
  if (race_value_at(a, address) == value) return false;
  if (!both_coherent(a, written)) report(a, written, address, CONFLICT_TWO_GLOBAL_WRITES, DEED_WRITE);
  return true;
}

static enum deed_kind deed_of_reader(const struct race_note *read) {
  if (read->flags & RACE_NOTE_MAP) return DEED_MAP_USE;
  if (!(read->flags & RACE_NOTE_ASYNC)) return DEED_READ;
  return read->op->source && ptx_has_modifier(read->op->source, "bulk") ? DEED_LOAD : DEED_CP_ASYNC;
}

bool race_is_loose_reader(struct race_deed *a, const struct race_note *read) {
  return race_is_unordered(a, read) ||
         (a->shadow->launch->strict && race_is_of_other(a, read) && is_unfenced(a, read));
}

void race_check_reader(struct race_deed *a, const struct race_note *read, uint64_t address) {
  if (!race_is_loose_reader(a, read) || read->flags & RACE_NOTE_STRONG || both_coherent(a, read) ||
      !changes(a, address) || race_is_glance(read->op))
    return;
  report(a, read, address,
         race_is_unordered(a, read) ? CONFLICT_GLOBAL_READ_THEN_WRITE : CONFLICT_GLOBAL_READ_NOT_RELEASED,
         deed_of_reader(read));
}
