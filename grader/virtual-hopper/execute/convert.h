// The handlers of conversions. decode/convert.c puts the steps of a conversion together. The tables say what
// each step converts: `name` is the source type (and the integer rounding), `type` is the type of the result.
#ifndef VIRTUAL_HOPPER_EXECUTE_CONVERT_H
#define VIRTUAL_HOPPER_EXECUTE_CONVERT_H

#include "virtual-hopper/execute/float.h"
#include "virtual-hopper/execute/lanes.h"

extern const struct arithmetic_handler warp_convert_integer_handlers[], // from integer to integer
    warp_convert_float_handlers[],    // to and from floating point, between the formats
    warp_convert_truncate_handlers[]; // floating point to integer: "f32.rzi" and so on

// Clamps an integer of type op->kind to the range of op->flags (both enum ptx_type) and converts it.
op_execute warp_convert_saturate;

// A small format to round to. The result stands in the low bits.
struct small_format {
  uint8_t exponent_bits, fraction_bits;
  bool has_infinity;
  uint32_t nan;      // the canonical NaN
  uint8_t low_zeros; // how many zero bits follow the fraction; tf32 stands in the upper bits of a float
};
extern const struct small_format format_f16, format_bf16, format_tf32, format_e4m3, format_e5m2;

// op->extra of the handlers below.
struct small_conversion {
  const struct small_format *to;
  enum rounding mode;
  bool relu, saturate_finite, saturate; // saturate: to [0, 1]
};
// d = one value of the format. op->kind is the type of the source a: F16, BF16, F32, F64 or an integer.
op_execute warp_convert_small;
// d = {a, b}, with a in the upper half. The sources are f32, the elements of d have 16 or 8 bits.
op_execute warp_convert_small_pair;
// From one f16x2 to two elements of 8 bits. And back, from e4m3x2 or e5m2x2 to f16x2; for this direction `to`
// is the format of the source.
op_execute warp_convert_small_from_f16x2, warp_convert_small_to_f16x2;
// Returns one value rounded to a format. The handlers above do this for each element.
uint32_t small_from_double(double value, const struct small_conversion *conversion);
// Returns the f16 value of `bits`, which are in an 8-bit format (`to`). f16 has every value of these formats.
uint32_t f16_from_small(uint32_t bits, const struct small_conversion *conversion);

// cvt.pack: a and b are saturated to op->width bits (op->flags: signed). Above them stand the low bits of c,
// if the instruction has c.
op_execute warp_convert_pack;

#endif
