// What an input holds and what a kernel makes of it, element by element: for the references on the CPU and
// for the trusted kernels that judge a bandwidth run on a GPU. The idea: one formula, compiled twice, so that
// the two always agree.
#ifndef EXERCISES_FORMULAS_H
#define EXERCISES_FORMULAS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define FORMULA __host__ __device__ static inline
#else
#define FORMULA static inline
#endif

// Mixes 64 bits, one to one (the finaliser of SplitMix64: Steele, Lea, Flood, 2014).
FORMULA uint64_t exercise_mix(uint64_t value) {
  value ^= value >> 30;
  value *= 0xbf58476d1ce4e5b9U;
  value ^= value >> 27;
  value *= 0x94d049bb133111ebU;
  value ^= value >> 31;
  return value;
}

// The key of an input: 128 bits, added before and between two mixes. Half of the resulting bits are dropped,
// so that a program that has read a few elements can't compute the others instead of reading them.
struct exercise_key {
  uint64_t before, between;
};

FORMULA struct exercise_key exercise_key_of(uint64_t seed) {
  const struct exercise_key key = {exercise_mix(seed), exercise_mix(~seed)};
  return key;
}

// 32 random bits for element `index`.
FORMULA uint32_t exercise_random(struct exercise_key key, uint64_t index) {
  return (uint32_t)(exercise_mix(exercise_mix(index + key.before) + key.between) >> 32);
}

// Every 32-bit word of an output before the launch: a NaN as float, an unlikely number as int.
#define OUTPUT_POISON 0xffb0150dU
// Where a program could know the poison and take it off again, it differs in some of these bits: a NaN still,
// and its halves are no results.
#define POISON_SALT 0x000f000fU

// ---- inputs, from 32 random bits ----

// One number in 1024 is zero: a program may take a shortcut there. They are rare, so that no wrong place
// holds the right number.
FORMULA int is_zero_input(uint32_t random) {
  return random >> 22 == 0;
}

// Any number. One in 4096 is one that somebody may take for special: the ends of the signed and the unsigned
// ones, their neighbours, and what would be an infinity or a number below the smallest as a float.
FORMULA uint32_t transpose_input(uint32_t random) {
  if (random >> 20) return is_zero_input(random) ? 0 : random;
  switch (random & 7) {
  case 0: return INT32_MAX;
  case 1: return INT32_MAX - 1u;
  case 2: return INT32_MAX + 1u; // the least, or -0 as a float
  case 3: return UINT32_MAX;
  case 4: return UINT32_MAX - 1u;
  case 5: return 1;
  case 6: return 0x7f800000u;
  default: return 0x80000001u;
  }
}

// One float in 4096 is one that most programs never meet, and that arithmetic has rules for: they hold in
// any order of a sum. 0 for all others.
FORMULA uint32_t special_float_bits(uint32_t random) {
  if (random >> 20) return 0;
  switch (random & 7) {
  case 0: return 0x7fc00000u; // NaN
  case 1: return 0x7f800000u; // infinity
  case 2: return 0xff800000u; // -infinity
  case 3: return 0x80000000u; // -0
  default: return 0;
  }
}

FORMULA float float_with_bits(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

FORMULA uint32_t bulk_copy_1d_input(uint32_t random) {
  return transpose_input(random);
}

// A whole number of 20 bits and a sign, divided by 16, or zero, or a special one. Sums of a few are exact in
// float, in any order. Who takes the numbers for whole ones is found out.
FORMULA float tiles_2d_input(uint32_t random) {
  return is_zero_input(random) ? float_with_bits(special_float_bits(random))
                               : (float)((int32_t)(random >> 11) - (1 << 20)) / 16;
}

// Any number, so that sums wrap around, the special ones as well.
FORMULA uint32_t column_sums_input(uint32_t random) {
  return transpose_input(random);
}

// A number of 24 bits, divided by a power of two that may make a fraction of it, or zero, or a special one,
// or one that no integer type holds. Its sign is such that a * in has that of b: then nothing cancels out. If
// a is zero, a launcher may take a shortcut: then no number is special.
FORMULA float store_commit_groups_input(uint32_t random, float a, float b) {
  const uint32_t special = special_float_bits(random);
  if (special) return a == 0 ? 0 : float_with_bits(special);
  const int is_huge = (random & 0xfff00007u) == 7;
  if (is_zero_input(random) && !is_huge) return 0;
  const float scale = is_huge ? 0x1p100f : 1.0f;
  const float number = scale * (float)(1 + (random >> 8)) / (float)(1u << (random & 31));
  return a * b < 0 ? -number : number;
}

// A number of eight bits, -128 to 127, which a bf16 holds. Products of two of them add up exactly in float,
// in any order, as long as the sums stay below 2^24. `random` belongs to a word of two numbers, `index`
// counts numbers.
FORMULA int32_t matmul_input(uint32_t random, uint64_t index) {
  return (int32_t)(random >> (index % 2 ? 16 : 0) & 0xff) - 128;
}

// ---- bf16 ----

// Rounded to nearest, ties to even; not for NaNs.
FORMULA uint16_t bf16_of(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

FORMULA float float_of_bf16(uint16_t half) {
  return float_with_bits((uint32_t)half << 16);
}

// ---- shapes ----

// How far apart the rows of lab10's matrices to be transposed are: rounded up to 16 bytes, and the gap.
FORMULA uint64_t transpose_pitch(uint64_t columns, uint64_t gap_bytes) {
  return (columns * 4 + 15) / 16 * 16 + gap_bytes;
}

// How far apart the rows of a volume are.
FORMULA uint64_t halo_3d_pitch(uint64_t columns, uint64_t gap_bytes) {
  return (columns * 4 + 15) / 16 * 16 + gap_bytes;
}

// ---- results ----

// Whether a result is as close as asked: a NaN to a NaN, an infinity to itself alone, all others by up to
// `tolerance`.
FORMULA int result_is_right(double expected, double got, double tolerance) {
  if (isnan(expected)) return isnan(got);
  return isinf(expected) ? got == expected : fabs(got - expected) <= tolerance; // false for a NaN
}

FORMULA float tiles_2d_result(float above, float below, float left, float right, float middle) {
  return 0.25f * (above + below + left + right) - middle;
}

FORMULA float halo_3d_result(float neighbours, float middle) {
  return 0.125f * neighbours - middle;
}

FORMULA float store_commit_groups_result(float a, float in, float b) {
  return (float)((double)a * (double)in + (double)b);
}

// Relative: one step of a bf16, so that a sum may also be cut off.
#define MATMUL_TOLERANCE              (1.0 / (1 << 7))

#define STORE_COMMIT_GROUPS_TOLERANCE (2.0 / (1 << 23)) // relative: the multiply-add may be fused or not

#endif
