// f32 and f64 arithmetic. Rounding modes are checked against exact sums and products in 113 bits. Everything
// else is checked against formulas and edges.
#include "arithmetic-harness.h"

#include <math.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define NEAR         KIND_NEAR_FLOAT
#define NEARD        KIND_NEAR_DOUBLE
#define F            KIND_FLOAT
#define D            KIND_DOUBLE
#define NAN32        0x7fffffffu

static float f32(uint64_t bits) {
  uint32_t narrow = (uint32_t)bits;
  float value;
  memcpy(&value, &narrow, 4);
  return value;
}
static uint64_t bits32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return isnan(value) ? NAN32 : bits;
}
static double f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}
static uint64_t bits64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return bits;
}

// ---- rounding modes: compute the neighbours below and above the exact value, and choose one ----

enum mode { NEAREST, ZERO, DOWN, UP };
static uint64_t round32(__float128 exact, enum mode mode) {
  float below = (float)(double)exact, above;
  while (below > exact)
    below = nextafterf(below, -INFINITY);
  while (nextafterf(below, INFINITY) <= exact)
    below = nextafterf(below, INFINITY);
  if (below == exact) return bits32(below);
  above = nextafterf(below, INFINITY);
  __float128 half = ((__float128)below + above) / 2;
  bool even = (bits32(below) & 1) == 0;
  bool down = mode == DOWN || (mode == ZERO && exact > 0) ||
              (mode == NEAREST && (exact < half || (exact == half && even)));
  return bits32(down ? below : above);
}
static uint64_t round64(__float128 exact, enum mode mode) {
  double below = (double)exact, above;
  while (below > exact)
    below = nextafter(below, -INFINITY);
  while (nextafter(below, INFINITY) <= exact)
    below = nextafter(below, INFINITY);
  if (below == exact) return bits64(below);
  above = nextafter(below, INFINITY);
  __float128 half = ((__float128)below + above) / 2;
  bool even = (bits64(below) & 1) == 0;
  bool down = mode == DOWN || (mode == ZERO && exact > 0) ||
              (mode == NEAREST && (exact < half || (exact == half && even)));
  return bits64(down ? below : above);
}
#define EXACT(name, round, load, mode, expression)                \
  static uint64_t name(const uint64_t in[4]) {                    \
    __float128 a = load(in[0]), b = load(in[1]), c = load(in[2]); \
    (void)b, (void)c;                                             \
    return round(expression, mode);                               \
  }
#define EXACT_MODES(name, round, load, expression)   \
  EXACT(name##_rn, round, load, NEAREST, expression) \
  EXACT(name##_rz, round, load, ZERO, expression)    \
  EXACT(name##_rm, round, load, DOWN, expression)    \
  EXACT(name##_rp, round, load, UP, expression)
EXACT_MODES(add32, round32, f32, a + b)
EXACT_MODES(mul32, round32, f32, a *b)
EXACT_MODES(fma32, round32, f32, a *b + c)
EXACT_MODES(div32, round32, f32, a / b)
EXACT_MODES(add64, round64, f64, a + b)
EXACT_MODES(div64, round64, f64, a / b)
EXACT(sub32_rz, round32, f32, ZERO, a - b)
EXACT(mul64_rn, round64, f64, NEAREST, a *b)
EXACT(mul64_rz, round64, f64, ZERO, a *b)
EXACT(narrow_rn, round32, f64, NEAREST, a)
EXACT(narrow_rp, round32, f64, UP, a)

static const struct {
  const char *code;
  enum arithmetic_kind kinds[4];
  arithmetic_reference *reference;
} rounded[] = {
    {"add.rn.f32 %f0, %f1, %f2;", {NEAR, NEAR}, add32_rn},
    {"add.rz.f32 %f0, %f1, %f2;", {NEAR, NEAR}, add32_rz},
    {"add.rm.f32 %f0, %f1, %f2;", {NEAR, NEAR}, add32_rm},
    {"add.rp.f32 %f0, %f1, %f2;", {NEAR, NEAR}, add32_rp},
    {"sub.rz.f32 %f0, %f1, %f2;", {NEAR, NEAR}, sub32_rz},
    {"mul.f32 %f0, %f1, %f2;", {NEAR, NEAR}, mul32_rn},
    {"mul.rz.f32 %f0, %f1, %f2;", {NEAR, NEAR}, mul32_rz},
    {"mul.rm.f32 %f0, %f1, %f2;", {NEAR, NEAR}, mul32_rm},
    {"mul.rp.f32 %f0, %f1, %f2;", {NEAR, NEAR}, mul32_rp},
    {"fma.rn.f32 %f0, %f1, %f2, %f3;", {NEAR, NEAR, NEAR}, fma32_rn},
    {"fma.rz.f32 %f0, %f1, %f2, %f3;", {NEAR, NEAR, NEAR}, fma32_rz},
    {"fma.rm.f32 %f0, %f1, %f2, %f3;", {NEAR, NEAR, NEAR}, fma32_rm},
    {"mad.rp.f32 %f0, %f1, %f2, %f3;", {NEAR, NEAR, NEAR}, fma32_rp},
    {"div.rn.f32 %f0, %f1, %f2;", {NEAR, NEAR}, div32_rn},
    {"div.rz.f32 %f0, %f1, %f2;", {NEAR, NEAR}, div32_rz},
    {"div.rm.f32 %f0, %f1, %f2;", {NEAR, NEAR}, div32_rm},
    {"div.rp.f32 %f0, %f1, %f2;", {NEAR, NEAR}, div32_rp},
    {"add.f64 %d0, %d1, %d2;", {NEARD, NEARD}, add64_rn},
    {"add.rz.f64 %d0, %d1, %d2;", {NEARD, NEARD}, add64_rz},
    {"add.rm.f64 %d0, %d1, %d2;", {NEARD, NEARD}, add64_rm},
    {"add.rp.f64 %d0, %d1, %d2;", {NEARD, NEARD}, add64_rp},
    {"mul.rn.f64 %d0, %d1, %d2;", {NEARD, NEARD}, mul64_rn},
    {"mul.rz.f64 %d0, %d1, %d2;", {NEARD, NEARD}, mul64_rz},
    {"div.rn.f64 %d0, %d1, %d2;", {NEARD, NEARD}, div64_rn},
    {"div.rz.f64 %d0, %d1, %d2;", {NEARD, NEARD}, div64_rz},
    {"div.rm.f64 %d0, %d1, %d2;", {NEARD, NEARD}, div64_rm},
    {"div.rp.f64 %d0, %d1, %d2;", {NEARD, NEARD}, div64_rp},
    {"cvt.rn.f32.f64 %f0, %d1;", {NEARD}, narrow_rn},
    {"cvt.rp.f32.f64 %f0, %d1;", {NEARD}, narrow_rp},
};
static void test_rounding(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(rounded); i++)
    check_reference(rounded[i].code, rounded[i].kinds, rounded[i].reference);
}

// ---- operations on any values, rounded to nearest ----

static float flush(float x) {
  return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}
static float saturate(float x) {
  return isnan(x) || x <= 0 ? 0 : x >= 1 ? 1 : x;
}
static float lesser(float a, float b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
  if (a == b) return signbit(a) ? a : b;
  return a < b ? a : b;
}
static float greater(float a, float b) {
  return -lesser(-a, -b);
}
#define FORMULA(name, expression)                         \
  static uint64_t name(const uint64_t in[4]) {            \
    float a = f32(in[0]), b = f32(in[1]), c = f32(in[2]); \
    (void)b, (void)c;                                     \
    return bits32(expression);                            \
  }
FORMULA(add, a + b)
FORMULA(sub_sat, saturate(a - b))
FORMULA(mul_ftz, flush(flush(a) * flush(b)))
FORMULA(fma_rn, fmaf(a, b, c))
FORMULA(fma_ftz_sat, flush(saturate(fmaf(flush(a), flush(b), flush(c)))))
FORMULA(div_rn, a / b)
FORMULA(rcp, 1 / a)
FORMULA(root, sqrtf(a))
FORMULA(min, lesser(a, b))
FORMULA(max_ftz, greater(flush(a), flush(b)))
FORMULA(max_nan, isnan(a) || isnan(b) ? NAN : greater(a, b))
FORMULA(min_xor, isnan(lesser(a, b))
                     ? NAN
                     : copysignf(lesser(fabsf(a), fabsf(b)), signbit(a) != signbit(b) ? -1.0f : 1.0f))
FORMULA(abs32, fabsf(a))
FORMULA(neg_ftz, -flush(a))
static uint64_t copysign32(const uint64_t in[4]) {
  return (in[0] & 0x80000000) | (in[1] & 0x7fffffff);
}
static uint64_t fma64(const uint64_t in[4]) {
  return bits64(fma(f64(in[0]), f64(in[1]), f64(in[2])));
}
static uint64_t root64(const uint64_t in[4]) {
  return bits64(sqrt(f64(in[0])));
}
static uint64_t neg64(const uint64_t in[4]) {
  return in[0] ^ 1ull << 63;
}
static uint64_t min64(const uint64_t in[4]) {
  double a = f64(in[0]), b = f64(in[1]);
  if (isnan(a) && isnan(b)) return in[1] | 1ull << 51;
  return bits64(isnan(b) ? a : isnan(a) ? b : a == b ? (signbit(a) ? a : b) : a < b ? a : b);
}
static uint64_t normal(const uint64_t in[4]) {
  return isnormal(f32(in[0])) || f32(in[0]) == 0;
}
static uint64_t subnormal64(const uint64_t in[4]) {
  return fpclassify(f64(in[0])) == FP_SUBNORMAL;
}
static uint64_t notanumber(const uint64_t in[4]) {
  return isnan(f32(in[0])) != 0;
}
static uint64_t finite32(const uint64_t in[4]) {
  return isfinite(f32(in[0])) != 0;
}

static const struct {
  const char *code;
  enum arithmetic_kind kinds[4];
  arithmetic_reference *reference;
} formulas[] = {
    {"add.f32 %f0, %f1, %f2;", {F, F}, add},
    {"sub.sat.f32 %f0, %f1, %f2;", {F, F}, sub_sat},
    {"mul.rn.ftz.f32 %f0, %f1, %f2;", {F, F}, mul_ftz},
    {"fma.rn.f32 %f0, %f1, %f2, %f3;", {F, F, F}, fma_rn},
    {"fma.rn.ftz.sat.f32 %f0, %f1, %f2, %f3;", {F, F, F}, fma_ftz_sat},
    {"div.rn.f32 %f0, %f1, %f2;", {F, F}, div_rn},
    {"div.full.f32 %f0, %f1, %f2;", {F, F}, div_rn},
    {"rcp.rn.f32 %f0, %f1;", {F}, rcp},
    {"sqrt.rn.f32 %f0, %f1;", {F}, root},
    {"min.f32 %f0, %f1, %f2;", {F, F}, min},
    {"max.ftz.f32 %f0, %f1, %f2;", {F, F}, max_ftz},
    {"max.NaN.f32 %f0, %f1, %f2;", {F, F}, max_nan},
    {"min.xorsign.abs.f32 %f0, %f1, %f2;", {F, F}, min_xor},
    {"abs.f32 %f0, %f1;", {F}, abs32},
    {"neg.ftz.f32 %f0, %f1;", {F}, neg_ftz},
    {"copysign.f32 %f0, %f1, %f2;", {F, F}, copysign32},
    {"fma.rn.f64 %d0, %d1, %d2, %d3;", {NEARD, NEARD, NEARD}, fma64},
    {"sqrt.rn.f64 %d0, %d1;", {NEARD}, root64},
    {"neg.f64 %d0, %d1;", {D}, neg64},
    {"min.f64 %d0, %d1, %d2;", {D, D}, min64},
    {"testp.normal.f32 %p0, %f1;", {F}, normal},
    {"testp.subnormal.f64 %p0, %d1;", {D}, subnormal64},
    {"testp.notanumber.f32 %p0, %f1;", {F}, notanumber},
    {"testp.finite.f32 %p0, %f1;", {F}, finite32},
};
static void test_formulas(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(formulas); i++)
    check_reference(formulas[i].code, formulas[i].kinds, formulas[i].reference);
}

static const struct arithmetic_row edges[] = {
    // which NaN an H100 returns: b before c before a; for a division, a before b
    {"add.f64 %d0, %d1, %d2;", {0x7ff0000000000001, 0xfff0000000000002}, 0xfff8000000000002},
    {"add.f64 %d0, %d1, %d2;", {0x7ff0000000000001, 0x3ff0000000000000}, 0x7ff8000000000001},
    {"sub.rm.f64 %d0, %d1, %d2;", {0x7ff0000000000001, 0x7ff0000000000002}, 0x7ff8000000000002},
    {"mul.f64 %d0, %d1, %d2;", {0x7ff0000000000001, 0xfff0000000000002}, 0xfff8000000000002},
    {"mul.f64 %d0, %d1, %d2;", {0x7ff0000000000000, 0}, 0xfff8000000000000},
    {"fma.rn.f64 %d0, %d1, %d2, %d3;",
     {0x7ff0000000000001, 0x7ff0000000000002, 0x7ff0000000000003},
     0x7ff8000000000002},
    {"fma.rn.f64 %d0, %d1, %d2, %d3;", {0x7ff0000000000001, 0, 0x7ff0000000000003}, 0x7ff8000000000003},
    {"fma.rz.f64 %d0, %d1, %d2, %d3;", {0x7ff0000000000001, 0, 0}, 0x7ff8000000000001},
    {"div.rn.f64 %d0, %d1, %d2;", {0x7ff0000000000001, 0x7ff0000000000002}, 0x7ff8000000000001},
    {"min.f64 %d0, %d1, %d2;", {0x7ff0000000000001, 0x7ff0000000000002}, 0x7ff8000000000002},
    {"max.f64 %d0, %d1, %d2;", {0x7ff0000000000001, 0xbff0000000000000}, 0xbff0000000000000},
    {"add.f32 %f0, %f1, %f2;", {0x7f800000, 0xff800000}, NAN32},
    {"add.f32 %f0, %f1, %f2;", {0xff812345, 0x3f800000}, NAN32},
    {"add.f32 %f0, %f1, %f2;", {0x3f800000, 0xbf800000}, 0},
    {"add.rm.f32 %f0, %f1, %f2;", {0x3f800000, 0xbf800000}, 0x80000000},
    {"add.rp.f32 %f0, %f1, %f2;", {0x7f7fffff, 0x3f800000}, 0x7f800000},
    {"add.rz.f32 %f0, %f1, %f2;", {0x7f7fffff, 0x7f7fffff}, 0x7f7fffff},
    {"add.ftz.f32 %f0, %f1, %f2;", {0x80000001, 0x80000001}, 0x80000000},
    {"mul.ftz.f32 %f0, %f1, %f2;", {0x00800000, 0x3f000000}, 0},
    {"mul.f32 %f0, %f1, %f2;", {0x00800000, 0x3f000000}, 0x00400000},
    {"add.sat.f32 %f0, %f1, %f2;", {0x7fc00000, 0}, 0},
    {"add.sat.f32 %f0, %f1, %f2;", {0x40000000, 0}, 0x3f800000},
    {"fma.rn.f32 %f0, %f1, %f2, %f3;", {0x3f800001, 0x3f800001, 0xbf800002}, 0x28800000}, // 2^-46: fused
    {"add.f32 %f0, %f1, 0f3f800000;", {0x3f800000}, 0x40000000},
    {"add.f64 %d0, %d1, 0d3ff0000000000000;", {0x3ff0000000000000}, 0x4000000000000000},
    {"div.approx.f32 %f0, %f1, %f2;", {0x3f800000, 0x7f000000}, 0}, // the reciprocal of 2^127 is flushed
    {"div.rn.f32 %f0, %f1, %f2;", {0x3f800000, 0}, 0x7f800000},
    {"div.rn.f32 %f0, %f1, %f2;", {0, 0}, NAN32},
    {"sqrt.rn.f32 %f0, %f1;", {0x80000000}, 0x80000000},
    {"sqrt.rn.f32 %f0, %f1;", {0xbf800000}, NAN32},
    {"sqrt.rp.f32 %f0, %f1;", {0x40000000}, 0x3fb504f4},
    {"sqrt.rm.f32 %f0, %f1;", {0x40000000}, 0x3fb504f3},
    {"rcp.rz.f32 %f0, %f1;", {0x40400000}, 0x3eaaaaaa},
    {"rcp.rn.f32 %f0, %f1;", {0x40400000}, 0x3eaaaaab},
    {"rcp.approx.ftz.f32 %f0, %f1;", {0x00000001}, 0x7f800000},
    {"min.f32 %f0, %f1, %f2;", {0x00000000, 0x80000000}, 0x80000000},
    {"max.f32 %f0, %f1, %f2;", {0x80000000, 0x00000000}, 0},
    {"max.f32 %f0, %f1, %f2;", {0x7fc00000, 0xffc00000}, NAN32},
    {"max.f32 %f0, %f1, %f2;", {0x7fc00000, 0xbf800000}, 0xbf800000},
    {"ex2.approx.f32 %f0, %f1;", {0x40400000}, 0x41000000},
    {"ex2.approx.ftz.f32 %f0, %f1;", {0xc3000000}, 0}, // 2^-128 is subnormal
    {"ex2.approx.f32 %f0, %f1;", {0xff800000}, 0},
    {"lg2.approx.f32 %f0, %f1;", {0x41000000}, 0x40400000},
    {"lg2.approx.f32 %f0, %f1;", {0}, 0xff800000},
    {"lg2.approx.f32 %f0, %f1;", {0xbf800000}, NAN32},
    {"sin.approx.f32 %f0, %f1;", {0x80000000}, 0x80000000},
    {"cos.approx.f32 %f0, %f1;", {0}, 0x3f800000},
    {"cos.approx.f32 %f0, %f1;", {0x7f800000}, NAN32},
    {"rsqrt.approx.f32 %f0, %f1;", {0x40800000}, 0x3f000000},
    {"rsqrt.approx.f32 %f0, %f1;", {0x80000000}, 0xff800000},
    {"rsqrt.approx.f32 %f0, %f1;", {0xbf800000}, NAN32},
    {"rsqrt.approx.f64 %d0, %d1;", {0x4010000000000000}, 0x3fe0000000000000},
    {"tanh.approx.f32 %f0, %f1;", {0x7f800000}, 0x3f800000},
    {"rcp.approx.ftz.f64 %d0, %d1;", {0x4008000000000000}, 0x3fd5555500000000},
    {"rcp.approx.ftz.f64 %d0, %d1;", {0x7ff8000000000001}, 0x7fffffff00000000},
    {"rcp.approx.ftz.f64 %d0, %d1;", {0x8000000000000001}, 0xfff0000000000000},
    {"rsqrt.approx.ftz.f64 %d0, %d1;", {0x4010000000000000}, 0x3fe0000000000000},
    {"copysign.f64 %d0, %d1, %d2;", {0x8000000000000000, 0x3ff0000000000000}, 0xbff0000000000000},
    {"abs.f64 %d0, %d1;", {0xfff8000000000123}, 0x7ff8000000000123},
    {"testp.infinite.f64 %p0, %d1;", {0xfff0000000000000}, 1},
    {"testp.number.f32 %p0, %f1;", {0x7f800000}, 1},
    {"testp.normal.f32 %p0, %f1;", {0x80000000}, 1},
};
static void test_edges(void **state) {
  (void)state;
  check_rows(edges, COUNT(edges));
}

static const struct arithmetic_refusal refusals[] = {
    {"fma.f32 %f0, %f1, %f2, %f3;", "rounding"},
    {"div.f32 %f0, %f1, %f2;", "rounding"},
    {"div.approx.rn.f32 %f0, %f1, %f2;", "rn"},
    {"min.rn.f32 %f0, %f1, %f2;", "rn"},
    {"add.rn.rz.f32 %f0, %f1, %f2;", "rz"},
    {"add.ftz.f64 %d0, %d1, %d2;", "ftz"},
    {"ex2.f32 %f0, %f1;", "ex2"},
    {"min.f32 %f0, %f1, %f2, %f3;", "operands"},
    {"add.f32.f16 %f0, %h1, %f2;", "f16"},
    {"add.f32x2 %l0, %l1, %l2;", "f32x2"},
    {"tanh.approx.ftz.f32 %f0, %f1;", "tanh"},
    {"testp.odd.f32 %p0, %f1;", "odd"},
};
static void test_refusals(void **state) {
  (void)state;
  check_refusals(refusals, COUNT(refusals));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_formulas),
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
