// Conversions to, from and between floating-point formats, PTX ISA 9.7.9.21, where the host has instructions
// for them. The handlers round to nearest. For other rounding modes warp_rounded runs the same handlers.
#include "virtual-hopper/execute/convert.h"

// Written by hand because of zero: the compiler's conversion from unsigned to floating point could return -0
// when the rounding mode is towards minus infinity.
NUMBERS_INLINE float float_from_u64(uint64_t a) {
  float half = (float)(int64_t)(a >> 1 | (a & 1)); // the last bit is sticky
  return a >> 63 ? half + half : (float)(int64_t)a;
}
NUMBERS_INLINE double double_from_u64(uint64_t a) {
  return (double)(int64_t)(a >> 32) * 0x1p32 + (double)(int64_t)(a & UINT32_MAX);
}
NUMBERS_INLINE float float_from_u32(uint32_t a) {
  return float_from_bits(a == 0 ? 0 : float_to_bits((float)a));
}
NUMBERS_INLINE double double_from_u32(uint32_t a) {
  return (double)(int32_t)(a >> 1) * 2.0 + (double)(int32_t)(a & 1);
}

#define FROM_SMALL(A)                                \
  LANES_UNARY(A##_to_f32, f32, A, (float)(int32_t)a) \
  LANES_UNARY(A##_to_f64, f64, A, (double)(int32_t)a)
FROM_SMALL(u8)
FROM_SMALL(s8)
FROM_SMALL(u16)
FROM_SMALL(s16)
FROM_SMALL(s32)
LANES_UNARY(u32_to_f32, f32, u32, float_from_u32(a))
LANES_UNARY(u32_to_f64, f64, u32, double_from_u32(a))
LANES_UNARY(s64_to_f32, f32, s64, (float)a)
LANES_UNARY(s64_to_f64, f64, s64, (double)a)
LANES_UNARY(u64_to_f32, f32, u64, float_from_u64(a))
LANES_UNARY(u64_to_f64, f64, u64, double_from_u64(a))

// Conversions between formats. A NaN that becomes a float is the canonical NaN, with two exceptions. A bf16
// NaN keeps its bits, which are the upper half of a float. An f64 NaN becomes quiet and keeps its sign and
// the upper part of its payload: an H100 does this, and so does the host's conversion.
LANES_UNARY(f32_to_f64, f64, f32, (double)a)
LANES_UNARY(f64_to_f32, u32, f64, float_to_bits((float)a))
LANES_UNARY(f16_to_f32, f32, f16, a)
LANES_UNARY(f16_to_f64, f64, f16, (double)a)
LANES_UNARY(bf16_to_f32, u32, u32, a << 16)
LANES_UNARY(bf16_to_f64, f64, bf16, a)
LANES_UNARY(f32_to_f16, u32, u32, half_from_float(float_from_bits(a)))
LANES_UNARY(f32_to_bf16, u32, u32, bfloat_from_float(float_from_bits(a)))
LANES_UNARY(f16_to_f16, u32, u32, a & 0xffffu)
LANES_UNARY(f32_to_f32, u32, u32, a)
LANES_UNARY(f64_to_f64, u64, u64, a)

// Steps of a conversion: .ftz, .sat, and rounding to an integer in the same format.
LANES_UNARY(f32_flush, u32, u32, float_flush_bits(a))
LANES_UNARY(f32_saturate, f32s, f32, a)
LANES_UNARY(f64_saturate, f64, f64, double_saturate(a))
LANES_UNARY(f16_saturate, u32, u32, half_from_float(float_saturate(half_to_float(a))))
#define INTEGRAL(mode, function, function_f)                                       \
  LANES_UNARY(f32_##mode, f32, f32, function_f(a))                                 \
  LANES_UNARY(f64_##mode, f64, f64, function(a))                                   \
  LANES_UNARY(f16_##mode, u32, u32, half_from_float(function_f(half_to_float(a)))) \
  LANES_UNARY(bf16_##mode, u32, u32, bfloat_from_float(function_f(bfloat_to_float(a))))
INTEGRAL(rni, __builtin_rint, __builtin_rintf)
INTEGRAL(rzi, __builtin_trunc, __builtin_truncf)
INTEGRAL(rmi, __builtin_floor, __builtin_floorf)
INTEGRAL(rpi, __builtin_ceil, __builtin_ceilf)

// clang-format off
#define FROM_ROWS(A) {#A, PTX_F32, "", A##_to_f32}, {#A, PTX_F64, "", A##_to_f64}
#define INTEGRAL_ROWS(mode) \
    {"f32." #mode, PTX_F32, "", f32_##mode}, {"f64." #mode, PTX_F64, "", f64_##mode}, \
    {"f16." #mode, PTX_F16, "", f16_##mode}, {"bf16." #mode, PTX_BF16, "", bf16_##mode}
const struct arithmetic_handler warp_convert_float_handlers[] = {
    FROM_ROWS(u8), FROM_ROWS(s8), FROM_ROWS(u16), FROM_ROWS(s16), FROM_ROWS(u32), FROM_ROWS(s32),
    FROM_ROWS(u64), FROM_ROWS(s64), FROM_ROWS(f16), FROM_ROWS(bf16), FROM_ROWS(f32), FROM_ROWS(f64),
    {"f32", PTX_F16, "", f32_to_f16}, {"f32", PTX_BF16, "", f32_to_bf16},
    {"f16", PTX_F16, "", f16_to_f16}, {"bf16", PTX_BF16, "", f16_to_f16},
    {"flush", PTX_F32, "", f32_flush},
    {"saturate", PTX_F32, "", f32_saturate}, {"saturate", PTX_F64, "", f64_saturate},
    {"saturate", PTX_F16, "", f16_saturate},
    INTEGRAL_ROWS(rni), INTEGRAL_ROWS(rzi), INTEGRAL_ROWS(rmi), INTEGRAL_ROWS(rpi),
    {0},
};
// clang-format on
