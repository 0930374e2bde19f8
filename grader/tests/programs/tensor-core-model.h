// In: the bits of a row of A, of a column of B and of an accumulator. Out: the bits that a tensor core makes
// of them. The idea: exact products, cut off towards zero behind `guard` fraction bits of the largest term,
// added to the accumulator at once, rounded once (arXiv 2511.10909). This model stands on its own: it shares
// nothing with the device.
#ifndef TMA_LAB_TESTS_TENSOR_CORE_MODEL_H
#define TMA_LAB_TESTS_TENSOR_CORE_MODEL_H

#include "self-check.h"

enum element { F16, BF16, TF32, E4M3, E5M2, F32, S8, U8, B1, ELEMENTS }; // the model has the floats

// ---- numbers ----------------------------------------------------------------------------------------------

struct format {
  int exponent_bits, fraction_bits, low_zeros;
  bool infinities;
};
static format format_of(element type) {
  static const format all[] = {{5, 10, 0, true}, {8, 7, 0, true}, {8, 10, 13, true},
                               {4, 3, 0, false}, {5, 2, 0, true}, {8, 23, 0, true}};
  return all[type];
}

struct number { // significand * 2^(exponent - fraction bits of its type)
  enum { FINITE, INFINITE, NOT } kind;
  bool negative;
  uint64_t significand;
  int exponent;
};

static number decode(element type, uint32_t bits) {
  const format f = format_of(type);
  bits >>= f.low_zeros;
  const uint32_t most = (1u << f.exponent_bits) - 1, fraction = bits & ((1u << f.fraction_bits) - 1);
  const uint32_t exponent = bits >> f.fraction_bits & most;
  number n = {number::FINITE, (bits >> (f.fraction_bits + f.exponent_bits) & 1) != 0, fraction, 0};
  n.exponent = static_cast<int>(exponent ? exponent : 1) - static_cast<int>(most >> 1);
  if (exponent) n.significand |= 1u << f.fraction_bits;
  if (exponent == most && f.infinities) n.kind = fraction ? number::NOT : number::INFINITE;
  if (exponent == most && !f.infinities && fraction == (1u << f.fraction_bits) - 1) n.kind = number::NOT;
  if (!n.significand) n.exponent = -126;
  return n;
}

// The largest power of two in it.
static int top_bit(uint64_t value) {
  return 63 - __builtin_clzll(value);
}

// magnitude * 2^scale as f32, cut off behind `kept` fraction bits.
static uint32_t cut_off(bool negative, uint64_t magnitude, int scale, int kept) {
  const uint32_t sign = negative ? 0x80000000u : 0;
  if (!magnitude) return 0;
  const int exponent = top_bit(magnitude) + scale;
  if (exponent > 127) return sign | 0x7f800000u;
  const int unit = (exponent < -126 ? -126 : exponent) - kept, down = unit - scale;
  const uint64_t steps = down >= 64 ? 0 : down > 0 ? magnitude >> down : magnitude << -down;
  const uint32_t shifted = static_cast<uint32_t>(steps) << (23 - kept);
  if (!shifted) return 0;
  return sign |
         (exponent < -126 ? shifted : (static_cast<uint32_t>(exponent + 127) << 23) + (shifted & 0x7fffff));
}

// As f16, to nearest even.
static uint32_t to_nearest(bool negative, uint64_t magnitude, int scale) {
  const uint32_t sign = negative ? 0x8000 : 0;
  if (!magnitude) return 0;
  const int exponent = top_bit(magnitude) + scale, unit = (exponent < -14 ? -14 : exponent) - 10;
  const int down = unit - scale;
  uint64_t steps = down >= 64 ? 0 : down > 0 ? magnitude >> down : magnitude << -down;
  if (down > 0 && down < 64) {
    const uint64_t rest = magnitude & ((1ull << down) - 1), half = 1ull << (down - 1);
    if (rest > half || (rest == half && (steps & 1))) steps++;
  }
  // a carry goes on into the exponent
  const uint64_t bits = exponent < -14 ? steps : (static_cast<uint64_t>(exponent + 15) << 10) + steps - 1024;
  if (!bits) return 0; // an H100 makes +0 of a negative sum that is too small
  return sign | static_cast<uint32_t>(exponent > 15 || bits >= 0x7c00 ? 0x7c00 : bits);
}

// ---- the model --------------------------------------------------------------------------------------------

struct form {
  element a, b;
  bool half_sums;
  uint32_t depth; // of A as it is stored: a sparse one is multiplied with twice as many elements of B
  int guard, kept;
};

struct aligned_sum {
  int64_t sum;
  int exponent;
};

static void add_aligned(aligned_sum &s, bool negative, uint64_t significand, int fraction, int exponent,
                        int guard) {
  const int down = s.exponent - exponent + fraction - guard;
  const uint64_t cut = down >= 64 ? 0 : down > 0 ? significand >> down : significand << -down;
  s.sum += negative ? -static_cast<int64_t>(cut) : static_cast<int64_t>(cut);
}

static uint32_t model(const form &f, const uint32_t *a, const uint32_t *b, uint32_t c_bits) {
  const number c = decode(f.half_sums ? F16 : F32, c_bits);
  const int c_fraction = f.half_sums ? 10 : 23;
  const int fraction = format_of(f.a).fraction_bits + format_of(f.b).fraction_bits;
  bool nan = c.kind == number::NOT, plus = c.kind == number::INFINITE && !c.negative,
       minus = c.kind == number::INFINITE && c.negative;
  aligned_sum s = {0, c.exponent};
  for (uint32_t k = 0; k < f.depth; k++) {
    const number x = decode(f.a, a[k]), y = decode(f.b, b[k]);
    const bool infinite = x.kind == number::INFINITE || y.kind == number::INFINITE;
    const bool zero =
        (x.kind == number::FINITE && !x.significand) || (y.kind == number::FINITE && !y.significand);
    nan = nan || x.kind == number::NOT || y.kind == number::NOT || (infinite && zero);
    if (infinite && !zero) (x.negative != y.negative ? minus : plus) = true;
    if (x.exponent + y.exponent > s.exponent) s.exponent = x.exponent + y.exponent;
  }
  if (nan || (plus && minus)) return f.half_sums ? 0x7fff : 0x7fffffff;
  if (plus || minus)
    return (f.half_sums ? 0x7c00u : 0x7f800000u) | (minus ? f.half_sums ? 0x8000u : 0x80000000u : 0);
  add_aligned(s, c.negative, c.significand, c_fraction, c.exponent, f.guard);
  for (uint32_t k = 0; k < f.depth; k++) {
    const number x = decode(f.a, a[k]), y = decode(f.b, b[k]);
    add_aligned(s, x.negative != y.negative, x.significand * y.significand, fraction, x.exponent + y.exponent,
                f.guard);
  }
  const bool negative = s.sum < 0;
  const uint64_t magnitude = static_cast<uint64_t>(negative ? -s.sum : s.sum);
  return f.half_sums ? to_nearest(negative, magnitude, s.exponent - f.guard)
                     : cut_off(negative, magnitude, s.exponent - f.guard, f.kept);
}

// ---- elements ---------------------------------------------------------------------------------------------

enum kind { ORDINARY, WIDE, SUBNORMAL, HUGE, SPECIAL, KINDS };

// ORDINARY: exponents near 0; WIDE: any finite number; SUBNORMAL: those and small ones; HUGE: the largest
// exponents; SPECIAL: infinities and NaN among zeros and ordinary numbers.
static uint32_t draw(random_numbers &random, element type, kind k) {
  const format f = format_of(type);
  const uint32_t most = (1u << f.exponent_bits) - 1, bias = most >> 1, top = f.infinities ? most - 1 : most;
  const uint32_t fraction = random.next() & ((1u << f.fraction_bits) - 1), sign = random.next() & 1;
  uint32_t exponent = bias - 2 + random.next() % 5, part = fraction;
  if (k == WIDE) exponent = 1 + random.next() % (top - 1);
  if (k == SUBNORMAL) exponent = random.next() % 3 ? 0 : random.next() % 4;
  if (k == HUGE) exponent = top - random.next() % 2;
  if (k == SPECIAL && random.next() % 24 == 0) exponent = most, part = random.next() % 2 ? 0 : fraction;
  if (k == SPECIAL && random.next() % 8 == 0) exponent = part = 0;
  // the largest pattern of e4m3 is NaN, which only SPECIAL wants
  if (!f.infinities && exponent == most && k != SPECIAL) part &= ~1u;
  return (sign << (f.exponent_bits + f.fraction_bits) | exponent << f.fraction_bits | part) << f.low_zeros;
}

#endif
