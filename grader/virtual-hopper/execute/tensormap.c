// Changes tensor maps on the device: works on the 128 bytes of a map. PTX ISA 9.7.9.28 (tensormap.replace),
// 9.7.13.16 (tensormap.cp_fenceproxy), 9.7.9.15 (prefetch.tensormap).
#include <string.h>

#include "virtual-hopper/execute/tensormap.h"

#include "virtual-hopper/execute/access.h"
#include "virtual-hopper/order/order.h"

// ---- execution --------------------------------------------------------------------------------------------

static uint64_t generic_address(const struct warp *w, const struct async_address *a, uint32_t lane) {
  uint64_t address = async_address_of(w, a, lane);
  return a->shared ? SHARED_WINDOW + address : address;
}

// Returns the memory of the map, to read or change it as ordinary bytes.
static uint8_t *map_memory(struct warp *w, const struct op *op, uint32_t lane, const struct async_address *a,
                           bool write) {
  uint64_t address = generic_address(w, a, lane);
  struct memory_place place = memory_resolve(w, lane, address, TENSOR_MAP_BYTES);
  bool allowed = place.host && (place.kind == MEMORY_GLOBAL || place.kind == MEMORY_SHARED);
  if (!allowed) {
    access_fault(w, op, lane, address, TENSOR_MAP_BYTES, write);
    return NULL;
  }
  if (address % TENSOR_MAP_ALIGNMENT) {
    async_faultf(w, op, lane, RULE_MISALIGNED_ADDRESS, ERROR_MISALIGNED_ADDRESS, "changes a tensor map",
                 "The tensor map lies at 0x%llx, which is not a multiple of 64 bytes.",
                 (unsigned long long)address);
    return NULL;
  }
  return place.host;
}

// Reports a weak access to all 128 bytes (PTX ISA 9.7.9.28) to the order engine.
static void note_access(struct warp *w, const struct op *op, uint32_t lane, const struct async_address *a,
                        enum order_kind kind, const struct order_store *store) {
  uint64_t address = generic_address(w, a, lane);
  if (address - SHARED_WINDOW < WINDOW_BYTES) {
    uint32_t offsets[WARP_LANES];
    struct block *owner = memory_shared_owner(w->block, (uint32_t)address, &offsets[lane]);
    if (owner)
      order_shared_access(w, op, 1u << lane, owner, offsets, TENSOR_MAP_BYTES, kind, ORDER_WEAK, NULL);
    return;
  }
  uint64_t addresses[WARP_LANES];
  addresses[lane] = address;
  order_global_access(w, op, 1u << lane, addresses, TENSOR_MAP_BYTES, kind, ORDER_WEAK, store);
}

void execute_tensormap_replace(struct warp *w, const struct op *op) {
  const struct tensormap_extra *x = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint8_t *map = map_memory(w, op, lane, &x->map, true);
    if (!map) return;
    char why[256];
    uint64_t value = x->wide ? warp_register64(w, x->value)[lane] : async_value32(w, x->value, lane);
    if (!tensor_map_replace(map, x->field, x->ordinal, value, why, sizeof why)) {
      async_faultf(w, op, lane, RULE_BAD_TENSOR_MAP, ERROR_ILLEGAL_INSTRUCTION, "changes a tensor map",
                   "The tensor map can't be changed so: %s.", why);
      return;
    }
    if (w->launch->check) note_access(w, op, lane, &x->map, ORDER_WRITE, NULL);
  }
}

struct map_store { // a map that is about to replace another one
  struct order_store store;
  const uint8_t *there, *fresh;
};

static bool map_changes(const struct order_store *store, uint32_t lane) {
  const struct map_store *m = (const struct map_store *)store;
  (void)lane;
  return memcmp(m->there, m->fresh, TENSOR_MAP_BYTES) != 0;
}

static uint32_t map_word(const struct order_store *store, uint32_t lane, uint32_t offset) {
  uint32_t word;
  (void)lane;
  memcpy(&word, ((const struct map_store *)store)->fresh + offset, sizeof word);
  return word;
}

// The whole warp executes this instruction: its lanes meet, and every running one makes the copy.
void execute_tensormap_copy_fence(struct warp *w, const struct op *op) {
  const struct tensormap_extra *x = op->extra;
  for (uint32_t left = w->launch->check ? w->lanes : 0; left; left &= left - 1)
    note_access(w, op, (uint32_t)__builtin_ctz(left), &x->source, ORDER_READ, NULL);
  if (w->launch->check && w->lanes) order_warp_sync(w, w->lanes);
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint8_t *to = map_memory(w, op, lane, &x->map, true),
            *from = to ? map_memory(w, op, lane, &x->source, false) : NULL;
    if (!from) return;
    const struct map_store store = {{.changes = map_changes, .word = map_word}, to, from};
    if (w->launch->check) note_access(w, op, lane, &x->map, ORDER_WRITE, &store.store);
    memcpy(to, from, TENSOR_MAP_BYTES);
    if (!w->launch->check) continue;
    // released at once, but a thread that uses the map must acquire it
    order_fence_proxy_tensormap(w, op, lane, false, generic_address(w, &x->map, lane));
  }
  if (w->launch->check && w->lanes) order_warp_sync(w, w->lanes); // .sync
}

void execute_tensormap_prefetch(struct warp *w, const struct op *op) {
  const struct tensormap_extra *x = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint64_t address = generic_address(w, &x->map, lane);
    if (!memory_resolve(w, lane, address, TENSOR_MAP_BYTES).host) {
      access_fault(w, op, lane, address, TENSOR_MAP_BYTES, false);
      return;
    }
  }
}
