// The device's number formats on the host: bit patterns, half and bfloat16, flushing, saturation, canonical
// NaN. No function branches, so that the compiler turns a loop over lanes into vector instructions.
// Single rounding: compute a sum or product of two halves in float, then round to half. The result equals a
// single rounding, because 24 >= 2 * 11 + 2 bits. The same is true for two bfloat16 in double. A fused
// multiply-add needs the sticky bit of *_fma below.
#ifndef VIRTUAL_HOPPER_BASE_NUMBERS_H
#define VIRTUAL_HOPPER_BASE_NUMBERS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__)
#define NUMBERS_INLINE static inline __attribute__((always_inline))
#else
#define NUMBERS_INLINE static inline
#endif

NUMBERS_INLINE float float_from_bits(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } pun = {.bits = bits};
  return pun.value;
}
NUMBERS_INLINE uint32_t float_to_bits(float value) {
  union {
    float value;
    uint32_t bits;
  } pun = {.value = value};
  return pun.bits;
}
NUMBERS_INLINE double double_from_bits(uint64_t bits) {
  union {
    uint64_t bits;
    double value;
  } pun = {.bits = bits};
  return pun.value;
}
NUMBERS_INLINE uint64_t double_to_bits(double value) {
  union {
    double value;
    uint64_t bits;
  } pun = {.value = value};
  return pun.bits;
}

#define FLOAT_CANONICAL_NAN 0x7fffffffu
#define HALF_CANONICAL_NAN  0x7fffu // for f16 and bf16

NUMBERS_INLINE uint32_t float_canonical_bits(float value) {
  return value != value ? FLOAT_CANONICAL_NAN : float_to_bits(value);
}
// .ftz: a subnormal becomes a zero with the same sign.
NUMBERS_INLINE uint32_t float_flush_bits(uint32_t bits) {
  return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}
// .sat: clamps to [0, 1]. NaN and -0 become +0.
NUMBERS_INLINE float float_saturate(float value) {
  float low = value > 0.0f ? value : 0.0f;
  return low < 1.0f ? low : 1.0f;
}
NUMBERS_INLINE double double_saturate(double value) {
  double low = value > 0.0 ? value : 0.0;
  return low < 1.0 ? low : 1.0;
}

// f16: the exponent and fraction bits are moved to a float's positions. The result is 2^112 times too small
// and is then scaled. Infinities and NaN are handled separately.
NUMBERS_INLINE float half_to_float(uint32_t half) {
  uint32_t magnitude = (half & 0x7fffu) << 13;
  uint32_t finite = float_to_bits(float_from_bits(magnitude) * 0x1p112f);
  uint32_t special = magnitude | 0x7f800000u;
  return float_from_bits((half & 0x8000u) << 16 | (magnitude >= 0x0f800000u ? special : finite));
}
// Rounds to nearest even. Below 2^-14, the sum with 0.5 has its last bit at 2^-24, as a subnormal half has.
NUMBERS_INLINE uint32_t half_from_float(float value) {
  uint32_t bits = float_to_bits(value), magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude + 0x0fffu + (magnitude >> 13 & 1)) >> 13;
  uint32_t rebiased = normal - (112u << 10);
  uint32_t subnormal = float_to_bits(float_from_bits(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t small = magnitude < 0x38800000u ? subnormal : rebiased;
  // 65536 and above; 65520 rounds up to 0x7c00 by itself
  uint32_t finite = magnitude >= 0x47800000u ? 0x7c00u : small;
  return magnitude > 0x7f800000u ? HALF_CANONICAL_NAN : (bits >> 16 & 0x8000u) | finite;
}
NUMBERS_INLINE uint32_t half_flush(uint32_t half) {
  return (half & 0x7c00u) == 0 ? half & 0x8000u : half;
}
// .relu for f16 and bf16: a negative value becomes +0, a NaN becomes canonical.
NUMBERS_INLINE uint32_t half_relu(uint32_t half) {
  return half == HALF_CANONICAL_NAN ? half : (half & 0x8000u) ? 0 : half;
}

NUMBERS_INLINE float bfloat_to_float(uint32_t bfloat) {
  return float_from_bits(bfloat << 16);
}
NUMBERS_INLINE uint32_t bfloat_from_float(float value) {
  uint32_t bits = float_to_bits(value);
  uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return value != value ? HALF_CANONICAL_NAN : rounded & 0xffffu;
}
// Rounds to odd: takes the neighbour towards zero, and sets its last bit when the result is inexact. A second
// rounding, to at least two bits fewer, then equals a rounding of the exact value.
NUMBERS_INLINE float float_odd_from_double(double value) {
  float nearest = (float)value;
  double exact = nearest;
  uint32_t bits = float_to_bits(nearest) - (fabs(exact) > fabs(value) ? 1u : 0u);
  return float_from_bits(value != value ? FLOAT_CANONICAL_NAN : bits | (exact != value ? 1u : 0u));
}
NUMBERS_INLINE uint32_t bfloat_from_double(double value) {
  return bfloat_from_float(float_odd_from_double(value));
}

// Returns product + c rounded to odd, for an exact product. The error of the sum (2Sum) shows in which
// direction the sum was rounded.
NUMBERS_INLINE float float_odd_sum(float product, float c) {
  float sum = product + c;
  float part = sum - product;
  float error = (product - (sum - part)) + (c - part);
  uint32_t bits = float_to_bits(sum);
  bool away = (error > 0.0f && sum < 0.0f) || (error < 0.0f && sum > 0.0f);
  bool inexact = error > 0.0f || error < 0.0f;
  return float_from_bits((bits - (away ? 1u : 0u)) | (inexact ? 1u : 0u));
}
NUMBERS_INLINE double double_odd_sum(double product, double c) {
  double sum = product + c;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  uint64_t bits = double_to_bits(sum);
  bool away = (error > 0.0 && sum < 0.0) || (error < 0.0 && sum > 0.0);
  bool inexact = error > 0.0 || error < 0.0;
  return double_from_bits((bits - (away ? 1u : 0u)) | (inexact ? 1u : 0u));
}
// Return a * b + c of halves (in float) and of bfloat16 (in double). The caller does the single final
// rounding.
NUMBERS_INLINE float half_fma(float a, float b, float c) {
  return float_odd_sum(a * b, c);
}
NUMBERS_INLINE double bfloat_fma(double a, double b, double c) {
  return double_odd_sum(a * b, c);
}

#endif
