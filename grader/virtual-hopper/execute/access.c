// In: addresses of 32 lanes. Out: host pointers. One idea: the lanes nearly always stay in one allocation, or
// in the shared memory of their own block. So one range check for all lanes comes first. When it fails, each
// lane is checked by itself.
#include "virtual-hopper/execute/access.h"

#include <string.h>

#include "virtual-hopper/async/mbarrier.h"
#include "virtual-hopper/execute/lanes.h"
#include "virtual-hopper/execute/strided.h"

LANES_HANDLER static void compute_addresses(const struct warp *w, const struct op *op,
                                            const struct access_plan *plan, uint64_t address[WARP_LANES]) {
  if (plan->narrow) {
    const uint32_t *base = warp_register32(w, op->a);
    uint32_t offset = (uint32_t)op->immediate;
    for (int i = 0; i < WARP_LANES; i++)
      address[i] = base[i] + offset; // 32-bit sums wrap
    return;
  }
  const uint64_t *base = warp_register64(w, op->a);
  uint64_t offset = (uint64_t)op->immediate;
  for (int i = 0; i < WARP_LANES; i++)
    address[i] = base[i] + offset;
}

// True when all running lanes lie in [low, high) with `bytes` each and are aligned.
LANES_HANDLER static bool all_inside(const uint64_t address[WARP_LANES], uint32_t lanes, uint64_t low,
                                     uint64_t high, uint32_t bytes) {
  if (high - low < bytes || (high - low) >> 63) return false;
  uint64_t room = high - low - bytes, outside = 0, low_bits = 0; // outside: its highest bit counts
  if (lanes == UINT32_MAX) {
    for (int i = 0; i < WARP_LANES; i++) {
      const uint64_t offset = address[i] - low;
      outside |= offset | (room - offset);
      low_bits |= address[i];
    }
  } else {
    for (uint32_t left = lanes; left; left &= left - 1) {
      const uint64_t one = address[__builtin_ctz(left)], offset = one - low;
      outside |= offset | (room - offset);
      low_bits |= one;
    }
  }
  return !(outside >> 63) && !(low_bits & (bytes - 1));
}

// Lanes that don't run may have any address. So this adds numbers, not pointers.
static uint8_t *moved(uint8_t *base, uint64_t bytes) {
  return (uint8_t *)((uintptr_t)base + bytes);
}

// Where the lanes' bytes are, `low` being at `base`.
LANES_HANDLER static void move_all(struct access *a, uint8_t *base, uint64_t low) {
  for (int i = 0; i < WARP_LANES; i++)
    a->host[i] = moved(base, a->address[i] - low);
}

LANES_HANDLER static void move_all_shared(struct access *a, uint8_t *base, uint64_t low) {
  for (int i = 0; i < WARP_LANES; i++) {
    const uint32_t inside = (uint32_t)(a->address[i] - low);
    a->offset[i] = inside + SHARED_FIRST_OFFSET;
    a->host[i] = moved(base, inside);
  }
}

static void set_window(struct warp *w, struct memory_window *window, uint64_t address) {
  const struct memory_allocation *found = memory_find(w->launch->memory, address);
  if (!found) return;
  *window = (struct memory_window){.low = found->address,
                                   .high = found->address + found->bytes,
                                   .handed = found->handed,
                                   .hosts = found->pinned || found->managed,
                                   .frees = w->launch->frees};
  window->host = memory_host(w->launch->memory, found->address, found->bytes);
  if (!window->host) *window = (struct memory_window){0};
}

static bool resolve_global(struct warp *w, const struct op *op, uint32_t bytes, struct access *a) {
  struct memory_window *window = access_window(w, op);
  if (!all_inside(a->address, a->lanes, window->low, window->high, bytes)) {
    set_window(w, window, a->address[__builtin_ctz(a->lanes)]);
    if (!all_inside(a->address, a->lanes, window->low, window->high, bytes)) return false;
  }
  move_all(a, window->host, window->low);
  a->where = ACCESS_GLOBAL;
  access_in_window(w, window, a);
  return true;
}

// Shared addresses (rank << 24 | offset) of the running block.
static bool resolve_own_shared(struct warp *w, uint64_t window, uint32_t bytes, struct access *a) {
  struct block *b = w->block;
  uint64_t low = window + ((uint64_t)b->rank << SHARED_RANK_SHIFT) + SHARED_FIRST_OFFSET;
  if (!all_inside(a->address, a->lanes, low, low + w->launch->shared_bytes, bytes)) return false;
  move_all_shared(a, b->shared, low);
  a->where = ACCESS_SHARED;
  a->owner = b;
  return true;
}

// Resolves each lane by itself, from generic addresses. Stops at the first lane whose access is not allowed.
static bool resolve_each(struct warp *w, const struct op *op, uint32_t bytes, bool write, uint64_t window,
                         struct access *a) {
  a->where = ACCESS_MIXED;
  for (uint32_t left = a->lanes; left; left &= left - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(left);
    uint64_t generic = a->address[i] + window;
    a->places[i] = memory_resolve(w, i, generic, bytes);
    a->host[i] = a->places[i].host;
    a->address[i] = generic;
    a->offset[i] = a->places[i].offset;
    if (a->places[i].kind == MEMORY_GLOBAL && memory_is_the_hosts(w->launch->memory, generic))
      w->block->cluster->host_looks++;
    bool allowed = a->host[i] && !(generic & (bytes - 1)) && !(write && a->places[i].kind == MEMORY_PARAM);
    if (allowed) continue;
    access_fault(w, op, i, generic, bytes, write);
    return false;
  }
  return true;
}

static bool resolve_call_slot(struct warp *w, const struct op *op, struct access *a) {
  const struct frame *frame = w->splits[0].frame;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    a->host[i] = frame->parameters + (size_t)i * frame->function->call_area_bytes + (uint32_t)op->immediate;
  a->where = ACCESS_PRIVATE;
  return true;
}

static bool resolve_local(struct warp *w, uint32_t bytes, struct access *a) {
  uint32_t room = w->launch->function->local_bytes_per_thread;
  if (!w->local || !all_inside(a->address, a->lanes, 0, room, bytes)) return false;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    a->host[i] = moved(w->local + (size_t)i * room, (uint32_t)a->address[i]);
  a->where = ACCESS_PRIVATE;
  return true;
}

static bool resolve_generic(struct warp *w, const struct op *op, uint32_t bytes, bool write,
                            struct access *a) {
  uint64_t first = a->address[__builtin_ctz(a->lanes)];
  if (first >= GLOBAL_BASE && resolve_global(w, op, bytes, a)) return true;
  if (first - SHARED_WINDOW < WINDOW_BYTES && resolve_own_shared(w, SHARED_WINDOW, bytes, a)) return true;
  return resolve_each(w, op, bytes, write, 0, a);
}

bool access_resolve(struct warp *w, const struct op *op, const struct access_plan *plan, bool write,
                    struct access *a) {
  a->lanes = w->lanes;
  a->is_strided = false;
  if (plan->is_call_slot) return resolve_call_slot(w, op, a);
  compute_addresses(w, op, plan, a->address);
  uint32_t bytes = plan->bytes;
  switch (op->space) {
  case PTX_GLOBAL:
  case PTX_CONST: return resolve_global(w, op, bytes, a) || resolve_each(w, op, bytes, write, 0, a);
  case PTX_SHARED:
    return resolve_own_shared(w, 0, bytes, a) || resolve_each(w, op, bytes, write, SHARED_WINDOW, a);
  case PTX_LOCAL: return resolve_local(w, bytes, a) || resolve_each(w, op, bytes, write, LOCAL_WINDOW, a);
  case PTX_PARAM: return resolve_each(w, op, bytes, write, PARAM_WINDOW, a);
  default: return resolve_generic(w, op, bytes, write, a);
  }
}

// ---- order ------------------------------------------------------------------------------------------------

static void order_mixed(struct warp *w, const struct op *op, const struct access *a, uint32_t bytes,
                        enum order_kind kind, enum order_strength strength, const struct order_store *store) {
  uint32_t global = 0, shared = 0;
  for (uint32_t left = a->lanes; left; left &= left - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(left);
    if (a->places[i].kind == MEMORY_GLOBAL) global |= 1u << i;
    if (a->places[i].kind == MEMORY_SHARED) shared |= 1u << i;
  }
  if (global) order_global_access(w, op, global, a->address, bytes, kind, strength, store);
  while (shared) {
    struct block *owner = a->places[__builtin_ctz(shared)].owner;
    uint32_t group = 0;
    for (uint32_t left = shared; left; left &= left - 1) {
      uint32_t i = (uint32_t)__builtin_ctz(left);
      if (a->places[i].owner == owner) group |= 1u << i;
    }
    order_shared_access(w, op, group, owner, a->offset, bytes, kind, strength, store);
    shared &= ~group;
  }
}

void access_order(struct warp *w, const struct op *op, const struct access *a, uint32_t bytes,
                  enum order_kind kind, enum order_strength strength, const struct order_store *store) {
  if (a->where == ACCESS_PRIVATE) return;
  if (op->space == PTX_CONST)
    order_constant_read(w, op, a->lanes, a->address, bytes);
  else if (a->where == ACCESS_GLOBAL)
    order_global_access(w, op, a->lanes, a->address, bytes, kind, strength, store);
  else if (a->where == ACCESS_SHARED)
    order_shared_access(w, op, a->lanes, a->owner, a->offset, bytes, kind, strength, store);
  else
    order_mixed(w, op, a, bytes, kind, strength, store);
}

// Returns true when the range that the lanes span may hold a live barrier.
static bool near_barrier(const struct access *a, uint32_t bytes) {
  if (!a->owner->mbarriers || !a->owner->mbarriers->live_count) return false;
  uint32_t low = UINT32_MAX, high = 0;
  if (a->is_strided) strided_offsets(a, &low, &high);
  for (uint32_t left = a->is_strided ? 0 : a->lanes; left; left &= left - 1) {
    uint32_t offset = a->offset[__builtin_ctz(left)];
    low = offset < low ? offset : low;
    high = offset > high ? offset : high;
  }
  return mbarrier_may_overlap(a->owner, low, high - low + bytes);
}

void access_barriers_overwritten(struct warp *w, const struct op *op, struct access *a, uint32_t bytes) {
  if (a->where == ACCESS_GLOBAL || a->where == ACCESS_PRIVATE) return;
  if (a->where == ACCESS_SHARED && !near_barrier(a, bytes)) return;
  strided_spell_out(a);
  for (uint32_t left = a->lanes; left; left &= left - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(left);
    struct block *owner = a->where == ACCESS_SHARED            ? a->owner
                          : a->places[i].kind == MEMORY_SHARED ? a->places[i].owner
                                                               : NULL;
    if (owner && mbarrier_may_overlap(owner, a->offset[i], bytes))
      mbarrier_overwritten(actor_of(w, op, i), owner, a->offset[i], bytes);
  }
}

uint64_t access_contents(const struct access *a, uint32_t bytes) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (uint32_t left = a->lanes; left; left &= left - 1) {
    const uint8_t *at = a->host[__builtin_ctz(left)];
    for (uint32_t i = 0; i < bytes; i++)
      hash = (hash ^ at[i]) * 0x00000100000001b3ull;
  }
  return hash;
}

bool access_reaches_global(const struct access *a) {
  if (a->where != ACCESS_MIXED) return a->where == ACCESS_GLOBAL;
  for (uint32_t left = a->lanes; left; left &= left - 1)
    if (a->places[__builtin_ctz(left)].kind == MEMORY_GLOBAL) return true;
  return false;
}

uint32_t access_handed_lanes(const struct warp *w, const struct access *a) {
  if (a->where == ACCESS_GLOBAL) return a->handed ? access_lane_count(a) : 0;
  uint32_t count = 0;
  for (uint32_t left = a->where == ACCESS_MIXED ? a->lanes : 0; left; left &= left - 1) {
    int i = __builtin_ctz(left);
    count += a->places[i].kind == MEMORY_GLOBAL && memory_is_handed(w->launch->memory, a->address[i]);
  }
  return count;
}

static bool is_handed(const struct warp *w, const struct access *a, int lane) {
  if (a->where == ACCESS_GLOBAL) return a->handed;
  return a->where == ACCESS_MIXED && a->places[lane].kind == MEMORY_GLOBAL &&
         memory_is_handed(w->launch->memory, a->address[lane]);
}

uint32_t access_value_lanes(const struct warp *w, const struct access *a, uint32_t bytes) {
  uint32_t count = 0;
  for (uint32_t left = a->lanes; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const uint8_t *at = strided_host(a, (uint32_t)lane);
    uint32_t zeros = 0;
    while (zeros < bytes && at[zeros] == 0)
      zeros++;
    count += zeros < bytes && is_handed(w, a, lane);
  }
  return count;
}
