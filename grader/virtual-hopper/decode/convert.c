// Decodes cvt between integers and floating-point formats, PTX ISA 9.7.9.21. A conversion is a chain of
// steps: flush, convert, saturate, extend. Each step is an op. Every step except the last writes a scratch
// register.
#include "virtual-hopper/decode/convert.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/decode/arithmetic.h"
#include "virtual-hopper/execute/convert.h"

static const char *const float_roundings[] = {"rn", "rz", "rm", "rp", NULL}; // as in enum rounding
static const char *const integer_roundings[] = {"rni", "rzi", "rmi", "rpi", NULL};
static const struct arithmetic_handler *const tables[] = {
    warp_convert_integer_handlers, warp_convert_float_handlers, warp_convert_truncate_handlers, NULL};

enum { MOST_STEPS = 6 };
struct conversion {
  struct decoder *d;
  const struct ptx_instruction *in;
  enum ptx_type to, from;
  int rounding, integral; // index in float_roundings, index in integer_roundings; -1: not given
  bool flush, saturate;
  struct step {
    op_execute *execute;
    size_t bytes; // size of the result register per lane
    uint8_t kind, flags;
    const void *extra;
  } steps[MOST_STEPS];
  uint32_t count;
};

static bool is_integer(enum ptx_type type) {
  return type >= PTX_U8 && type <= PTX_S64;
}
static bool is_signed(enum ptx_type type) {
  return type >= PTX_S8 && type <= PTX_S64;
}
static bool is_float(enum ptx_type type) {
  return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}
static size_t storage(enum ptx_type type) {
  return ptx_type_size(type) == 8 ? 8 : 4;
}

// Appends the step whose handler has this name and type in the tables. The step rounds in the mode
// `rounding`.
static bool add_named(struct conversion *c, const char *name, enum ptx_type type, int rounding) {
  for (const struct arithmetic_handler *const *table = tables; *table; table++) {
    for (const struct arithmetic_handler *row = *table; row->name; row++) {
      if (row->type != type || strcmp(row->name, name) != 0) continue;
      struct op rounded = {.execute = row->execute};
      if (rounding > 0) arithmetic_round(c->d, &rounded, (enum rounding)rounding);
      c->steps[c->count++] =
          (struct step){.execute = rounded.execute, .bytes = storage(type), .extra = rounded.extra};
      return true;
    }
  }
  return decode_error(c->d, c->in, "this device doesn't know a conversion from %s to .%s", name,
                      ptx_type_name(type));
}

static bool add_small(struct conversion *c) {
  struct small_conversion *small = decode_allocate(c->d, sizeof *small);
  small->to = c->to == PTX_F16 ? &format_f16 : &format_bf16;
  small->mode = (enum rounding)c->rounding;
  c->steps[c->count++] =
      (struct step){.execute = warp_convert_small, .bytes = 4, .kind = (uint8_t)c->from, .extra = small};
  return true;
}

static bool integer_to_integer(struct conversion *c) {
  if (c->rounding >= 0 || c->integral >= 0 || c->flush)
    return decode_error(c->d, c->in, "rounding and .ftz have no meaning between integers");
  if (!c->saturate) return add_named(c, ptx_type_name(c->from), c->to, -1);
  c->steps[c->count++] = (struct step){.execute = warp_convert_saturate,
                                       .bytes = storage(c->to),
                                       .kind = (uint8_t)c->from,
                                       .flags = (uint8_t)c->to};
  return true;
}

static bool integer_to_float(struct conversion *c) {
  if (c->rounding < 0 || c->integral >= 0)
    return decode_error(c->d, c->in, "it needs a rounding mode (.rn, .rz, .rm or .rp)");
  bool small = c->to == PTX_F16 || c->to == PTX_BF16;
  if (small ? !add_small(c) : !add_named(c, ptx_type_name(c->from), c->to, c->rounding)) return false;
  return !c->saturate || add_named(c, "saturate", c->to, -1);
}

// .sat changes nothing: this conversion always saturates. .ftz matters only when a subnormal number would be
// rounded away from zero.
static bool float_to_integer(struct conversion *c) {
  char name[16];
  if (c->integral < 0 || c->rounding >= 0)
    return decode_error(c->d, c->in, "it needs an integer rounding mode (.rni, .rzi, .rmi or .rpi)");
  if (c->flush && c->from == PTX_F32 && !add_named(c, "flush", PTX_F32, -1)) return false;
  enum ptx_type from = c->from == PTX_F64 ? PTX_F64 : PTX_F32;
  if (from != c->from && !add_named(c, ptx_type_name(c->from), PTX_F32, -1)) return false;
  snprintf(name, sizeof name, "%s.%s", ptx_type_name(from), integer_roundings[c->integral]);
  return add_named(c, name, c->to, -1);
}

static bool float_to_float(struct conversion *c) {
  char name[16];
  bool small = c->to == PTX_F16 || c->to == PTX_BF16;
  bool narrows = c->to != c->from && (small || (c->to == PTX_F32 && c->from == PTX_F64));
  // a rounding mode is allowed here, but this conversion is exact
  if (c->from == PTX_BF16 && !narrows) c->rounding = -1;
  if (small && c->from != PTX_F32 && c->from != PTX_F64 && narrows && c->rounding < 0)
    c->rounding = ROUND_NEAREST;
  if (narrows != (c->rounding >= 0))
    return decode_error(
        c->d, c->in, narrows ? "it needs a rounding mode (.rn, .rz, .rm or .rp)" : "it has nothing to round");
  if (c->integral >= 0 && c->to != c->from)
    return decode_error(c->d, c->in, "integer rounding needs the same type on both sides");
  if (c->flush && c->from == PTX_F32 && !add_named(c, "flush", PTX_F32, -1)) return false;
  if (narrows && small && (c->from != PTX_F32 || c->rounding != ROUND_NEAREST)) {
    if (!add_small(c)) return false;
  } else {
    snprintf(name, sizeof name, "%s%s%s", ptx_type_name(c->from), c->integral >= 0 ? "." : "",
             c->integral >= 0 ? integer_roundings[c->integral] : "");
    if (!add_named(c, name, c->to, c->rounding)) return false;
  }
  if (c->saturate && !add_named(c, "saturate", c->to, -1)) return false;
  return !c->flush || c->to != PTX_F32 || add_named(c, "flush", PTX_F32, -1);
}

// When the destination register is wider than the type, appends a step that extends the result with zeros or
// with the sign, as the type is unsigned or signed (9.4.1). `written` receives the type that is written at
// the end.
static bool extend_to_register(struct conversion *c, enum ptx_type *written) {
  static const enum ptx_type unsigned_types[] = {PTX_U8, PTX_U16, PTX_U32, PTX_U64};
  static const enum ptx_type signed_types[] = {PTX_S8, PTX_S16, PTX_S32, PTX_S64};
  enum ptx_type declared = decode_register_type(c->d, &c->in->operands[0]);
  size_t have = ptx_type_size(c->to), want = declared == PTX_TYPE_NONE ? have : ptx_type_size(declared);
  *written = c->to;
  if (!is_integer(c->to) || want <= have) return true;
  for (unsigned i = 0; i < 4; i++) {
    if (want != 1u << i) continue;
    *written = is_signed(c->to) ? signed_types[i] : unsigned_types[i];
    return add_named(c, ptx_type_name(c->to), *written, -1);
  }
  return decode_error(c->d, c->in, "its destination is too wide");
}

static bool emit_steps(struct conversion *c, struct op *op, enum ptx_type written) {
  uint32_t source = decode_source(c->d, &c->in->operands[1], c->from);
  op->d = decode_destination(c->d, &c->in->operands[0], written);
  if (decode_failed(c->d)) return false;
  if (op->d == OP_NO_REGISTER) return decode_error(c->d, c->in, "it needs a register as its destination");
  for (uint32_t i = 0; i < c->count; i++) {
    const struct step *step = &c->steps[i];
    bool last = i + 1 == c->count;
    uint32_t destination = last ? op->d : decode_temporary(c->d, step->bytes);
    struct op *target = last ? op : decode_emit(c->d);
    target->execute = step->execute;
    target->d = destination;
    target->a = source;
    target->kind = step->kind;
    target->flags = step->flags;
    target->extra = step->extra;
    source = destination;
  }
  return true;
}

static bool decode_cvt(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers modifiers = modifiers_of(in);
  struct conversion c = {.d = d, .in = in};
  enum ptx_type written;
  c.rounding = modifiers_take_one_of(&modifiers, float_roundings);
  c.integral = modifiers_take_one_of(&modifiers, integer_roundings);
  c.flush = modifiers_take(&modifiers, "ftz");
  c.saturate = modifiers_take(&modifiers, "sat");
  c.to = modifiers_take_type(&modifiers);
  c.from = modifiers_take_type(&modifiers);
  if (!modifiers_all_taken(d, &modifiers) || !arithmetic_operand_count(d, in, 2)) return false;
  if (c.flush && c.to != PTX_F32 && c.from != PTX_F32)
    return decode_error(d, in, ".ftz has a meaning for .f32 alone");
  bool known = false;
  if (is_integer(c.to) && is_integer(c.from))
    known = integer_to_integer(&c);
  else if (is_float(c.to) && is_integer(c.from))
    known = integer_to_float(&c);
  else if (is_integer(c.to) && is_float(c.from))
    known = float_to_integer(&c);
  else if (is_float(c.to) && is_float(c.from))
    known = float_to_float(&c);
  else
    return decode_error(d, in, "this device doesn't know a conversion between these types");
  return known && extend_to_register(&c, &written) && emit_steps(&c, op, written);
}

bool decode_convert(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const struct {
    const char *opcode, *modifier; // NULL: any
    decode_family *family;
  } parts[] = {{"cvta", NULL, decode_cvta},
               {"isspacep", NULL, decode_isspacep},
               {"mapa", NULL, decode_mapa},
               {"getctarank", NULL, decode_getctarank},
               {"createpolicy", NULL, decode_createpolicy},
               {"cvt", "pack", decode_cvt_pack},
               {"cvt", "f16x2", decode_cvt_small},
               {"cvt", "bf16x2", decode_cvt_small},
               {"cvt", "e4m3x2", decode_cvt_small},
               {"cvt", "e5m2x2", decode_cvt_small},
               {"cvt", "tf32", decode_cvt_small},
               {"cvt", "relu", decode_cvt_small},
               {"cvt", "satfinite", decode_cvt_small},
               {"cvt", NULL, decode_cvt}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (strcmp(parts[i].opcode, in->opcode) != 0) continue;
    if (!parts[i].modifier || ptx_has_modifier(in, parts[i].modifier)) return parts[i].family(d, in, op);
  }
  return decode_error(d, in, "this device doesn't know the instruction");
}
