// Changing tensor maps on the device: takes tensormap.replace (PTX ISA 9.7.9.28), tensormap.cp_fenceproxy (9.7.13.16) and
// prefetch.tensormap (9.7.9.15), leaves ops on the 128 bytes of a map.
#include <string.h>

#include "virtual-hopper/decode/bulk.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/tensor-map.h"

struct map_extra {
  struct async_address map, source;
  uint32_t value, ordinal;
  enum tensor_map_field field;
  bool wide; // the value is 64 bits
};

// ---- execution ------------------------------------------------------------------------------------------------------------------

static uint64_t generic_address(const struct warp *w, const struct async_address *a, uint32_t lane) {
  uint64_t address = async_address_of(w, a, lane);
  return a->shared ? SHARED_WINDOW + address : address;
}

// The map's memory for reading or changing it as ordinary bytes.
static uint8_t *map_memory(struct warp *w, const struct op *op, uint32_t lane, const struct async_address *a,
                           bool write) {
  uint64_t address = generic_address(w, a, lane);
  struct memory_place place = memory_resolve(w, lane, address, TENSOR_MAP_BYTES);
  bool allowed = place.host && (place.kind == MEMORY_GLOBAL || place.kind == MEMORY_SHARED);
  if (!allowed) {
    memory_fault(w, op, lane, address, TENSOR_MAP_BYTES, write);
    return NULL;
  }
  if (address % TENSOR_MAP_ALIGNMENT) {
    async_faultf(w, op, lane, "misaligned-address", ERROR_MISALIGNED, "changes a tensor map",
                 "The tensor map lies at 0x%llx, which is not a multiple of 64 bytes.",
                 (unsigned long long)address);
    return NULL;
  }
  return place.host;
}

// A weak access to all 128 bytes (PTX ISA 9.7.9.28), told to the order room.
static void note_access(struct warp *w, const struct op *op, uint32_t lane, const struct async_address *a,
                        enum order_kind kind) {
  uint64_t address = generic_address(w, a, lane);
  if (address - SHARED_WINDOW < WINDOW_BYTES) {
    uint32_t offsets[WARP_LANES];
    struct block *owner = memory_shared_owner(w->block, (uint32_t)address, &offsets[lane]);
    if (owner) order_shared_access(w, op, 1u << lane, owner, offsets, TENSOR_MAP_BYTES, kind, ORDER_WEAK);
    return;
  }
  uint64_t addresses[WARP_LANES];
  addresses[lane] = address;
  order_global_access(w, op, 1u << lane, addresses, TENSOR_MAP_BYTES, kind, ORDER_WEAK);
}

static void execute_replace(struct warp *w, const struct op *op) {
  const struct map_extra *x = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint8_t *map = map_memory(w, op, lane, &x->map, true);
    if (!map) return;
    char why[256];
    uint64_t value = x->wide ? warp_register64(w, x->value)[lane] : async_value32(w, x->value, lane);
    if (!tensor_map_replace(map, x->field, x->ordinal, value, why, sizeof why)) {
      async_faultf(w, op, lane, "bad-tensor-map", ERROR_INSTRUCTION, "changes a tensor map",
                   "The tensor map can't be changed so: %s.", why);
      return;
    }
    if (w->launch->check) note_access(w, op, lane, &x->map, ORDER_WRITE);
  }
}

// The whole warp executes it; the copy is made once for each distinct destination, which is as good as by every lane.
static void execute_copy_fence(struct warp *w, const struct op *op) {
  const struct map_extra *x = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint8_t *to = map_memory(w, op, lane, &x->map, true),
            *from = to ? map_memory(w, op, lane, &x->source, false) : NULL;
    if (!from) return;
    memcpy(to, from, TENSOR_MAP_BYTES);
    if (!w->launch->check) continue;
    note_access(w, op, lane, &x->source, ORDER_READ);
    note_access(w, op, lane, &x->map,
                ORDER_WRITE); // released at once, but whoever uses the map must acquire it
    order_fence_proxy_tensormap(w, lane, false, generic_address(w, &x->map, lane));
  }
  if (w->launch->check && w->lanes) order_warp_sync(w, w->lanes); // .sync
}

static void execute_prefetch(struct warp *w, const struct op *op) {
  const struct map_extra *x = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint64_t address = generic_address(w, &x->map, lane);
    if (!memory_resolve(w, lane, address, TENSOR_MAP_BYTES).host) {
      memory_fault(w, op, lane, address, TENSOR_MAP_BYTES, false);
      return;
    }
  }
}

// ---- decoding -------------------------------------------------------------------------------------------------------------------

static const char *const field_names[] = {"global_address", "rank",           "box_dim",  "global_dim",
                                          "global_stride",  "element_stride", "elemtype", "interleave_layout",
                                          "swizzle_mode",   "fill_mode",      NULL};

static bool decode_replace(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                           struct modifiers *m, struct map_extra *x) {
  op->execute = execute_replace;
  if (ptx_has_modifier(in, "swizzle_atomicity"))
    return decode_error(d, in, ".swizzle_atomicity needs compute capability 10.0; this is 9.0");
  int field = modifiers_take_one_of(m, field_names);
  if (field < 0 || !modifiers_take(m, "tile"))
    return decode_error(d, in, "tensormap.replace.tile and a field are wanted");
  x->field = (enum tensor_map_field)field;
  enum ptx_space space = modifiers_take(m, "global") ? PTX_GLOBAL : async_take_shared(m);
  modifiers_take(m, "b1024");
  bool indexed = x->field >= TENSOR_FIELD_BOX_DIM && x->field <= TENSOR_FIELD_ELEMENT_STRIDE;
  x->wide = modifiers_take(m, "b64");
  if (!x->wide) modifiers_take(m, "b32");
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, indexed ? 3 : 2)) return false;
  if (indexed) {
    if (in->operands[1].kind != PTX_OPERAND_INTEGER)
      return decode_error(d, in, "the ordinal must be an integer constant");
    x->ordinal = (uint32_t)in->operands[1].integer;
  }
  if (!async_address_decode(d, in, &in->operands[0], space, &x->map)) return false;
  x->value = decode_source(d, &in->operands[indexed ? 2 : 1], x->wide ? PTX_B64 : PTX_B32);
  return !decode_failed(d);
}

static bool decode_copy_fence(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                              struct modifiers *m, struct map_extra *x) {
  static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
  static const char *const needed[] = {"global",  "shared::cta", "tensormap::generic", "release", "sync",
                                       "aligned", NULL};
  op->execute = execute_copy_fence;
  for (const char *const *name = needed; *name; name++)
    if (!modifiers_take(m, *name)) return decode_error(d, in, ".%s is missing", *name);
  if (modifiers_take_one_of(m, scopes) < 0) return decode_error(d, in, "a scope is wanted");
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, 3)) return false;
  if (in->operands[2].kind != PTX_OPERAND_INTEGER || in->operands[2].integer != TENSOR_MAP_BYTES)
    return decode_error(d, in, "the size must be 128");
  return async_address_decode(d, in, &in->operands[0], PTX_GLOBAL, &x->map) &&
         async_address_decode(d, in, &in->operands[1], PTX_SHARED, &x->source);
}

static bool decode_prefetch(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                            struct modifiers *m, struct map_extra *x) {
  op->execute = execute_prefetch;
  modifiers_take(m, "tensormap");
  bool param = modifiers_take(m, "param");
  modifiers_take(m, "const");
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, 1)) return false;
  if (!async_address_decode(d, in, &in->operands[0], PTX_SPACE_NONE, &x->map)) return false;
  // [name] in .param has become a generic address above; a register holds an offset in .param space.
  if (param && in->operands[0].count && in->operands[0].elements[0].kind == PTX_OPERAND_REGISTER)
    x->map.offset += (int64_t)PARAM_WINDOW;
  return true;
}

// tensormap.replace, tensormap.cp_fenceproxy, prefetch.tensormap
bool decode_tensormap(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers m = modifiers_of(in);
  struct map_extra *x = decode_allocate(d, sizeof *x);
  op->extra = x;
  if (modifiers_take(&m, "replace")) return decode_replace(d, in, op, &m, x);
  if (modifiers_take(&m, "cp_fenceproxy")) return decode_copy_fence(d, in, op, &m, x);
  return decode_prefetch(d, in, op, &m, x);
}
