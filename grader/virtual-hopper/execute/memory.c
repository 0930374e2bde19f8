// Loads and stores. One idea: resolve all lanes first, then move values in a loop that knows their width.
#include "virtual-hopper/execute/memory.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/execute/banks.h"
#include "virtual-hopper/execute/strided.h"
#include "virtual-hopper/execute/unwritten.h"
#include "virtual-hopper/machine/mbarrier-table.h"
#include "virtual-hopper/machine/shared-name.h"

// The host is little-endian, as the device is.
static uint64_t read_element(const uint8_t *from, uint32_t width) {
  uint64_t value = 0;
  uint32_t word;
  uint16_t half;
  switch (width) {
  case 1: return *from;
  case 2: memcpy(&half, from, 2); return half;
  case 4: memcpy(&word, from, 4); return word;
  default: memcpy(&value, from, 8); return value;
  }
}

// Sign- or zero-extends to the register's type; narrow registers are kept zero-extended.
static uint64_t extend(uint64_t value, const struct op *op, const struct access_plan *plan) {
  if (!plan->is_signed || op->width == 8) return value;
  unsigned shift = 64 - 8u * op->width;
  value = (uint64_t)((int64_t)(value << shift) >> shift);
  return plan->register_bytes == 8 ? value : value & ((1ull << 8 * plan->register_bytes) - 1);
}

// 128-bit registers: low halves, then high ones
static void load_wide(struct warp *w, uint32_t offset, uint32_t lanes, uint8_t *const host[WARP_LANES]) {
  uint64_t *d = warp_register64(w, offset);
  for (uint32_t left = lanes; left; left &= left - 1) {
    int i = __builtin_ctz(left);
    memcpy(&d[i], host[i], 8);
    memcpy(&d[WARP_LANES + i], host[i] + 8, 8);
  }
}

static void load_element(struct warp *w, const struct op *op, const struct access_plan *plan, uint32_t n,
                         uint32_t lanes, uint8_t *const host[WARP_LANES]) {
  if (plan->registers[n] == OP_NO_REGISTER) return; // _ in a vector
  uint32_t skip = n * op->width;
  if (plan->storage == 16) {
    load_wide(w, plan->registers[n], lanes, host);
  } else if (plan->storage == 4) {
    uint32_t *d = warp_register32(w, plan->registers[n]);
    if (op->width == 4 && lanes == UINT32_MAX) {
      for (int i = 0; i < WARP_LANES; i++)
        memcpy(&d[i], host[i] + skip, 4);
      return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
      int i = __builtin_ctz(left);
      d[i] = (uint32_t)extend(read_element(host[i] + skip, op->width), op, plan);
    }
  } else {
    uint64_t *d = warp_register64(w, plan->registers[n]);
    for (uint32_t left = lanes; left; left &= left - 1) {
      int i = __builtin_ctz(left);
      d[i] = extend(read_element(host[i] + skip, op->width), op, plan);
    }
  }
}

// A whole warp's strided access. Returns false when the element has another size.
static bool load_strided(struct warp *w, const struct op *op, const struct access_plan *plan, uint32_t n,
                         const struct access *a) {
  if (op->width != plan->storage || op->width > 8) return false;
  if (plan->registers[n] == OP_NO_REGISTER) return true; // _ in a vector
  if (op->width == 4)
    strided_load32(a, n * 4, warp_register32(w, plan->registers[n]));
  else
    strided_load64(a, n * 8, warp_register64(w, plan->registers[n]));
  return true;
}

static void load_elements(struct warp *w, const struct op *op, const struct access_plan *plan,
                          struct access *a) {
  for (uint32_t n = 0; n < op->count; n++) {
    if (a->is_strided && load_strided(w, op, plan, n, a)) continue;
    strided_spell_out(a);
    load_element(w, op, plan, n, a->lanes, a->host);
  }
}

static uint32_t signature(const struct op *op, const struct access *a, uint32_t bytes) {
  uint32_t hash = op->source->ptx_line;
  for (uint32_t left = a->lanes; left; left &= left - 1) {
    int i = __builtin_ctz(left);
    uint64_t value = read_element(a->host[i], bytes < 8 ? bytes : 8) + a->address[i] * 31 + (uint64_t)i;
    hash = (hash ^ (uint32_t)(value * 0x9e3779b97f4a7c15ull >> 32)) * 0x01000193u;
  }
  return hash ? hash : 1;
}

// Fills in where the access is, once it is known to be worse than the one kept so far.
static void name_access(struct observed_access *kept, const struct warp *w, const struct op *op) {
  struct fault_place place;
  machine_place(&place, w->block, op, warp_thread(w, 0));
  kept->line = place.line;
  snprintf(kept->file, sizeof kept->file, "%s", place.file);
}

// Whether an access at least as bad as the one kept comes later in the kernel. It decides nearly all of them.
static bool comes_later(const struct observed_access *kept, const struct warp *w, const struct op *op,
                        uint64_t weight, uint32_t thread) {
  const uint32_t line = op->source->ptx_line,
                 block[3] = {w->block->index.x, w->block->index.y, w->block->index.z};
  const struct vhopper_dim *size = &w->launch->block;
  if (weight > kept->weight || line < kept->ptx_line) return false;
  if (line > kept->ptx_line) return true;
  for (int i = 2; i >= 0; i--)
    if (block[i] != kept->block[i]) return block[i] > kept->block[i];
  return thread >= kept->thread[0] + size->x * (kept->thread[1] + size->y * kept->thread[2]);
}

// Whether the access is to be kept: then it is in `kept`, but for what its kind alone has.
static bool keep_access(struct observed_access *kept, const struct warp *w, const struct op *op,
                        const struct access *a, uint64_t weight) {
  if (weight < kept->weight || !op->source) return false;
  const struct block *b = w->block;
  const struct vhopper_dim *size = &w->launch->block;
  const uint32_t thread = warp_thread(w, (uint32_t)__builtin_ctz(a->lanes));
  if (comes_later(kept, w, op, weight, thread)) return false;
  const struct observed_access here = {
      .weight = weight,
      .ptx_line = op->source->ptx_line,
      .block = {b->index.x, b->index.y, b->index.z},
      .thread = {thread % size->x, thread / size->x % size->y, thread / (size->x * size->y)}};
  if (!observed_access_before(&here, kept)) return false;
  *kept = here;
  name_access(kept, w, op);
  return true;
}

static void note_meeting(struct warp *w, const struct op *op, struct access *a, uint32_t lanes,
                         uint32_t bytes, uint32_t lost) {
  struct observed_access *kept = &w->block->cluster->observed.worst[WORST_BANKS];
  if (!keep_access(kept, w, op, a, lost)) return;
  strided_spell_out(a);
  const struct bank_meeting meeting = bank_meeting(a->address, lanes, bytes);
  const uint64_t one = a->address[meeting.lane], two = a->address[meeting.other];
  uint32_t begin, next;
  const char *name =
      shared_variable_at(w->launch, (uint32_t)one & ((1u << SHARED_RANK_SHIFT) - 1), &begin, &next);
  kept->words = meeting.words;
  kept->bank = meeting.bank;
  kept->lane = meeting.lane;
  kept->other = meeting.other;
  kept->lanes_apart = (uint32_t)(one < two ? two - one : one - two);
  if (name) shared_variable_name(name, kept->variable, sizeof kept->variable);
}

static void add_cycles(struct warp *w, const struct op *op, struct access *a, uint32_t lanes,
                       uint32_t bytes) {
  struct observed *o = &w->block->cluster->observed;
  struct bank_cycles cycles;
  if (!a->is_strided || !strided_bank_cycles(a, bytes, &cycles)) {
    strided_spell_out(a);
    cycles = bank_cycles(a->address, lanes, bytes);
  }
  if (cycles.lost) note_meeting(w, op, a, lanes, bytes, cycles.lost);
  o->shared_cycle_bytes += (uint64_t)cycles.all * BANKS * BANK_BYTES;
  o->bank_conflict_bytes += (uint64_t)cycles.lost * BANKS * BANK_BYTES;
}

void memory_count_cycles(struct warp *w, const struct op *op, struct access *a, uint32_t bytes) {
  uint32_t shared = 0;
  if (a->where == ACCESS_SHARED) add_cycles(w, op, a, a->lanes, bytes);
  if (a->where != ACCESS_MIXED) return;
  for (uint32_t left = a->lanes; left; left &= left - 1)
    if (a->places[__builtin_ctz(left)].kind == MEMORY_SHARED) shared |= left & -left;
  while (shared) { // each block's shared memory has banks of its own
    const struct block *owner = a->places[__builtin_ctz(shared)].owner;
    uint32_t group = 0;
    for (uint32_t left = shared; left; left &= left - 1)
      if (a->places[__builtin_ctz(left)].owner == owner) group |= left & -left;
    add_cycles(w, op, a, group, bytes);
    shared &= ~group;
  }
}

void memory_keep_handed(struct warp *w, const struct op *op, const struct access *a, uint64_t bytes,
                        bool write) {
  struct observed *o = &w->block->cluster->observed;
  keep_access(&o->worst[write ? WORST_HANDED_STORE : WORST_HANDED_LOAD], w, op, a, bytes);
}

// Most accesses: a whole warp's, in shared memory, of neighbours, of one place, or of words an odd number of
// words apart. No lanes meet in a bank then. False: nothing is counted.
static bool count_without_conflict(struct warp *w, const struct access *a, uint32_t bytes, bool write) {
  const struct access_stride *s = &a->stride;
  if (!a->is_strided || a->where != ACCESS_SHARED || s->half != STRIDED_HALF * s->step) return false;
  const bool apart = bytes == BANK_BYTES && s->step % (2 * BANK_BYTES) == BANK_BYTES;
  if (s->step != 0 && s->step != bytes && !apart) return false;
  struct observed *o = &w->block->cluster->observed;
  const uint32_t words = bytes <= BANK_BYTES ? 1 : bytes / BANK_BYTES, parts = words < 4 ? words : 4;
  const uint32_t cycles = s->step == 0 && parts > 1 ? parts / 2 : parts; // as in strided_bank_cycles
  o->shared_cycle_bytes += (uint64_t)cycles * BANKS * BANK_BYTES;
  *(write ? &o->shared_store_bytes : &o->shared_load_bytes) += (uint64_t)bytes * WARP_LANES;
  return true;
}

void memory_count_bytes(struct warp *w, const struct op *op, struct access *a, uint32_t bytes, bool write) {
  if (count_without_conflict(w, a, bytes, write)) return;
  struct observed *o = &w->block->cluster->observed;
  uint64_t all = (uint64_t)bytes * access_lane_count(a);
  // No buffer is in constant memory, but the program may have copied data there.
  if (op->space == PTX_CONST) {
    o->own_load_bytes += all;
    return;
  }
  if (a->where == ACCESS_PRIVATE) return;
  memory_count_cycles(w, op, a, bytes);
  if (a->where == ACCESS_SHARED) *(write ? &o->shared_store_bytes : &o->shared_load_bytes) += all;
  if (!access_reaches_global(a)) return;
  *(write ? &o->plain_global_store_bytes : &o->plain_global_load_bytes) += all;
  const uint64_t handed = (uint64_t)bytes * access_handed_lanes(w, a);
  if (handed) memory_keep_handed(w, op, a, handed, write);
  *(write ? &o->handed_store_bytes : &o->handed_load_bytes) += handed;
  if (write && w->block->phased) o->phase_store_bytes += handed;
  if (write && handed) o->value_store_bytes += (uint64_t)bytes * access_value_lanes(w, a, bytes);
  *(write ? &o->own_store_bytes : &o->own_load_bytes) += all - handed;
}

// Of a load that nvcc has taken out of a branch, the lanes that go on without its value have made no access.
static void order_load(struct warp *w, const struct op *op, struct access *a) {
  const struct access_plan *plan = op->extra;
  const uint32_t all = a->lanes;
  uint32_t use = plan->condition_count || plan->chosen_later ? 0 : UINT32_MAX;
  for (uint32_t i = 0; i < plan->condition_count; i++) {
    const struct load_condition *c = &plan->conditions[i];
    use |= *warp_predicate(w, c->predicate) ^ (c->when ? 0 : UINT32_MAX);
  }
  a->lanes &= use;
  if (a->lanes) access_order(w, op, a, plan->bytes, ORDER_READ, plan->strength, NULL);
  a->lanes = all;
}

// A flag or a counter that others have just written: the lanes may still find what was there before. False:
// they find what memory holds.
static bool load_old(struct warp *w, const struct op *op, struct access *a) {
  const struct access_plan *plan = op->extra;
  uint64_t value;
  if (a->where != ACCESS_GLOBAL || op->count != 1 || plan->condition_count || plan->chosen_later ||
      !order_global_old(w, op, a->lanes, a->address, plan->bytes, plan->strength, &value))
    return false;
  for (uint32_t left = a->lanes; left; left &= left - 1)
    a->host[__builtin_ctz(left)] = (uint8_t *)&value;
  load_element(w, op, plan, 0, a->lanes, a->host);
  memory_count_bytes(w, op, a, plan->bytes, false);
  w->block->cluster->changes++; // the next look shows more, although memory stays as it is
  return true;
}

void memory_load(struct warp *w, const struct op *op) {
  const struct access_plan *plan = op->extra;
  struct access a;
  const bool all_use = !plan->condition_count && !plan->chosen_later;
  if ((!w->launch->check || (all_use && !w->launch->unwritten)) && strided_load_words(w, op)) return;
  const uint64_t looks = w->block->cluster->host_looks;
  if (!strided_resolve(w, op, plan, &a) && !access_resolve(w, op, plan, false, &a)) return;
  bool strong = plan->strength != ORDER_WEAK && a.where != ACCESS_PRIVATE;
  if (strong && w->block->cluster->host_looks != looks) w->block->cluster->host_polls++;
  if (!strong && !w->launch->check) { // which is all that some runs do
    load_elements(w, op, plan, &a);
    memory_count_bytes(w, op, &a, plan->bytes, false);
    return;
  }
  if (strong || w->launch->unwritten)
    strided_spell_out(&a);
  else if (w->launch->check)
    strided_spell_for_order(&a);
  if (strong && access_reaches_global(&a) && !warp_take_turn(w)) return;
  // Writes are noted before they are done. So of what was read in global memory, another worker has noted the
  // write by then; strong accesses take turns.
  const bool noted_after = !strong && a.where == ACCESS_GLOBAL;
  if (strong && w->launch->check && w->launch->tries && load_old(w, op, &a)) return;
  if (w->launch->check && !noted_after) order_load(w, op, &a);
  load_elements(w, op, plan, &a);
  if (w->launch->check && noted_after) order_load(w, op, &a);
  if (w->launch->unwritten) unwritten_loaded(w, op, plan, &a);
  memory_count_bytes(w, op, &a, plan->bytes, false);
  if (strong) warp_poll_value(w, signature(op, &a, plan->bytes));
  // What others do between it and what follows from it must show.
  if (strong && access_reaches_global(&a) && w->launch->schedule != SCHEDULE_RACING) warp_count_grab(w);
}

static void store_element(struct warp *w, const struct op *op, const struct access_plan *plan, uint32_t n,
                          uint32_t lanes, uint8_t *const host[WARP_LANES]) {
  uint32_t skip = n * op->width, offset = plan->registers[n];
  if (plan->storage == 4 && op->width == 4) {
    const uint32_t *s = warp_register32(w, offset);
    for (int i = 0; lanes == UINT32_MAX && i < WARP_LANES; i++)
      memcpy(host[i] + skip, &s[i], 4);
    for (uint32_t left = lanes == UINT32_MAX ? 0 : lanes; left; left &= left - 1) {
      int i = __builtin_ctz(left);
      memcpy(host[i] + skip, &s[i], 4);
    }
    return;
  }
  for (uint32_t left = lanes; left; left &= left - 1) {
    int i = __builtin_ctz(left);
    if (plan->storage == 4) {
      memcpy(host[i] + skip, &warp_register32(w, offset)[i], op->width);
      continue;
    }
    const uint64_t *s = warp_register64(w, offset);
    memcpy(host[i] + skip, &s[i], op->width < 8 ? op->width : 8);
    if (op->width == 16) memcpy(host[i] + skip + 8, &s[WARP_LANES + i], 8);
  }
}

static void store_elements(struct warp *w, const struct op *op, const struct access_plan *plan,
                           struct access *a) {
  for (uint32_t n = 0; n < op->count; n++) {
    if (a->is_strided && op->width == plan->storage && op->width == 4) {
      strided_store32(a, n * 4, warp_register32(w, plan->registers[n]));
    } else if (a->is_strided && op->width == plan->storage && op->width == 8) {
      strided_store64(a, n * 8, warp_register64(w, plan->registers[n]));
    } else {
      strided_spell_out(a);
      store_element(w, op, plan, n, a->lanes, a->host);
    }
  }
}

struct value_store {
  struct order_store order;
  struct warp *w;
  const struct op *op;
  const struct access *access;
};

enum { STORE_MOST_BYTES = ACCESS_MOST_ELEMENTS * 16 };

static void store_to(const struct value_store *store, uint32_t lane, uint8_t fresh[STORE_MOST_BYTES]) {
  uint8_t *host[WARP_LANES];
  host[lane] = fresh;
  for (uint32_t n = 0; n < store->op->count; n++)
    store_element(store->w, store->op, store->op->extra, n, 1u << lane, host);
}

static bool store_changes(const struct order_store *order, uint32_t lane) {
  const struct value_store *store = (const struct value_store *)order;
  const struct access_plan *plan = store->op->extra;
  uint8_t fresh[STORE_MOST_BYTES] = {0};
  store_to(store, lane, fresh);
  return memcmp(fresh, strided_host(store->access, lane), plan->bytes) != 0;
}

static uint32_t store_word(const struct order_store *order, uint32_t lane, uint32_t offset) {
  const struct value_store *store = (const struct value_store *)order;
  const struct access_plan *plan = store->op->extra;
  if (plan->storage == 4 && store->op->width == 4 && offset % 4 == 0) // the usual case
    return warp_register32(store->w, plan->registers[offset / 4])[lane];
  uint8_t fresh[STORE_MOST_BYTES] = {0};
  uint32_t word;
  store_to(store, lane, fresh);
  memcpy(&word, fresh + offset, sizeof word);
  return word;
}

void memory_store(struct warp *w, const struct op *op) {
  const struct access_plan *plan = op->extra;
  const struct block *b = w->block;
  struct access a;
  if (!b->cluster->watching && strided_store_words(w, op)) return;
  if (!strided_resolve(w, op, plan, &a) && !access_resolve(w, op, plan, true, &a)) return;
  const bool tells = plan->strength != ORDER_WEAK && access_reaches_global(&a);
  if (tells && !warp_take_turn(w)) return;
  if (b->cluster->watching)
    strided_spell_out(&a);
  else if (w->launch->check)
    strided_spell_for_order(&a);
  const bool is_word = plan->storage == 4 && op->width == 4 && op->count == 1;
  const struct value_store store = {
      {store_changes, store_word, is_word ? warp_register32(w, plan->registers[0]) : NULL}, w, op, &a};
  if (w->launch->check) access_order(w, op, &a, plan->bytes, ORDER_WRITE, plan->strength, &store.order);
  struct cluster *c = w->block->cluster;
  const bool watched = c->watching && a.where != ACCESS_PRIVATE;
  const uint64_t before = watched ? access_contents(&a, plan->bytes) : 0;
  store_elements(w, op, plan, &a);
  if (watched && access_contents(&a, plan->bytes) != before) c->changes++;
  access_barriers_overwritten(w, op, &a, plan->bytes);
  memory_count_bytes(w, op, &a, plan->bytes, true);
  // Who waits for it must be able to go on before the next one: else a ring is never overrun.
  if (tells && w->launch->schedule != SCHEDULE_RACING) warp_count_grab(w);
}

// Every lane gets the same value.
static void broadcast(struct warp *w, const struct access_plan *plan, uint32_t offset, uint64_t value) {
  uint32_t lanes = w->lanes;
  if (plan->storage == 4) {
    uint32_t *d = warp_register32(w, offset);
    for (int i = 0; i < WARP_LANES; i++)
      d[i] = lanes >> i & 1 ? (uint32_t)value : d[i];
  } else {
    uint64_t *d = warp_register64(w, offset);
    for (int i = 0; i < WARP_LANES; i++)
      d[i] = lanes >> i & 1 ? value : d[i];
  }
}

void memory_load_parameter(struct warp *w, const struct op *op) {
  const struct access_plan *plan = op->extra;
  const uint8_t *from = w->launch->parameters + op->immediate;
  if (plan->storage == 16) {
    if (plan->registers[0] == OP_NO_REGISTER) return;
    uint8_t *host[WARP_LANES];
    for (int i = 0; i < WARP_LANES; i++)
      host[i] = (uint8_t *)(uintptr_t)from;
    load_wide(w, plan->registers[0], w->lanes, host);
    return;
  }
  for (uint32_t n = 0; n < op->count; n++, from += op->width)
    if (plan->registers[n] != OP_NO_REGISTER)
      broadcast(w, plan, plan->registers[n], extend(read_element(from, op->width), op, plan));
}
