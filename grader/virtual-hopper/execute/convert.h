// The handlers of conversions. decode/convert.c puts the steps of a conversion together; the tables say what each step converts:
// `name` is the source type (and the integer rounding), `type` the result.
#ifndef VIRTUAL_HOPPER_WARP_CONVERT_H
#define VIRTUAL_HOPPER_WARP_CONVERT_H

#include "virtual-hopper/warp/float.h"
#include "virtual-hopper/warp/lanes.h"

extern const struct arithmetic_handler warp_convert_integer_handlers[], // between integers
    warp_convert_float_handlers[],    // to and from floating point, between the formats
    warp_convert_truncate_handlers[]; // floating point to integer: "f32.rzi" and so on

// Clamps an integer of type op->kind to the range of op->flags (both enum ptx_type) and converts it.
op_execute warp_convert_saturate;

// Rounding to a small format. `bits` of the result stand at the low end.
struct small_format {
  uint8_t exponent_bits, fraction_bits;
  bool has_infinity;
  uint32_t nan;      // the canonical one
  uint8_t low_zeros; // tf32 keeps a float's place: so many zero bits below its fraction
};
extern const struct small_format format_f16, format_bf16, format_tf32, format_e4m3, format_e5m2;

// op->extra of the handlers below.
struct small_conversion {
  const struct small_format *to;
  enum rounding mode;
  bool relu, saturate_finite, saturate; // saturate: to [0, 1]
};
// d = one value of the format; the source a is of the type in op->kind: F16, BF16, F32, F64 or an integer.
op_execute warp_convert_small;
// d = {a, b}: a in the upper half (of 16-bit or 8-bit elements); from two f32.
op_execute warp_convert_small_pair;
// From one f16x2, to two elements of 8 bits; and back from e4m3x2 and e5m2x2 to f16x2 (`to` names the source format there).
op_execute warp_convert_small_from_f16x2, warp_convert_small_to_f16x2;
// One value rounded to a format: what the handlers above do for each element.
uint32_t small_from_double(double value, const struct small_conversion *conversion);
// And back, of an 8-bit format (`to` names it): every value of theirs is one of f16.
uint32_t f16_from_small(uint32_t bits, const struct small_conversion *conversion);

// cvt.pack: a and b saturated to op->width bits (op->flags: signed), above them the low bits of c (when there is c).
op_execute warp_convert_pack;

#endif
