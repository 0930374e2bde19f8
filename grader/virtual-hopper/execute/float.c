// f32 and f64 arithmetic, PTX ISA 9.7.3: one expression per operation, in four versions for f32 (plain, .ftz,
// .sat, both). The host rounds to nearest even. For other modes warp_rounded (float-other.c) runs the same
// handlers. The results of div.full and of the .approx operations are correctly rounded: they are within
// PTX's error bounds, but the last bits on the chip differ.
#include "virtual-hopper/execute/lanes.h"

// Minimum and maximum: of a number and a NaN, the result is the number (with .NaN: the NaN). -0 is less than
// +0. 9.7.3.11
#define IS_LESS(a, b) ((a) < (b) || ((a) == (b) && signbit(a)))
NUMBERS_INLINE float lesser(float a, float b) {
  return b != b || IS_LESS(a, b) ? a : b;
}
NUMBERS_INLINE float greater(float a, float b) {
  return b != b || IS_LESS(b, a) ? a : b;
}
NUMBERS_INLINE float lesser_or_nan(float a, float b) {
  return a != a || IS_LESS(a, b) ? a : b;
}
NUMBERS_INLINE float greater_or_nan(float a, float b) {
  return a != a || IS_LESS(b, a) ? a : b;
}
NUMBERS_INLINE double quiet(double nan) {
  return double_from_bits(double_to_bits(nan) | 0x8000000000000ull);
}
// When both f64 operands are NaNs, an H100 returns the second one, made quiet.
NUMBERS_INLINE double lesser_f64(double a, double b) {
  return b != b ? (a != a ? quiet(b) : a) : IS_LESS(a, b) ? a : b;
}
NUMBERS_INLINE double greater_f64(double a, double b) {
  return b != b ? (a != a ? quiet(b) : a) : IS_LESS(b, a) ? a : b;
}
// PTX doesn't define which NaN an f64 operation returns (9.7.3). An H100 takes the NaN in b, else in c, else
// in a, makes it quiet and keeps its sign and payload. A division takes the NaN in a first, as the host's
// division does. For sums, the host's choice would depend on the compiler.
NUMBERS_INLINE double with_nan_of(double result, double b, double c, double a) {
  return b != b ? quiet(b) : c != c ? quiet(c) : a != a ? quiet(a) : result;
}
// .xorsign.abs: minimum or maximum of the magnitudes, with the sign that the product of a and b would have. A
// NaN stays unchanged.
NUMBERS_INLINE float xor_signed(float magnitude, float a, float b) {
  uint32_t sign = (float_to_bits(a) ^ float_to_bits(b)) & 0x80000000u;
  return float_from_bits((float_to_bits(magnitude) & 0x7fffffffu) | sign);
}

// div.approx: for 2^126 < |b| < 2^128 the chip flushes the reciprocal to zero (9.7.3.8).
NUMBERS_INLINE float approximate_quotient(float a, float b) {
  bool flushed = fabsf(b) > 0x1p126f && fabsf(b) < INFINITY;
  return flushed ? a * copysignf(0.0f, b) : a / b;
}

#define ARITHMETIC(T)                   \
  LANES_BINARY(add_##T, T, T, T, a + b) \
  LANES_BINARY(sub_##T, T, T, T, a - b) \
  LANES_BINARY(mul_##T, T, T, T, a *b)
ARITHMETIC(f32)
ARITHMETIC(f32z)
ARITHMETIC(f32s)
ARITHMETIC(f32zs)
LANES_BINARY(add_f64, f64, f64, f64, with_nan_of(a + b, b, a, a))
LANES_BINARY(sub_f64, f64, f64, f64, with_nan_of(a - b, b, a, a))
LANES_BINARY(mul_f64, f64, f64, f64, with_nan_of(a *b, b, a, a))
#define FUSED(T) LANES_TERNARY(fma_##T, T, T, T, T, __builtin_fmaf(a, b, c))
FUSED(f32)
FUSED(f32z)
FUSED(f32s)
FUSED(f32zs)
LANES_TERNARY(fma_f64, f64, f64, f64, f64, with_nan_of(__builtin_fma(a, b, c), b, c, a))

#define QUOTIENTS(T)                                                                          \
  LANES_BINARY(div_##T, T, T, T, a / b)                                                       \
  LANES_BINARY(div_approx_##T, T, T, T, approximate_quotient(a, b))                           \
  LANES_UNARY(rcp_##T, T, T, 1.0f / a)                                                        \
  LANES_UNARY(sqrt_##T, T, T, __builtin_sqrtf(a))                                             \
  LANES_UNARY(abs_##T, T, T, __builtin_fabsf(a))                                              \
  LANES_UNARY(neg_##T, T, T, -a)                                                              \
  LANES_BINARY(min_##T, T, T, T, lesser(a, b))                                                \
  LANES_BINARY(max_##T, T, T, T, greater(a, b))                                               \
  LANES_BINARY(min_nan_##T, T, T, T, lesser_or_nan(a, b))                                     \
  LANES_BINARY(max_nan_##T, T, T, T, greater_or_nan(a, b))                                    \
  LANES_BINARY(min_xor_##T, T, T, T, xor_signed(lesser(fabsf(a), fabsf(b)), a, b))            \
  LANES_BINARY(max_xor_##T, T, T, T, xor_signed(greater(fabsf(a), fabsf(b)), a, b))           \
  LANES_BINARY(min_nan_xor_##T, T, T, T, xor_signed(lesser_or_nan(fabsf(a), fabsf(b)), a, b)) \
  LANES_BINARY(max_nan_xor_##T, T, T, T, xor_signed(greater_or_nan(fabsf(a), fabsf(b)), a, b))
QUOTIENTS(f32)
QUOTIENTS(f32z)

// abs and neg of f64 change only the sign bit.
LANES_BINARY(div_f64, f64, f64, f64, a / b)
LANES_UNARY(rcp_f64, f64, f64, 1.0 / a)
LANES_UNARY(sqrt_f64, f64, f64, __builtin_sqrt(a))
LANES_UNARY(abs_f64, u64, u64, a & 0x7fffffffffffffffull)
LANES_UNARY(neg_f64, u64, u64, a ^ 0x8000000000000000ull)
LANES_BINARY(min_f64, f64, f64, f64, lesser_f64(a, b))
LANES_BINARY(max_f64, f64, f64, f64, greater_f64(a, b))

// 9.7.3.2: the sign of a, the magnitude of b.
LANES_BINARY(copysign_f32, u32, u32, u32, (a & 0x80000000u) | (b & 0x7fffffffu))
LANES_BINARY(copysign_f64, u64, u64, u64, (a & 0x8000000000000000ull) | (b & 0x7fffffffffffffffull))

// clang-format off
#define F32_ROWS(name, shape, function) \
    {name, PTX_F32, shape, function##_f32}, {name ".ftz", PTX_F32, shape, function##_f32z}
#define SATURATING_ROWS(name, shape, function) F32_ROWS(name, shape, function), \
    {name ".sat", PTX_F32, shape, function##_f32s}, {name ".ftz.sat", PTX_F32, shape, function##_f32zs}, \
    {name, PTX_F64, shape, function##_f64}
const struct arithmetic_handler warp_float_handlers[] = {
    SATURATING_ROWS("add", "ttt", add), SATURATING_ROWS("sub", "ttt", sub),
    SATURATING_ROWS("mul", "ttt", mul),
    // mad.f32 is fused since sm_20: 9.7.3.7
    SATURATING_ROWS("fma", "tttt", fma), SATURATING_ROWS("mad", "tttt", fma),
    F32_ROWS("div", "ttt", div), F32_ROWS("div.full", "ttt", div), F32_ROWS("div.approx", "ttt", div_approx),
    F32_ROWS("rcp", "tt", rcp), F32_ROWS("rcp.approx", "tt", rcp),
    F32_ROWS("sqrt", "tt", sqrt), F32_ROWS("sqrt.approx", "tt", sqrt),
    F32_ROWS("abs", "tt", abs), F32_ROWS("neg", "tt", neg),
    F32_ROWS("min", "ttt", min), F32_ROWS("max", "ttt", max),
    F32_ROWS("min.NaN", "ttt", min_nan), F32_ROWS("max.NaN", "ttt", max_nan),
    F32_ROWS("min.xorsign.abs", "ttt", min_xor), F32_ROWS("max.xorsign.abs", "ttt", max_xor),
    F32_ROWS("min.NaN.xorsign.abs", "ttt", min_nan_xor), F32_ROWS("max.NaN.xorsign.abs", "ttt", max_nan_xor),
    {"div", PTX_F64, "ttt", div_f64}, {"rcp", PTX_F64, "tt", rcp_f64}, {"sqrt", PTX_F64, "tt", sqrt_f64},
    {"abs", PTX_F64, "tt", abs_f64}, {"neg", PTX_F64, "tt", neg_f64},
    {"min", PTX_F64, "ttt", min_f64}, {"max", PTX_F64, "ttt", max_f64},
    {"copysign", PTX_F32, "ttt", copysign_f32}, {"copysign", PTX_F64, "ttt", copysign_f64},
    {0},
};
// clang-format on
