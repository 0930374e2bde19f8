// Changes of tensor maps on the device. In: tensormap.replace (PTX ISA 9.7.9.28), tensormap.cp_fenceproxy
// (9.7.13.16) and prefetch.tensormap (9.7.9.15). Out: ops of execute/tensormap.h.
#include "virtual-hopper/execute/tensormap.h"
#include "virtual-hopper/base/checked.h"

#include "virtual-hopper/decode/async-operand.h"

static const char *const field_names[] = {"global_address", "rank",           "box_dim",  "global_dim",
                                          "global_stride",  "element_stride", "elemtype", "interleave_layout",
                                          "swizzle_mode",   "fill_mode",      NULL};

static bool decode_replace(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                           struct modifiers *m, struct tensormap_extra *x) {
  op->execute = execute_tensormap_replace;
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
    int64_t ordinal = in->operands[1].integer;
    if (in->operands[1].kind != PTX_OPERAND_INTEGER)
      return decode_error(d, in, "the ordinal must be an integer constant");
    // An ordinal that no map has is a fault of the program when the op executes.
    x->ordinal = ordinal < 0 || ordinal > UINT32_MAX ? UINT32_MAX : (uint32_t)ordinal;
  }
  if (!async_address_decode(d, in, &in->operands[0], space, &x->map)) return false;
  x->value = decode_source(d, &in->operands[indexed ? 2 : 1], x->wide ? PTX_B64 : PTX_B32);
  return !decode_failed(d);
}

static bool decode_copy_fence(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                              struct modifiers *m, struct tensormap_extra *x) {
  static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
  static const char *const needed[] = {"global",  "shared::cta", "tensormap::generic", "release", "sync",
                                       "aligned", NULL};
  op->execute = execute_tensormap_copy_fence;
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
                            struct modifiers *m, struct tensormap_extra *x) {
  op->execute = execute_tensormap_prefetch;
  modifiers_take(m, "tensormap");
  bool param = modifiers_take(m, "param");
  modifiers_take(m, "const");
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, 1)) return false;
  if (!async_address_decode(d, in, &in->operands[0], PTX_SPACE_NONE, &x->map)) return false;
  // async_address_decode has made [name] in .param a generic address. A register holds an offset in .param
  // space.
  if (param && in->operands[0].count && in->operands[0].elements[0].kind == PTX_OPERAND_REGISTER)
    x->map.offset = wrapping_add(x->map.offset, (int64_t)PARAM_WINDOW);
  return true;
}

// tensormap.replace, tensormap.cp_fenceproxy, prefetch.tensormap
bool decode_tensormap(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers m = modifiers_of(in);
  struct tensormap_extra *x = decode_allocate(d, sizeof *x);
  op->extra = x;
  if (modifiers_take(&m, "replace")) return decode_replace(d, in, op, &m, x);
  if (modifiers_take(&m, "cp_fenceproxy")) return decode_copy_fence(d, in, op, &m, x);
  return decode_prefetch(d, in, op, &m, x);
}
