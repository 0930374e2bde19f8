// f16 and bf16 arithmetic is checked against sums and products that are exact in 113 bits. The expected value
// is rounded by searching the format's own values.
#include "arithmetic-harness.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define H            KIND_HALF
#define HH           KIND_HALVES
#define B            KIND_BFLOAT
#define BB           KIND_BFLOATS
#define NAN16        0x7fffu

struct format {
  int exponent_bits, fraction_bits;
};
static const struct format half = {5, 10}, bfloat = {8, 7};

// Returns the value of a pattern, from the definition of the format.
static double value_of(struct format f, uint64_t bits) {
  uint64_t magnitude = bits & 0x7fff, fraction = magnitude & ((1u << f.fraction_bits) - 1);
  int exponent = (int)(magnitude >> f.fraction_bits), bias = (1 << (f.exponent_bits - 1)) - 1;
  double value = exponent == 2 * bias + 1 ? (fraction ? NAN : INFINITY)
                 : exponent
                     ? ldexp((double)(fraction + (1u << f.fraction_bits)), exponent - bias - f.fraction_bits)
                     : ldexp((double)fraction, 1 - bias - f.fraction_bits);
  return bits & 0x8000 ? -value : value;
}
static bool is_nan(struct format f, uint64_t bits) {
  return isnan(value_of(f, bits));
}

// Returns the value of the format that is nearest to exact + error. The error is far smaller than `exact`.
// Ties go to even patterns.
static uint64_t round_to(struct format f, __float128 exact, __float128 error) {
  if (exact != exact) return NAN16;
  bool negative = exact < 0 || (exact == 0 && signbit((double)exact));
  __float128 magnitude = negative ? -exact : exact;
  uint64_t sign = negative ? 0x8000 : 0, infinity = ((1u << f.exponent_bits) - 1) << f.fraction_bits;
  if (negative) error = -error;
  uint64_t low = 0, high = infinity; // value(low) <= magnitude < value(high)
  if (magnitude > 1e300) return sign | infinity;
  while (high - low > 1) {
    uint64_t middle = (low + high) / 2;
    if (value_of(f, middle) <= magnitude)
      low = middle;
    else
      high = middle;
  }
  __float128 below = value_of(f, low),
             above = high == infinity ? below + (below - value_of(f, low - 1)) : value_of(f, high);
  __float128 middle = (below + above) / 2;
  bool up = magnitude > middle || (magnitude == middle && (error > 0 || (error == 0 && (low & 1))));
  return sign | (up ? high : low);
}

static uint64_t sum(struct format f, __float128 a, __float128 b) {
  __float128 s = a + b, part = s - a, error = (a - (s - part)) + (b - part);
  return round_to(f, s, s - s == 0 ? error : 0);
}
static uint64_t fused(struct format f, uint64_t a, uint64_t b, uint64_t c) {
  return sum(f, (__float128)value_of(f, a) * value_of(f, b), value_of(f, c));
}
static uint64_t flush(uint64_t x) {
  return (x & 0x7c00) == 0 ? x & 0x8000 : x;
}
static uint64_t relu(uint64_t x) {
  return x == NAN16 ? x : x & 0x8000 ? 0 : x;
}
static uint64_t saturate(uint64_t x) {
  return x == NAN16 || x & 0x8000 ? 0 : x > 0x3c00 ? 0x3c00 : x;
}
static uint64_t lesser(struct format f, uint64_t x, uint64_t y, bool greatest, bool nan_wins) {
  if (is_nan(f, x) || is_nan(f, y)) {
    if (nan_wins || (is_nan(f, x) && is_nan(f, y))) return NAN16;
    return is_nan(f, x) ? y : x;
  }
  double a = value_of(f, x), b = value_of(f, y);
  bool first = a < b || (a == b && signbit(a));
  return first != greatest ? x : y;
}
static uint64_t negative(struct format f, uint64_t x) {
  return is_nan(f, x) ? NAN16 : x ^ 0x8000;
}

#define FORMULA(name, expression)                                                                         \
  static uint64_t name##_one(uint64_t a, uint64_t b, uint64_t c) {                                        \
    (void)b, (void)c;                                                                                     \
    return expression;                                                                                    \
  }                                                                                                       \
  static uint64_t name(const uint64_t in[4]) {                                                            \
    return name##_one(in[0] & 0xffff, in[1] & 0xffff, in[2] & 0xffff);                                    \
  }                                                                                                       \
  static uint64_t name##_pair(const uint64_t in[4]) {                                                     \
    return name(in) | name##_one(in[0] >> 16 & 0xffff, in[1] >> 16 & 0xffff, in[2] >> 16 & 0xffff) << 16; \
  }
FORMULA(add_f16, sum(half, value_of(half, a), value_of(half, b)))
FORMULA(sub_f16, sum(half, value_of(half, a), -value_of(half, b)))
FORMULA(mul_f16, round_to(half, (__float128)value_of(half, a) * value_of(half, b), 0))
FORMULA(fma_f16, fused(half, a, b, c))
FORMULA(fma_f16_relu, relu(fused(half, a, b, c)))
FORMULA(fma_f16_sat, saturate(fused(half, a, b, c)))
FORMULA(add_f16_ftz, flush(add_f16_one(flush(a), flush(b), 0)))
FORMULA(add_bf16, sum(bfloat, value_of(bfloat, a), value_of(bfloat, b)))
FORMULA(sub_bf16, sum(bfloat, value_of(bfloat, a), -value_of(bfloat, b)))
FORMULA(mul_bf16, round_to(bfloat, (__float128)value_of(bfloat, a) * value_of(bfloat, b), 0))
FORMULA(fma_bf16, fused(bfloat, a, b, c))
FORMULA(fma_bf16_relu, relu(fused(bfloat, a, b, c)))
FORMULA(min_f16, lesser(half, a, b, false, false))
FORMULA(max_f16_nan, lesser(half, a, b, true, true))
FORMULA(max_bf16, lesser(bfloat, a, b, true, false))
FORMULA(min_bf16_xor, is_nan(bfloat, a) && is_nan(bfloat, b)
                          ? NAN16
                          : lesser(bfloat, a & 0x7fff, b & 0x7fff, false, false) | ((a ^ b) & 0x8000))
FORMULA(neg_f16, negative(half, a))
FORMULA(neg_bf16, negative(bfloat, a))
FORMULA(abs_f16, is_nan(half, a) ? NAN16 : a & 0x7fff)

static const struct {
  const char *code;
  enum arithmetic_kind kinds[4];
  arithmetic_reference *reference;
} formulas[] = {
    {"add.f16 %h0, %h1, %h2;", {H, H}, add_f16},
    {"add.rn.f16x2 %r0, %r1, %r2;", {HH, HH}, add_f16_pair},
    {"add.ftz.f16 %h0, %h1, %h2;", {H, H}, add_f16_ftz},
    {"sub.f16x2 %r0, %r1, %r2;", {HH, HH}, sub_f16_pair},
    {"mul.f16 %h0, %h1, %h2;", {H, H}, mul_f16},
    {"mul.f16x2 %r0, %r1, %r2;", {HH, HH}, mul_f16_pair},
    {"fma.rn.f16 %h0, %h1, %h2, %h3;", {H, H, H}, fma_f16},
    {"fma.rn.f16x2 %r0, %r1, %r2, %r3;", {HH, HH, HH}, fma_f16_pair},
    {"fma.rn.relu.f16 %h0, %h1, %h2, %h3;", {H, H, H}, fma_f16_relu},
    {"fma.rn.sat.f16x2 %r0, %r1, %r2, %r3;", {HH, HH, HH}, fma_f16_sat_pair},
    {"add.bf16 %h0, %h1, %h2;", {B, B}, add_bf16},
    {"sub.rn.bf16x2 %r0, %r1, %r2;", {BB, BB}, sub_bf16_pair},
    {"mul.bf16 %h0, %h1, %h2;", {B, B}, mul_bf16},
    {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {B, B, B}, fma_bf16},
    {"fma.rn.bf16x2 %r0, %r1, %r2, %r3;", {BB, BB, BB}, fma_bf16_pair},
    {"fma.rn.relu.bf16 %h0, %h1, %h2, %h3;", {B, B, B}, fma_bf16_relu},
    {"min.f16 %h0, %h1, %h2;", {H, H}, min_f16},
    {"max.NaN.f16x2 %r0, %r1, %r2;", {HH, HH}, max_f16_nan_pair},
    {"max.bf16x2 %r0, %r1, %r2;", {BB, BB}, max_bf16_pair},
    {"min.xorsign.abs.bf16 %h0, %h1, %h2;", {B, B}, min_bf16_xor},
    {"neg.f16 %h0, %h1;", {H}, neg_f16},
    {"neg.bf16x2 %r0, %r1;", {BB}, neg_bf16_pair},
    {"abs.f16 %h0, %h1;", {H}, abs_f16},
    {"fma.rn.relu.f16x2 %r0, %r1, %r2, %r3;", {HH, HH, HH}, fma_f16_relu_pair},
    {"add.ftz.f16x2 %r0, %r1, %r2;", {HH, HH}, add_f16_ftz_pair},
    {"add.bf16x2 %r0, %r1, %r2;", {BB, BB}, add_bf16_pair},
    {"mul.bf16x2 %r0, %r1, %r2;", {BB, BB}, mul_bf16_pair},
    {"fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;", {BB, BB, BB}, fma_bf16_relu_pair},
    {"min.f16x2 %r0, %r1, %r2;", {HH, HH}, min_f16_pair},
    {"min.xorsign.abs.bf16x2 %r0, %r1, %r2;", {BB, BB}, min_bf16_xor_pair},
    {"neg.f16x2 %r0, %r1;", {HH}, neg_f16_pair},
    {"abs.f16x2 %r0, %r1;", {HH}, abs_f16_pair},
};
static void test_formulas(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(formulas); i++)
    check_reference(formulas[i].code, formulas[i].kinds, formulas[i].reference);
}

// A product and a sum that rounding twice would get wrong: 1 + 2^-11 is a tie in f16, and a tiny addend
// breaks the tie.
static const struct arithmetic_row edges[] = {
    {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x1000, 0x3c00, 0x3c00}, 0x3c00},
    {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x1001, 0x3c00, 0x3c00}, 0x3c01},
    {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x9001, 0x3c00, 0x3c02}, 0x3c01},
    // 2^-31 below a tie between odd and even
    {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x3c01, 0x0ffe, 0x3c01}, 0x3c01},
    {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0xbc01, 0x0ffe, 0xbc01}, 0xbc01},
    {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x3b81, 0x3f80, 0x3f80}, 0x3f81},
    {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x3b80, 0x3f80, 0x3f80}, 0x3f80},
    {"mul.f16 %h0, %h1, %h2;", {0x0001, 0x3800}, 0},
    {"mul.f16 %h0, %h1, %h2;", {0x0003, 0x3800}, 2},
    {"mul.bf16 %h0, %h1, %h2;", {0x0003, 0x3f00}, 2},
    {"add.f16 %h0, %h1, %h2;", {0x7bff, 0x4c00}, 0x7c00},
    {"add.f16 %h0, %h1, %h2;", {0x7bff, 0x4bff}, 0x7bff},
    {"add.sat.f16 %h0, %h1, %h2;", {0x7e00, 0}, 0},
    {"add.ftz.sat.f16x2 %r0, %r1, %r2;", {0x40000001, 0}, 0x3c000000},
    {"fma.rn.oob.f16 %h0, %h1, %h2, %h3;", {0x7ff7, 0x3c00, 0x3c00}, 0},
    {"fma.rn.oob.f16 %h0, %h1, %h2, %h3;", {0x7ff6, 0x3c00, 0x3c00}, 0x7fff},
    {"fma.rn.oob.f16 %h0, %h1, %h2, %h3;", {0x3c00, 0xfff7, 0x3c00}, 0},
    {"fma.rn.oob.f16 %h0, %h1, %h2, %h3;",
     {0x3c00, 0x3c00, 0x7ff7},
     0x7fff}, // an addend is never out of bounds
    {"fma.rn.oob.relu.bf16x2 %r0, %r1, %r2, %r3;", {0x7ff73f80, 0xbf803f80, 0x3f803f80}, 0x00004000},
    {"ex2.approx.f16 %h0, %h1;", {0x4200}, 0x4800},
    {"ex2.approx.ftz.bf16 %h0, %h1;", {0x0001}, 0x3f80},
    {"ex2.approx.f16x2 %r0, %r1;", {0xfc003c00}, 0x00004000},
    {"tanh.approx.f16 %h0, %h1;", {0xfc00}, 0xbc00},
    {"tanh.approx.bf16x2 %r0, %r1;", {0x80007f80}, 0x80003f80},
};
static void test_edges(void **state) {
  (void)state;
  check_rows(edges, COUNT(edges));
}

static const struct arithmetic_refusal refusals[] = {
    {"add.rz.f16 %h0, %h1, %h2;", "rz"},     {"add.sat.bf16 %h0, %h1, %h2;", "sat"},
    {"add.oob.f16 %h0, %h1, %h2;", "oob"},   {"div.f16 %h0, %h1, %h2;", "div"},
    {"min.relu.f16 %h0, %h1, %h2;", "relu"}, {"ex2.approx.bf16 %h0, %h1;", "ex2"},
};
static void test_refusals(void **state) {
  (void)state;
  check_refusals(refusals, COUNT(refusals));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formulas),
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
