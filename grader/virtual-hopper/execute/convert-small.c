// Conversions to the small formats in any rounding mode: f16, bf16, tf32, e4m3, e5m2; and back from the 8-bit
// formats. PTX ISA 9.7.9.21. First the source becomes a double, exactly (for a 64-bit integer, a sticky bit
// stands for the lost bits). Then it is scaled so that the last place of the format is 1, and rounded there
// once. A NaN becomes the canonical NaN of the format, except where an H100 does otherwise (nan_kept).
#include "virtual-hopper/execute/convert.h"

#include <math.h>

const struct small_format format_f16 = {5, 10, true, 0x7fff, 0};
const struct small_format format_bf16 = {8, 7, true, 0x7fff, 0};
const struct small_format format_tf32 = {8, 10, true, 0x3ffff, 13};
const struct small_format format_e4m3 = {4, 3, false, 0x7f, 0};
const struct small_format format_e5m2 = {5, 2, true, 0x7f, 0};

// Returns the lowest pattern that is above all finite values: infinity, or the NaN in a format without
// infinity.
static uint32_t first_beyond(const struct small_format *f) {
  uint32_t all_ones = ((1u << f->exponent_bits) - 1) << f->fraction_bits;
  return f->has_infinity ? all_ones : all_ones | ((1u << f->fraction_bits) - 1);
}

// Returns true when rounding adds one in the last place.
static bool rounds_up(double rest, bool odd, bool negative, enum rounding mode) {
  switch (mode) {
  case ROUND_NEAREST: return rest > 0.5 || (rest == 0.5 && odd);
  case ROUND_NEAREST_AWAY: return rest >= 0.5;
  case ROUND_DOWN: return negative && rest > 0;
  case ROUND_UP: return !negative && rest > 0;
  default: return false;
  }
}

static uint32_t magnitude_bits(double magnitude, bool negative, const struct small_conversion *c) {
  const struct small_format *f = c->to;
  uint32_t beyond = first_beyond(f);
  bool finite_limit =
      c->mode == ROUND_ZERO || (c->mode == ROUND_DOWN && !negative) || (c->mode == ROUND_UP && negative);
  if (isinf(magnitude)) return c->saturate_finite ? beyond - 1 : beyond;
  int least = 2 - (1 << (f->exponent_bits - 1)); // the least exponent of normal numbers
  // That of 0, and of what is no normal double, is far below the least.
  int exponent = (int)(double_to_bits(magnitude) >> 52) - 1023;
  if (exponent < least) exponent = least;
  // Far out of range: the scaled value only has to be too large.
  if (exponent > -least + 2) exponent = -least + 2;
  // Times a power of two, which is exact.
  double scaled = magnitude * double_from_bits((uint64_t)(f->fraction_bits - exponent + 1023) << 52);
  const uint32_t limit = UINT32_C(1) << 31;
  uint32_t last = scaled >= limit ? limit : (uint32_t)scaled;
  if (rounds_up(scaled - last, last & 1, negative, c->mode)) last++;
  uint64_t bits = ((uint64_t)(exponent - least) << f->fraction_bits) + last;
  if (bits < beyond) return (uint32_t)bits;
  return c->saturate_finite || finite_limit ? beyond - 1 : beyond;
}

uint32_t small_from_double(double value, const struct small_conversion *c) {
  const struct small_format *f = c->to;
  if (c->saturate) value = double_saturate(value);
  if (isnan(value)) return f->nan << f->low_zeros;
  bool negative = signbit(value);
  if (c->relu && negative) return 0;
  uint32_t sign = negative ? 1u << (f->exponent_bits + f->fraction_bits) : 0;
  return (sign | magnitude_bits(fabs(value), negative, c)) << f->low_zeros;
}

// From 2^53 on, a double can't hold all bits. The last bit that fits is set when any lost bit was set. That
// doesn't change the result of a later rounding to fewer bits.
static double sticky_double(uint64_t magnitude) {
  if (magnitude >> 53 == 0) return (double)magnitude;
  return (double)(magnitude >> 11 | ((magnitude & 0x7ff) != 0)) * 0x1p11;
}

static uint64_t source_bits(const struct warp *w, uint32_t offset, enum ptx_type type, uint32_t lane) {
  bool wide = type == PTX_U64 || type == PTX_S64 || type == PTX_F64;
  return wide ? warp_register64(w, offset)[lane] : warp_register32(w, offset)[lane];
}
static double source_value(uint64_t bits, enum ptx_type type) {
  switch (type) {
  case PTX_U8: return (uint8_t)bits;
  case PTX_S8: return (int8_t)bits;
  case PTX_U16: return (uint16_t)bits;
  case PTX_S16: return (int16_t)bits;
  case PTX_U32: return (uint32_t)bits;
  case PTX_S32: return (int32_t)bits;
  case PTX_U64: return sticky_double(bits);
  case PTX_S64: return (int64_t)bits < 0 ? -sticky_double(0 - bits) : sticky_double(bits);
  case PTX_F16: return half_to_float((uint32_t)bits & 0xffffu);
  case PTX_BF16: return bfloat_to_float((uint32_t)bits & 0xffffu);
  case PTX_F32: return float_from_bits((uint32_t)bits);
  default: return double_from_bits(bits);
  }
}

// NaNs for which PTX doesn't define the result; this is what an H100 does. cvt.rna.tf32 cuts the bits of a
// NaN like those of a number, even if infinity is left; .satfinite then subtracts one in the last place, as
// it does for infinity. An f64 NaN that is narrowed becomes quiet and keeps its sign and the upper part of
// its payload.
static bool nan_kept(uint64_t bits, enum ptx_type type, const struct small_conversion *c, uint32_t *kept) {
  if (type == PTX_F32 && c->mode == ROUND_NEAREST_AWAY && (bits & 0x7fffffffu) > 0x7f800000u) {
    uint32_t places = (uint32_t)bits >> c->to->low_zeros;
    *kept = (c->saturate_finite ? places - 1 : places) << c->to->low_zeros;
    return true;
  }
  if (type != PTX_F64 || (bits & INT64_MAX) <= 0x7ff0000000000000ull) return false;
  uint32_t fraction = (uint32_t)(bits >> (52 - c->to->fraction_bits)) & ((1u << c->to->fraction_bits) - 1);
  *kept = (uint32_t)(bits >> 63) << 15 | first_beyond(c->to) | 1u << (c->to->fraction_bits - 1) | fraction;
  return true;
}

#define EACH_LANE(lane) \
  for (uint32_t left = w->lanes, lane; left && (lane = (uint32_t)__builtin_ctz(left), true); left &= left - 1)

void warp_convert_small(struct warp *w, const struct op *op) {
  enum ptx_type type = (enum ptx_type)op->kind;
  EACH_LANE(lane) {
    uint64_t bits = source_bits(w, op->a, type, lane);
    uint32_t *d = &warp_register32(w, op->d)[lane];
    if (!nan_kept(bits, type, op->extra, d)) *d = small_from_double(source_value(bits, type), op->extra);
  }
}

void warp_convert_small_pair(struct warp *w, const struct op *op) {
  const struct small_conversion *c = op->extra;
  uint32_t bits = 1 + c->to->exponent_bits + c->to->fraction_bits;
  EACH_LANE(lane) {
    uint32_t high = small_from_double(float_from_bits(warp_register32(w, op->a)[lane]), c);
    uint32_t low = small_from_double(float_from_bits(warp_register32(w, op->b)[lane]), c);
    warp_register32(w, op->d)[lane] = high << bits | low;
  }
}

void warp_convert_small_from_f16x2(struct warp *w, const struct op *op) {
  EACH_LANE(lane) {
    uint32_t a = warp_register32(w, op->a)[lane];
    uint32_t high = small_from_double(half_to_float(a >> 16), op->extra);
    uint32_t low = small_from_double(half_to_float(a & 0xffffu), op->extra);
    warp_register32(w, op->d)[lane] = high << 8 | low;
  }
}

uint32_t f16_from_small(uint32_t bits, const struct small_conversion *c) {
  const struct small_format *f = c->to;
  uint32_t magnitude = bits & 0x7f, beyond = first_beyond(f),
           fraction = magnitude & ((1u << f->fraction_bits) - 1);
  if (magnitude > beyond || (magnitude == beyond && !f->has_infinity)) return HALF_CANONICAL_NAN;
  uint32_t sign = (bits & 0x80) << 8, exponent = magnitude >> f->fraction_bits;
  if (c->relu && sign) return 0;
  if (magnitude == beyond) return sign | 0x7c00;
  int bias = (1 << (f->exponent_bits - 1)) - 1;
  double value = exponent ? ldexp((1 << f->fraction_bits) + fraction, (int)exponent - bias - f->fraction_bits)
                          : ldexp(fraction, 1 - bias - f->fraction_bits);
  return sign | half_from_float((float)value);
}

void warp_convert_small_to_f16x2(struct warp *w, const struct op *op) {
  EACH_LANE(lane) {
    uint32_t a = warp_register32(w, op->a)[lane];
    warp_register32(w, op->d)[lane] =
        f16_from_small(a >> 8 & 0xff, op->extra) << 16 | f16_from_small(a & 0xff, op->extra);
  }
}
