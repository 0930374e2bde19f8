// Transcendental approximations, tests of floating-point properties and rounding modes, PTX ISA 9.7.3. The
// approximations use the double-precision functions of the C library and round once. The results are within
// PTX's error bounds, but the chip differs in the last bits: ex2 up to 2 ulp, lg2 2^-22, rsqrt 2^-22.9, sin
// and cos 2^-20.5 (absolute), tanh 2^-11 (relative), rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 in all but
// about 20 bits.
#define LANES_ONE_BY_ONE
#include "virtual-hopper/execute/float.h"

#include <fenv.h>
#include <math.h>

#include "virtual-hopper/execute/lanes.h"

#define APPROXIMATIONS(T)                            \
  LANES_UNARY(ex2_##T, T, T, (float)exp2((double)a)) \
  LANES_UNARY(lg2_##T, T, T, (float)log2((double)a)) \
  LANES_UNARY(sin_##T, T, T, (float)sin((double)a))  \
  LANES_UNARY(cos_##T, T, T, (float)cos((double)a))  \
  LANES_UNARY(rsqrt_##T, T, T, (float)(1.0 / sqrt((double)a)))
APPROXIMATIONS(f32)
APPROXIMATIONS(f32z)
LANES_UNARY(tanh_f32, f32, f32, (float)tanh((double)a))
LANES_UNARY(rsqrt_f64, f64, f64, 1.0 / sqrt(a))

// 9.7.3.14, 9.7.3.17: only the upper word of the operand and of the result counts. Subnormals are zeros.
static double upper_word(uint64_t bits) {
  return double_from_bits((bits >> 52 & 0x7ff) == 0 ? bits & 0x8000000000000000ull
                                                    : bits & 0xffffffff00000000ull);
}
static uint64_t rounded_upper_word(double value) {
  uint64_t bits = double_to_bits(value);
  if (value != value) return 0x7fffffff00000000ull;
  if ((bits >> 52 & 0x7ff) == 0) return bits & 0x8000000000000000ull;
  return (isinf(value) ? bits : bits + 0x80000000u) & 0xffffffff00000000ull;
}
LANES_UNARY(rcp_approx_f64, u64, u64, rounded_upper_word(1.0 / upper_word(a)))
LANES_UNARY(rsqrt_approx_f64, u64, u64, rounded_upper_word(1.0 / sqrt(upper_word(a))))

// testp: zero counts as a normal number (9.7.3.1).
#define TEST(name, T, expression)                                       \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) { \
    const SLOT_##T *sa = LANE_REGISTER(T, op->a);                       \
    uint32_t mask = 0;                                                  \
    for (int i = 0; i < WARP_LANES; i++) {                              \
      SLOT_##T a = (SLOT_##T)(sa[i] << 1); /* without its sign */       \
      mask |= (expression) ? lane_bit[i] : 0;                           \
    }                                                                   \
    uint32_t *d = warp_predicate(w, op->d);                             \
    *d = (*d & ~w->lanes) | (mask & w->lanes);                          \
  }
#define TESTS(T, infinity, least_normal)                                 \
  TEST(finite_##T, T, a < (infinity))                                    \
  TEST(infinite_##T, T, a == (infinity))                                 \
  TEST(number_##T, T, a <= (infinity))                                   \
  TEST(notanumber_##T, T, a > (infinity))                                \
  TEST(normal_##T, T, a == 0 || (a >= (least_normal) && a < (infinity))) \
  TEST(subnormal_##T, T, a != 0 && a < (least_normal))
TESTS(f32, 0xff000000u, 0x01000000u)
TESTS(f64, 0xffe0000000000000ull, 0x0020000000000000ull)

// clang-format off
#define F32_ROWS(name, function) \
    {name, PTX_F32, "tt", function##_f32}, {name ".ftz", PTX_F32, "tt", function##_f32z}
#define TEST_ROWS(name) \
    {"testp." #name, PTX_F32, "pt", name##_f32}, {"testp." #name, PTX_F64, "pt", name##_f64}
const struct arithmetic_handler warp_float_other_handlers[] = {
    F32_ROWS("ex2.approx", ex2), F32_ROWS("lg2.approx", lg2),
    F32_ROWS("sin.approx", sin), F32_ROWS("cos.approx", cos),
    F32_ROWS("rsqrt.approx", rsqrt), {"rsqrt.approx", PTX_F64, "tt", rsqrt_f64},
    {"tanh.approx", PTX_F32, "tt", tanh_f32},
    {"rcp.approx.ftz", PTX_F64, "tt", rcp_approx_f64}, {"rsqrt.approx.ftz", PTX_F64, "tt", rsqrt_approx_f64},
    TEST_ROWS(finite), TEST_ROWS(infinite), TEST_ROWS(number),
    TEST_ROWS(notanumber), TEST_ROWS(normal), TEST_ROWS(subnormal),
    {0},
};
// clang-format on

void float_round(enum rounding mode) {
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  if (fesetround(modes[mode])) die("this processor has no such rounding mode");
}

// The handlers read their operands from memory after the mode is set, and write their results before the mode
// is restored. The compiler can't move these reads and writes across the calls that change the mode.
void warp_rounded(struct warp *w, const struct op *op) {
  const struct rounded *rounded = op->extra;
  float_round(rounded->mode);
  rounded->execute(w, op);
  float_round(ROUND_NEAREST);
}
