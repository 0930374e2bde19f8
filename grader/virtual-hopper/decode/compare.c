// Decodes set, setp, selp and slct, PTX ISA 9.7.6 and 9.7.7. set becomes two ops: a setp into a scratch
// predicate, and a selection between two values.
#include "virtual-hopper/execute/compare.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/decode/arithmetic.h"

// an index here is the value in enum compare_combine minus one
static const char *const combinations[] = {"and", "or", "xor", NULL};
// First eq..ge, then the names that are only for unsigned integers (lo..hs), then those that are only for
// floating point (equ..nan).
static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi", "hs",
                                          "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan", NULL};
// what lo, ls, hi and hs are called for signed integers
static const char *const signed_names[] = {"lt", "le", "gt", "ge"};
enum { FIRST_UNSIGNED = 6, FIRST_UNORDERED = 10 };

static enum ptx_type unsigned_of(enum ptx_type type) {
  switch (type) {
  case PTX_B16: return PTX_U16;
  case PTX_B32: return PTX_U32;
  case PTX_B64: return PTX_U64;
  default: return type;
  }
}

static bool find_comparison(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                            int comparison, bool flush, enum ptx_type type) {
  const struct arithmetic_handler *const tables[] = {warp_compare_handlers, warp_compare_half_handlers};
  const char *name = comparisons[comparison];
  char wanted[16];
  bool is_bits = type == PTX_B16 || type == PTX_B32 || type == PTX_B64;
  bool is_unsigned = type == PTX_U16 || type == PTX_U32 || type == PTX_U64;
  if (is_bits && comparison > 1)
    return decode_error(d, in, ".%s compares numbers, not .%s", name, ptx_type_name(type));
  if (comparison >= FIRST_UNSIGNED && comparison < FIRST_UNORDERED) {
    if (!is_unsigned)
      return decode_error(d, in, ".%s compares unsigned numbers, not .%s", name, ptx_type_name(type));
    name = signed_names[comparison - FIRST_UNSIGNED];
  }
  snprintf(wanted, sizeof wanted, "%s%s", name, flush ? ".ftz" : "");
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
    for (const struct arithmetic_handler *row = tables[t]; row->name; row++) {
      if (row->type != unsigned_of(type) || strcmp(row->name, wanted) != 0) continue;
      op->execute = row->execute;
      return true;
    }
  }
  return decode_error(d, in, "this device doesn't know .%s with type .%s", wanted, ptx_type_name(type));
}

// Decodes the comparison, its operands a and b, and the predicate c that the result is combined with. The
// caller decodes the destination.
static bool decode_comparison(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                              struct modifiers *modifiers, enum ptx_type type) {
  int comparison = modifiers_take_one_of(modifiers, comparisons);
  int combination = modifiers_take_one_of(modifiers, combinations);
  bool flush = modifiers_take(modifiers, "ftz"), negated = false;
  if (!modifiers_all_taken(d, modifiers)) return false;
  if (comparison < 0) return decode_error(d, in, "it names no comparison");
  if (!arithmetic_operand_count(d, in, combination >= 0 ? 4 : 3)) return false;
  if (!find_comparison(d, in, op, comparison, flush, type)) return false;
  op->target = OP_NO_REGISTER;
  op->a = decode_source(d, &in->operands[1], type);
  op->b = decode_source(d, &in->operands[2], type);
  if (combination >= 0) {
    op->kind = (uint8_t)(COMBINE_AND + combination);
    op->c = decode_predicate(d, &in->operands[3], &negated);
    op->flags = negated;
  }
  return !decode_failed(d);
}

static bool is_pair(enum ptx_type type) {
  return type == PTX_F16X2 || type == PTX_BF16X2;
}

// setp.CmpOp{.BoolOp}{.ftz}.type p{|q}, a, b{, {!}c}
static bool decode_setp(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers modifiers = modifiers_of(in);
  enum ptx_type type = modifiers_take_type(&modifiers);
  if (!decode_comparison(d, in, op, &modifiers, type)) return false;
  const struct ptx_operand *destination = &in->operands[0];
  if (destination->kind == PTX_OPERAND_PAIR) {
    op->d = decode_destination(d, &destination->elements[0], PTX_PRED);
    op->target = decode_destination(d, &destination->elements[1], PTX_PRED);
  } else {
    op->d = decode_destination(d, destination, PTX_PRED);
  }
  return !decode_failed(d);
}

static bool truth_of(enum ptx_type destination, bool pair, uint32_t *truth) {
  switch (destination) {
  case PTX_U32:
  case PTX_S32: *truth = pair ? 0xffffu : UINT32_MAX; return true;
  case PTX_U16:
  case PTX_S16: *truth = 0xffffu; return !pair;
  case PTX_F32: *truth = 0x3f800000u; return !pair;
  case PTX_F16: *truth = 0x3c00u; return !pair;
  case PTX_BF16: *truth = 0x3f80u; return !pair;
  case PTX_F16X2: *truth = 0x3c00u; return pair;
  case PTX_BF16X2: *truth = 0x3f80u; return pair;
  default: return false;
  }
}

// set.CmpOp{.BoolOp}{.ftz}.dtype.stype d, a, b{, {!}c}
static bool decode_set(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers modifiers = modifiers_of(in);
  enum ptx_type to = modifiers_take_type(&modifiers), from = modifiers_take_type(&modifiers);
  bool pair = is_pair(from);
  uint32_t truth = 0;
  struct op comparison = *op;
  comparison.guard = OP_NO_REGISTER; // the comparison writes only scratch registers
  if (!truth_of(to, pair, &truth))
    return decode_error(d, in, "this device doesn't know set from .%s to .%s", ptx_type_name(from),
                        ptx_type_name(to));
  if (!decode_comparison(d, in, &comparison, &modifiers, from)) return false;
  op->a = comparison.d = decode_temporary(d, 0);
  if (pair) op->b = comparison.target = decode_temporary(d, 0);
  *decode_emit(d) = comparison;
  op->immediate = truth;
  op->execute = pair ? warp_set_pair : warp_set;
  op->d = decode_destination(d, &in->operands[0], to);
  return op->d != OP_NO_REGISTER || decode_error(d, in, "it needs a register as its destination");
}

static bool is_selectable(enum ptx_type type) {
  switch (type) {
  case PTX_B16:
  case PTX_B32:
  case PTX_B64:
  case PTX_U16:
  case PTX_U32:
  case PTX_U64: // clang-format off
  case PTX_S16: case PTX_S32: case PTX_S64: case PTX_F32: case PTX_F64: return true; // clang-format on
  default: return false;
  }
}

static bool decode_selected(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                            enum ptx_type type) {
  if (!is_selectable(type)) return decode_error(d, in, "it can't select .%s", ptx_type_name(type));
  if (!arithmetic_operand_count(d, in, 4)) return false;
  op->d = decode_destination(d, &in->operands[0], type);
  op->a = decode_source(d, &in->operands[1], type);
  op->b = decode_source(d, &in->operands[2], type);
  if (decode_failed(d)) return false;
  return op->d != OP_NO_REGISTER || decode_error(d, in, "it needs a register as its destination");
}

// selp.type d, a, b, {!}c
static bool decode_selp(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers modifiers = modifiers_of(in);
  enum ptx_type type = modifiers_take_type(&modifiers);
  bool negated = false;
  if (!modifiers_all_taken(d, &modifiers) || !decode_selected(d, in, op, type)) return false;
  op->c = decode_predicate(d, &in->operands[3], &negated);
  op->flags = negated;
  op->execute = ptx_type_size(type) == 8 ? warp_select64 : warp_select32;
  return !decode_failed(d);
}

// slct{.ftz}.dtype.ctype d, a, b, c
static bool decode_slct(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers modifiers = modifiers_of(in);
  enum ptx_type type = modifiers_take_type(&modifiers), by = modifiers_take_type(&modifiers);
  bool flush = modifiers_take(&modifiers, "ftz"), wide = ptx_type_size(type) == 8;
  if (!modifiers_all_taken(d, &modifiers) || !decode_selected(d, in, op, type)) return false;
  if (by == PTX_S32 && !flush)
    op->execute = wide ? warp_slct64_s32 : warp_slct32_s32;
  else if (by == PTX_F32)
    op->execute = flush ? (wide ? warp_slct64_f32_ftz : warp_slct32_f32_ftz)
                        : (wide ? warp_slct64_f32 : warp_slct32_f32);
  else
    return decode_error(d, in, "it can't choose by a .%s", ptx_type_name(by));
  op->c = decode_source(d, &in->operands[3], by);
  return !decode_failed(d);
}

bool decode_compare(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (strcmp(in->opcode, "setp") == 0) return decode_setp(d, in, op);
  if (strcmp(in->opcode, "set") == 0) return decode_set(d, in, op);
  if (strcmp(in->opcode, "selp") == 0) return decode_selp(d, in, op);
  if (strcmp(in->opcode, "slct") == 0) return decode_slct(d, in, op);
  return decode_error(d, in, "this device doesn't know the instruction");
}
