// Decodes cvt to packed and small formats (f16x2, bf16x2, tf32, e4m3x2, e5m2x2, and f16 or bf16 with .relu or
// .satfinite) and cvt.pack, PTX ISA 9.7.9.21 and 9.7.9.22. Only the forms that sm_90 has are decoded.
#include <string.h>

#include "virtual-hopper/decode/arithmetic.h"
#include "virtual-hopper/decode/convert.h"
#include "virtual-hopper/execute/convert.h"

// The formats by name. `shape` is the shape of the operands: t is a 32-bit register, h a 16-bit register.
static const struct form {
  const char *to, *from;
  const struct small_format *format;
  op_execute *execute;
  const char *shape;
  const char *roundings; // the allowed ones
  enum { FINITE_NEVER, FINITE_MAY, FINITE_MUST, FINITE_IF_AWAY } saturate_finite;
} forms[] = {
    {"f16x2", "f32", &format_f16, warp_convert_small_pair, "tff", "rn rz", FINITE_MAY},
    {"bf16x2", "f32", &format_bf16, warp_convert_small_pair, "tff", "rn rz", FINITE_MAY},
    {"f16", "f32", &format_f16, warp_convert_small, "hf", "rn rz", FINITE_MAY},
    {"bf16", "f32", &format_bf16, warp_convert_small, "hf", "rn rz", FINITE_MAY},
    {"tf32", "f32", &format_tf32, warp_convert_small, "tf", "rn rz rna", FINITE_IF_AWAY},
    {"e4m3x2", "f32", &format_e4m3, warp_convert_small_pair, "hff", "rn", FINITE_MUST},
    {"e5m2x2", "f32", &format_e5m2, warp_convert_small_pair, "hff", "rn", FINITE_MUST},
    {"e4m3x2", "f16x2", &format_e4m3, warp_convert_small_from_f16x2, "ht", "rn", FINITE_MUST},
    {"e5m2x2", "f16x2", &format_e5m2, warp_convert_small_from_f16x2, "ht", "rn", FINITE_MUST},
    {"f16x2", "e4m3x2", &format_e4m3, warp_convert_small_to_f16x2, "th", "rn", FINITE_NEVER},
    {"f16x2", "e5m2x2", &format_e5m2, warp_convert_small_to_f16x2, "th", "rn", FINITE_NEVER},
};

static const struct form *find_form(const struct ptx_instruction *in) {
  if (in->modifier_count < 2) return NULL;
  const char *to = in->modifiers[in->modifier_count - 2], *from = in->modifiers[in->modifier_count - 1];
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (strcmp(forms[i].to, to) == 0 && strcmp(forms[i].from, from) == 0) return &forms[i];
  }
  return NULL;
}

static bool decode_places(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                          const char *shape) {
  uint32_t *const places[] = {&op->d, &op->a, &op->b};
  uint32_t count = (uint32_t)strlen(shape);
  if (!arithmetic_operand_count(d, in, count)) return false;
  for (uint32_t i = 0; i < count && i < 3; i++) {
    enum ptx_type type = shape[i] == 'h' ? PTX_B16 : shape[i] == 'f' ? PTX_F32 : PTX_B32;
    *places[i] = i ? decode_source(d, &in->operands[i], type) : decode_destination(d, &in->operands[0], type);
    if (*places[i] == OP_NO_REGISTER) return decode_error(d, in, "operand %u must be a register", i + 1);
  }
  return true;
}

static bool finite_is_right(const struct form *form, bool finite, enum rounding mode) {
  switch (form->saturate_finite) {
  case FINITE_NEVER: return !finite;
  case FINITE_MUST: return finite;
  // .satfinite with another rounding mode needs sm_100
  case FINITE_IF_AWAY: return !finite || mode == ROUND_NEAREST_AWAY;
  default: return true;
  }
}

bool decode_cvt_small(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const roundings[] = {"rn", "rz", "rm", "rp", "rna", NULL}; // as in enum rounding
  const struct form *form = find_form(in);
  if (!form) return decode_error(d, in, "this device doesn't know a conversion between these types");
  struct modifiers modifiers = modifiers_of(in);
  struct small_conversion *c = decode_allocate(d, sizeof *c);
  int mode = modifiers_take_one_of(&modifiers, roundings);
  if (mode < 0 || !strstr(form->roundings, roundings[mode]))
    return decode_error(d, in, "it needs a rounding mode: one of %s", form->roundings);
  c->to = form->format;
  c->mode = (enum rounding)mode;
  c->relu = modifiers_take(&modifiers, "relu");
  c->saturate_finite = modifiers_take(&modifiers, "satfinite");
  if (!finite_is_right(form, c->saturate_finite, c->mode))
    return decode_error(d, in, ".satfinite is %s here", c->saturate_finite ? "not allowed" : "required");
  modifiers_take(&modifiers, form->to);
  modifiers_take(&modifiers, form->from);
  if (!modifiers_all_taken(d, &modifiers)) return false;
  op->execute = form->execute;
  op->kind = PTX_F32;
  op->extra = c;
  return decode_places(d, in, op, form->shape);
}

// cvt.pack.sat.convertType.s32{.b32} d, a, b{, c}
bool decode_cvt_pack(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const types[] = {"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2", NULL};
  static const uint8_t widths[] = {16, 8, 4, 2};
  struct modifiers modifiers = modifiers_of(in);
  bool right = modifiers_take(&modifiers, "pack") && modifiers_take(&modifiers, "sat");
  int type = modifiers_take_one_of(&modifiers, types);
  bool third = type >= 2;
  right =
      right && type >= 0 && modifiers_take(&modifiers, "s32") && modifiers_take(&modifiers, "b32") == third;
  if (!modifiers_all_taken(d, &modifiers)) return false;
  if (!right)
    return decode_error(d, in, "cvt.pack is .sat.type.s32, with .b32 and a fourth operand below 16 bits");
  if (!arithmetic_operand_count(d, in, third ? 4 : 3)) return false;
  op->execute = warp_convert_pack;
  op->width = widths[type / 2];
  op->flags = type & 1;
  op->d = decode_destination(d, &in->operands[0], PTX_B32);
  op->a = decode_source(d, &in->operands[1], PTX_S32);
  op->b = decode_source(d, &in->operands[2], PTX_S32);
  if (third) op->c = decode_source(d, &in->operands[3], PTX_B32);
  if (decode_failed(d)) return false;
  return op->d != OP_NO_REGISTER || decode_error(d, in, "it needs a register as its destination");
}
