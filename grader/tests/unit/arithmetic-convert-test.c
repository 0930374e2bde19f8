// Conversions. Integers are checked by formula, every f16 pattern is checked both ways, the small formats by
// searching their values, and edges by table.
#include "arithmetic-harness.h"

#include <math.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define I32          KIND_INTEGER32
#define I64          KIND_INTEGER64
#define NAN32        0x7fffffffu

static float f32(uint64_t bits) {
  uint32_t narrow = (uint32_t)bits;
  float value;
  memcpy(&value, &narrow, 4);
  return value;
}
static double f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}
static uint64_t bits32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return isnan(value) ? NAN32 : bits;
}
static uint64_t bits64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return bits;
}

// ---- integers ----

#define FORMULA(name, expression)              \
  static uint64_t name(const uint64_t in[4]) { \
    uint64_t a = in[0];                        \
    return expression;                         \
  }
#define CLIP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
FORMULA(u8_u32, (uint8_t)a)
FORMULA(s16_s8, (uint16_t)(int8_t)a)
FORMULA(s32_s8, (uint32_t)(int8_t)a)
FORMULA(s64_s32, (uint64_t)(int32_t)a)
FORMULA(u64_u16, (uint16_t)a)
FORMULA(u32_s16, (uint32_t)(int16_t)a)
FORMULA(u32_u64, (uint32_t)a)
FORMULA(s64_s8, (uint64_t)(int8_t)a)
FORMULA(u64_s8_32, (uint64_t)(uint32_t)(int8_t)a)
FORMULA(sat_u8_s32, (uint64_t)CLIP((int32_t)a, 0, 255))
FORMULA(sat_s8_s32, (uint16_t)CLIP((int32_t)a, -128, 127))
FORMULA(sat_s32_u32, a > 0x7fffffff ? 0x7fffffff : a)
FORMULA(sat_u64_s64, (int64_t)a < 0 ? 0 : a)
FORMULA(sat_s16_u64, a > 0x7fff ? 0x7fff : a)
FORMULA(f32_s32, bits32((float)(int32_t)a))
FORMULA(f32_u64, bits32((float)a))
FORMULA(f64_s64, bits64((double)(int64_t)a))
FORMULA(f64_u64, bits64((double)a))
FORMULA(f64_u32, bits64((double)(uint32_t)a))
FORMULA(f32_s8, bits32((float)(int8_t)a))
static const struct {
  const char *code;
  enum arithmetic_kind kinds[4];
  arithmetic_reference *reference;
} formulas[] = {
    {"cvt.u8.u32 %h0, %r1;", {I32}, u8_u32},           {"cvt.u8.u32 %r0, %r1;", {I32}, u8_u32},
    {"cvt.s8.s32 %h0, %r1;", {I32}, s16_s8},           {"cvt.s8.s32 %l0, %r1;", {I32}, s64_s8},
    {"cvt.s32.s8 %r0, %r1;", {I32}, s32_s8},           {"cvt.s32.s8 %r0, %h1;", {I32}, s32_s8},
    {"cvt.s64.s32 %l0, %r1;", {I32}, s64_s32},         {"cvt.u64.u16 %l0, %h1;", {I32}, u64_u16},
    {"cvt.u32.s16 %r0, %h1;", {I32}, u32_s16},         {"cvt.u32.u64 %r0, %l1;", {I64}, u32_u64},
    {"cvt.u32.s8 %l0, %r1;", {I32}, u64_s8_32},        {"cvt.s32.s8 %r0, %l1;", {I64}, s32_s8},
    {"cvt.sat.u8.s32 %r0, %r1;", {I32}, sat_u8_s32},   {"cvt.sat.s8.s32 %h0, %r1;", {I32}, sat_s8_s32},
    {"cvt.sat.s32.u32 %r0, %r1;", {I32}, sat_s32_u32}, {"cvt.sat.u64.s64 %l0, %l1;", {I64}, sat_u64_s64},
    {"cvt.sat.s16.u64 %h0, %l1;", {I64}, sat_s16_u64}, {"cvt.rn.f32.s32 %f0, %r1;", {I32}, f32_s32},
    {"cvt.rn.f32.u64 %f0, %l1;", {I64}, f32_u64},      {"cvt.rn.f64.s64 %d0, %l1;", {I64}, f64_s64},
    {"cvt.rn.f64.u64 %d0, %l1;", {I64}, f64_u64},      {"cvt.rn.f64.u32 %d0, %r1;", {I32}, f64_u32},
    {"cvt.rn.f32.s8 %f0, %r1;", {I32}, f32_s8},
};
static void test_formulas(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(formulas); i++)
    check_reference(formulas[i].code, formulas[i].kinds, formulas[i].reference);
}

// ---- floating point to integer: the expected value is clamped in wider arithmetic ----

static double integral(double x, char mode) { // the modes of .rni, .rzi, .rmi, .rpi
  if (mode == 'z') return trunc(x);
  if (mode == 'm') return floor(x);
  if (mode == 'p') return ceil(x);
  double below = floor(x), rest = x - below;
  return rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0) ? below + 1 : below;
}
static uint64_t truncated(double x, char mode, int bits, bool is_signed, uint64_t nan) {
  if (isnan(x)) return nan;
  x = integral(x, mode);
  double limit = ldexp(1, is_signed ? bits - 1 : bits);
  uint64_t all = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
  if (x >= limit) return is_signed ? all >> 1 : all;
  if (is_signed && x < -limit) return (all >> 1) + 1;
  if (x < 0) return is_signed ? (uint64_t)(int64_t)x & all : 0;
  return (uint64_t)x;
}
#define TRUNCATION(name, load, mode, bits, is_signed, nan)     \
  static uint64_t name(const uint64_t in[4]) {                 \
    return truncated(load(in[0]), mode, bits, is_signed, nan); \
  }
TRUNCATION(s32_f32_rzi, f32, 'z', 32, true, 0)
TRUNCATION(s32_f32_rni, f32, 'n', 32, true, 0)
TRUNCATION(u32_f32_rmi, f32, 'm', 32, false, 0)
TRUNCATION(u32_f32_rpi, f32, 'p', 32, false, 0)
TRUNCATION(s64_f32_rzi, f32, 'z', 64, true, 1ull << 63)
TRUNCATION(u64_f32_rzi, f32, 'z', 64, false, 1ull << 63)
TRUNCATION(s32_f64_rzi, f64, 'z', 32, true, 1u << 31)
TRUNCATION(u32_f64_rni, f64, 'n', 32, false, 1u << 31)
TRUNCATION(s64_f64_rni, f64, 'n', 64, true, 1ull << 63)
TRUNCATION(u64_f64_rpi, f64, 'p', 64, false, 1ull << 63)
TRUNCATION(u8_f32_rzi, f32, 'z', 8, false, 0)
TRUNCATION(u16_f64_rmi, f64, 'm', 16, false, 1u << 15)
static uint64_t f32_rni(const uint64_t in[4]) {
  return bits32((float)copysign(integral(f32(in[0]), 'n'), f32(in[0])));
}
static uint64_t f64_rpi(const uint64_t in[4]) {
  return bits64(copysign(integral(f64(in[0]), 'p'), f64(in[0])));
}
static const struct {
  const char *code;
  enum arithmetic_kind kinds[4];
  arithmetic_reference *reference;
} truncations[] = {
    {"cvt.rzi.s32.f32 %r0, %f1;", {KIND_FLOAT}, s32_f32_rzi},
    {"cvt.rni.s32.f32 %r0, %f1;", {KIND_FLOAT}, s32_f32_rni},
    {"cvt.rni.s32.f32 %r0, %f1;", {KIND_NEAR_FLOAT}, s32_f32_rni},
    {"cvt.rmi.u32.f32 %r0, %f1;", {KIND_NEAR_FLOAT}, u32_f32_rmi},
    {"cvt.rpi.u32.f32 %r0, %f1;", {KIND_FLOAT}, u32_f32_rpi},
    {"cvt.rzi.s64.f32 %l0, %f1;", {KIND_FLOAT}, s64_f32_rzi},
    {"cvt.rzi.u64.f32 %l0, %f1;", {KIND_FLOAT}, u64_f32_rzi},
    {"cvt.rzi.s32.f64 %r0, %d1;", {KIND_DOUBLE}, s32_f64_rzi},
    {"cvt.rni.u32.f64 %r0, %d1;", {KIND_NEAR_DOUBLE}, u32_f64_rni},
    {"cvt.rni.s64.f64 %l0, %d1;", {KIND_DOUBLE}, s64_f64_rni},
    {"cvt.rpi.u64.f64 %l0, %d1;", {KIND_DOUBLE}, u64_f64_rpi},
    {"cvt.rzi.u8.f32 %h0, %f1;", {KIND_FLOAT}, u8_f32_rzi},
    {"cvt.rmi.u16.f64 %h0, %d1;", {KIND_DOUBLE}, u16_f64_rmi},
    {"cvt.rni.f32.f32 %f0, %f1;", {KIND_NEAR_FLOAT}, f32_rni},
    {"cvt.rpi.f64.f64 %d0, %d1;", {KIND_NEAR_DOUBLE}, f64_rpi},
};
static void test_truncations(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(truncations); i++)
    check_reference(truncations[i].code, truncations[i].kinds, truncations[i].reference);
}

// ---- small formats ----

struct format {
  int exponent_bits, fraction_bits;
  uint64_t infinity; // first pattern that is not a finite value
  uint64_t nan;
  bool has_infinity;
};
static const struct format half = {5, 10, 0x7c00, 0x7fff, true}, bfloat = {8, 7, 0x7f80, 0x7fff, true},
                           e4m3 = {4, 3, 0x7f, 0x7f, false}, e5m2 = {5, 2, 0x7c, 0x7f, true},
                           tf32 = {8, 10, 0x3fc00, 0x3ffff, true};
static double value_of(const struct format *f, uint64_t magnitude) {
  uint64_t fraction = magnitude & ((1u << f->fraction_bits) - 1);
  int exponent = (int)(magnitude >> f->fraction_bits), bias = (1 << (f->exponent_bits - 1)) - 1;
  return exponent ? ldexp((double)(fraction + (1u << f->fraction_bits)), exponent - bias - f->fraction_bits)
                  : ldexp((double)fraction, 1 - bias - f->fraction_bits);
}
// The mode is n, z, m, p or a (a: ties round away from zero).
static uint64_t round_to(const struct format *f, double x, char mode, bool finite) {
  if (isnan(x)) return f->nan;
  uint64_t sign = signbit(x) ? 1ull << (f->exponent_bits + f->fraction_bits) : 0, low = 0, high = f->infinity;
  double magnitude = fabs(x);
  if (isinf(x)) return sign | (finite ? f->infinity - 1 : f->infinity);
  while (high - low > 1) {
    uint64_t middle = (low + high) / 2;
    if (value_of(f, middle) <= magnitude)
      low = middle;
    else
      high = middle;
  }
  double below = value_of(f, low), above = value_of(f, high), half_way = below / 2 + above / 2;
  bool odd = low & 1, up = magnitude > below;
  if (mode == 'n') up = magnitude > half_way || (magnitude == half_way && odd);
  if (mode == 'a') up = magnitude >= half_way;
  if (mode == 'z') up = false;
  if (mode == 'm') up = up && signbit(x);
  if (mode == 'p') up = up && !signbit(x);
  uint64_t bits = up ? high : low;
  return sign | (finite && bits == f->infinity ? f->infinity - 1 : bits);
}
#define TO(name, load, expression)             \
  static uint64_t name(const uint64_t in[4]) { \
    double a = load(in[0]), b = load(in[1]);   \
    (void)b;                                   \
    return expression;                         \
  }
TO(f16_rn, f32, round_to(&half, a, 'n', false))
TO(f16_rz, f32, round_to(&half, a, 'z', false))
TO(f16_rp, f32, round_to(&half, a, 'p', false))
TO(f16_f64_rm, f64, round_to(&half, a, 'm', false))
TO(bf16_rn, f32, round_to(&bfloat, a, 'n', false))
TO(bf16_rz, f32, round_to(&bfloat, a, 'z', false))
TO(bf16_f64_rn, f64, round_to(&bfloat, a, 'n', false))
TO(f16_finite, f32, round_to(&half, a, 'n', true))
TO(f16x2_rn, f32, round_to(&half, a, 'n', false) << 16 | round_to(&half, b, 'n', false))
TO(f16x2_rz_relu, f32,
   (a < 0 || (a == 0 && signbit(a)) ? 0 : round_to(&half, a, 'z', false)) << 16 |
       (b < 0 || (b == 0 && signbit(b)) ? 0 : round_to(&half, b, 'z', false)))
TO(bf16x2_rn, f32, round_to(&bfloat, a, 'n', false) << 16 | round_to(&bfloat, b, 'n', false))
TO(tf32_rna, f32,
   isnan(a) ? in[0] & 0xffffe000 : (round_to(&tf32, a, 'a', false) & 0x7ffff) << 13) // like an H100
TO(e4m3x2, f32, round_to(&e4m3, a, 'n', true) << 8 | round_to(&e4m3, b, 'n', true))
TO(e5m2x2, f32, round_to(&e5m2, a, 'n', true) << 8 | round_to(&e5m2, b, 'n', true))
static const struct {
  const char *code;
  enum arithmetic_kind kinds[4];
  arithmetic_reference *reference;
} smalls[] = {
    {"cvt.rn.f16.f32 %h0, %f1;", {KIND_FLOAT}, f16_rn},
    {"cvt.rn.f16.f32 %h0, %f1;", {KIND_NEAR_FLOAT}, f16_rn},
    {"cvt.rz.f16.f32 %h0, %f1;", {KIND_NEAR_FLOAT}, f16_rz},
    {"cvt.rp.f16.f32 %h0, %f1;", {KIND_FLOAT}, f16_rp},
    {"cvt.rm.f16.f64 %h0, %d1;", {KIND_NEAR_DOUBLE}, f16_f64_rm},
    {"cvt.rn.bf16.f32 %h0, %f1;", {KIND_FLOAT}, bf16_rn},
    {"cvt.rz.bf16.f32 %h0, %f1;", {KIND_FLOAT}, bf16_rz},
    {"cvt.rn.bf16.f64 %h0, %d1;", {KIND_NEAR_DOUBLE}, bf16_f64_rn},
    {"cvt.rn.satfinite.f16.f32 %h0, %f1;", {KIND_FLOAT}, f16_finite},
    {"cvt.rn.f16x2.f32 %r0, %f1, %f2;", {KIND_NEAR_FLOAT, KIND_FLOAT}, f16x2_rn},
    {"cvt.rz.relu.f16x2.f32 %r0, %f1, %f2;", {KIND_NEAR_FLOAT, KIND_FLOAT}, f16x2_rz_relu},
    {"cvt.rn.bf16x2.f32 %r0, %f1, %f2;", {KIND_NEAR_FLOAT, KIND_FLOAT}, bf16x2_rn},
    {"cvt.rna.tf32.f32 %r0, %f1;", {KIND_NEAR_FLOAT}, tf32_rna},
    {"cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;", {KIND_NEAR_FLOAT, KIND_FLOAT}, e4m3x2},
    {"cvt.rn.satfinite.e5m2x2.f32 %h0, %f1, %f2;", {KIND_NEAR_FLOAT, KIND_FLOAT}, e5m2x2},
};
static void test_small_formats(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(smalls); i++)
    check_reference(smalls[i].code, smalls[i].kinds, smalls[i].reference);
}

// Every pattern to f32 and back, 32 at a time.
static void test_every_half(void **state) {
  (void)state;
  struct snippet *up = snippet_make("cvt.f32.f16 %f0, %h1;"),
                 *down = snippet_make("cvt.rn.f16.f32 %h0, %f1;");
  struct snippet *same = snippet_make("cvt.rn.bf16.f32 %h0, %f1;");
  for (uint64_t base = 0; base < 0x10000; base += 32) {
    for (unsigned lane = 0; lane < 32; lane++)
      snippet_input(up, 1, lane, base + lane);
    snippet_run(up, UINT32_MAX);
    for (unsigned lane = 0; lane < 32; lane++) {
      uint64_t bits = base + lane, magnitude = bits & 0x7fff, value = snippet_output(up, 0, lane);
      double wanted = magnitude > 0x7c00 ? NAN : magnitude == 0x7c00 ? INFINITY : value_of(&half, magnitude);
      assert_int_equal(value, magnitude > 0x7c00 ? NAN32 : bits32((float)(bits & 0x8000 ? -wanted : wanted)));
      snippet_input(down, 1, lane, value);
      snippet_input(same, 1, lane, bits << 16);
    }
    snippet_run(down, UINT32_MAX);
    snippet_run(same, UINT32_MAX);
    for (unsigned lane = 0; lane < 32; lane++) {
      uint64_t bits = base + lane;
      assert_int_equal(snippet_output(down, 0, lane), (bits & 0x7fff) > 0x7c00 ? 0x7fff : bits);
      assert_int_equal(snippet_output(same, 0, lane), (bits & 0x7fff) > 0x7f80 ? 0x7fff : bits);
    }
  }
  snippet_destroy(up);
  snippet_destroy(down);
  snippet_destroy(same);
}

static const struct arithmetic_row edges[] = {
    {"cvt.rm.f32.u32 %f0, %r1;", {0}, 0},
    {"cvt.rm.f64.u64 %d0, %l1;", {0}, 0},
    {"cvt.rm.f32.u64 %f0, %l1;", {0}, 0},
    {"cvt.rz.f32.u32 %f0, %r1;", {0xffffffff}, 0x4f7fffff},
    {"cvt.rp.f32.u32 %f0, %r1;", {0x01000001}, 0x4b800001},
    {"cvt.rz.f32.u64 %f0, %l1;", {0xffffffffffffffff}, 0x5f7fffff},
    {"cvt.rp.f32.u64 %f0, %l1;", {0x8000000000000001}, 0x5f000001},
    {"cvt.rz.f64.u64 %d0, %l1;", {0xffffffffffffffff}, 0x43efffffffffffff},
    {"cvt.rm.f32.s32 %f0, %r1;", {0xfeffffff}, 0xcb800001},      // -16777217
    {"cvt.rn.bf16.s64 %h0, %l1;", {0x4040000000000001}, 0x5e81}, // rounding twice would give the even 0x5e80
    {"cvt.rn.bf16.s64 %h0, %l1;", {0xbfbfffffffffffff}, 0xde81},
    {"cvt.rn.bf16.u64 %h0, %l1;", {0x4040000000000000}, 0x5e80},
    {"cvt.rn.f16.s32 %h0, %r1;", {2049}, 0x6800},
    {"cvt.rz.f16.s32 %h0, %r1;", {100000}, 0x7bff},
    {"cvt.rn.f16.s32 %h0, %r1;", {100000}, 0x7c00},
    {"cvt.rn.sat.f32.s32 %f0, %r1;", {7}, 0x3f800000},
    {"cvt.sat.f32.f32 %f0, %f1;", {0x7fc00000}, 0},
    {"cvt.sat.f16.f16 %h0, %h1;", {0xc000}, 0},
    {"cvt.sat.f64.f64 %d0, %d1;", {0x4000000000000000}, 0x3ff0000000000000},
    {"cvt.ftz.f32.f32 %f0, %f1;", {0x80000001}, 0x80000000},
    {"cvt.ftz.f64.f32 %d0, %f1;", {0x00000001}, 0},
    {"cvt.f64.f32 %d0, %f1;", {0x00000001}, 0x36a0000000000000},
    {"cvt.rn.ftz.f32.f64 %f0, %d1;", {0x36a0000000000000}, 0},
    // measured on an H100: a narrowed f64 NaN keeps its sign and the upper payload
    {"cvt.rn.f32.f64 %f0, %d1;", {0x7ff0000000000001}, 0x7fc00000},
    {"cvt.rn.ftz.f32.f64 %f0, %d1;", {0xfff555551fffffff}, 0xffeaaaa8},
    {"cvt.rn.sat.f32.f64 %f0, %d1;", {0xfff555551fffffff}, 0},
    {"cvt.rn.f16.f64 %h0, %d1;", {0x7ff4000000000000}, 0x7f00},
    {"cvt.rp.f16.f64 %h0, %d1;", {0xfffaaaaaaaaaaaaa}, 0xfeaa},
    {"cvt.rn.sat.f16.f64 %h0, %d1;", {0xfffaaaaaaaaaaaaa}, 0},
    {"cvt.rn.bf16.f64 %h0, %d1;", {0xfffaaaaaaaaaaaaa}, 0xffd5},
    {"cvt.rn.ftz.sat.f32.f64 %f0, %d1;", {0x4008000000000000}, 0x3f800000},
    {"cvt.rmi.s32.f32 %r0, %f1;", {0x80000001}, 0xffffffff},
    {"cvt.rmi.ftz.s32.f32 %r0, %f1;", {0x80000001}, 0},
    {"cvt.rzi.s32.f32 %r0, %f1;", {0x7fc00000}, 0},
    {"cvt.rzi.s16.f16 %h0, %h1;", {0xc500}, 0xfffb}, // -5
    {"cvt.rzi.u32.f16 %r0, %h1;", {0x7c00}, 0xffffffff},
    {"cvt.rni.s64.bf16 %l0, %h1;", {0x7fc0}, 0x8000000000000000},
    {"cvt.rni.f16.f16 %h0, %h1;", {0x4100}, 0x4000}, // 2.5
    {"cvt.rpi.bf16.bf16 %h0, %h1;", {0x3f81}, 0x4000},
    {"cvt.f32.bf16 %f0, %h1;", {0xbf81}, 0xbf810000},
    {"cvt.ftz.f32.bf16 %f0, %h1;", {0x8001}, 0x80000000},
    {"cvt.f64.bf16 %d0, %h1;", {0x3f80}, 0x3ff0000000000000},
    {"cvt.rn.bf16.f16 %h0, %h1;", {0x3c01}, 0x3f80},
    {"cvt.rn.f16.bf16 %h0, %h1;", {0x4780}, 0x7c00}, // 65536
    {"cvt.rn.f32.bf16 %f0, %h1;", {0x3f80}, 0x3f800000},
    {"cvt.bf16.f16 %h0, %h1;", {0x3c05}, 0x3f81},
    {"cvt.f32.f16 %f0, %r1;", {0xabcd3c00}, 0x3f800000},
    {"cvt.rn.f16.f32 %r0, %f1;", {0x3f800000}, 0x3c00},
    {"cvt.rna.tf32.f32 %r0, %f1;", {0x3f801000}, 0x3f802000},
    {"cvt.rn.tf32.f32 %r0, %f1;", {0x3f801000}, 0x3f800000},
    {"cvt.rna.satfinite.tf32.f32 %r0, %f1;", {0x7f800000}, 0x7f7fe000},
    {"cvt.rn.relu.tf32.f32 %r0, %f1;", {0xbf800000}, 0},
    {"cvt.rn.relu.tf32.f32 %r0, %f1;", {0xff812345}, 0x7fffe000},
    // like an H100, which does not treat NaN specially here
    {"cvt.rna.tf32.f32 %r0, %f1;", {0x7f800001}, 0x7f800000},
    {"cvt.rna.satfinite.tf32.f32 %r0, %f1;", {0xff812345}, 0xff810000},
    {"cvt.rn.relu.bf16.f32 %h0, %f1;", {0xffc00000}, 0x7fff},
    {"cvt.rn.satfinite.relu.e4m3x2.f32 %h0, %f1, %f2;", {0xc0000000, 0x44000000}, 0x007e},
    {"cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;", {0x3c00fc00}, 0x38fe},
    {"cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r1;", {0x7e003c00}, 0x7f3c},
    {"cvt.rn.f16x2.e4m3x2 %r0, %h1;", {0xfe01}, 0xdf001800}, // -448, 2^-9
    {"cvt.rn.f16x2.e4m3x2 %r0, %h1;", {0x7fff}, 0x7fff7fff},
    {"cvt.rn.f16x2.e5m2x2 %r0, %h1;", {0x7cfd}, 0x7c007fff},
    {"cvt.rn.relu.f16x2.e5m2x2 %r0, %h1;", {0xbc3c}, 0x00003c00},
    {"cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;", {300, 0xffffffff, 0x11223344}, 0x3344ff00},
    {"cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, 0;", {300, 0xffffff00}, 0x7f80},
    {"cvt.pack.sat.s16.s32 %r0, %r1, %r2;", {0x80000000, 40000}, 0x80007fff},
    {"cvt.pack.sat.u4.s32.b32 %r0, %r1, %r2, %r3;", {20, 3, 1}, 0x1f3},
    {"cvt.pack.sat.s2.s32.b32 %r0, %r1, %r2, %r3;", {0xffffffff, 5, 1}, 0x1d},
};
static void test_edges(void **state) {
  (void)state;
  check_rows(edges, COUNT(edges));
}

static const struct arithmetic_refusal refusals[] = {
    {"cvt.f32.s32 %f0, %r1;", "rounding"},
    {"cvt.s32.f32 %r0, %f1;", "rounding"},
    {"cvt.rn.f32.f32 %f0, %f1;", "nothing to round"},
    {"cvt.rni.f64.f32 %d0, %f1;", "same type"},
    {"cvt.u32.b32 %r0, %r1;", "conversion"},
    {"cvt.rn.satfinite.e2m1x2.f32 %h0, %f1, %f2;", "conversion"},
    {"cvt.rn.e4m3x2.f32 %h0, %f1, %f2;", "required"},
    {"cvt.rs.f16x2.f32 %r0, %f1, %f2, %r3;", "rounding"},
    {"cvt.rn.satfinite.tf32.f32 %r0, %f1;", "satfinite"},
    {"cvt.rn.s32.s16 %r0, %h1;", "integers"},
    {"cvt.pack.u8.s32.b32 %r0, %r1, %r2, %r3;", "pack"},
    {"cvt.rzi.ftz.u16.f16 %h0, %h1;", "f32 alone"},
    {"cvt.u32.u64.x %r0, %l1;", "x"},
};
static void test_refusals(void **state) {
  (void)state;
  check_refusals(refusals, COUNT(refusals));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formulas),      cmocka_unit_test(test_truncations),
      cmocka_unit_test(test_small_formats), cmocka_unit_test(test_every_half),
      cmocka_unit_test(test_edges),         cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
