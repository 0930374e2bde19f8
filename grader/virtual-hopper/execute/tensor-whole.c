// Sums of a tensor core over small whole numbers. In: unpacked factors, accumulators. Out: accumulators. The
// idea: as long as every sum of some of the terms is a whole number below 2^24, nothing is cut off when terms
// are aligned, nothing is rounded, and float has every such sum. Then the order of additions is free, and a
// float's own multiplications and additions give the bits that tensor-core.c works out. Many programs are
// tried on such numbers, for that very reason.
#include <math.h>
#include <string.h>

#include "virtual-hopper/base/numbers.h"
#include "virtual-hopper/execute/tensor-core.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WHOLE_HANDLER __attribute__((target_clones("arch=x86-64-v3", "default"), optimize("O3")))
#else
#define WHOLE_HANDLER
#endif

typedef float floats __attribute__((vector_size(4 * TENSOR_LANES)));
typedef floats stored_floats __attribute__((aligned(4), may_alias));
#define FLOATS_AT(from) (*(const stored_floats *)(const void *)(from))

enum {
  LEAST_EXPONENT = -126,
  BIAS = 127,
  FRACTION = 23,
  MOST_NUMBER = 1 << 12, // a product then has 24 bits
  EXACT = 1 << 24,       // whole numbers up to this are floats
  CHAINS = 4             // sums at a time: each addition waits for the one before it in its chain
};

typedef int32_t whole_lanes __attribute__((vector_size(4 * TENSOR_LANES)));
typedef whole_lanes stored_wholes __attribute__((aligned(4), may_alias));
#define WHOLES_AT(from) (*(const stored_wholes *)(const void *)(from))

WHOLE_HANDLER static bool take_numbers(struct tensor_factor *f, uint32_t count, int32_t fraction_bits,
                                       float *largest) {
  whole_lanes others = {0};
  floats most = {0};
  for (uint32_t i = 0; i < count; i += TENSOR_LANES) {
    const whole_lanes exponent = WHOLES_AT(f->exponent + i) - fraction_bits, sign = WHOLES_AT(f->sign + i);
    const whole_lanes low = exponent < LEAST_EXPONENT;
    const whole_lanes field = ((exponent & ~low) | (LEAST_EXPONENT & low)) + BIAS;
    const floats scale = (floats)(field << FRACTION);
    const floats exact =
        __builtin_convertvector((WHOLES_AT(f->significand + i) ^ sign) - sign, floats) * scale;
    const floats size = (floats)((whole_lanes)exact & INT32_MAX);
    const whole_lanes small = size <= (float)MOST_NUMBER; // else the conversion would mean nothing
    const whole_lanes number = (whole_lanes)exact & small;
    const floats whole =
        __builtin_convertvector(__builtin_convertvector((floats)number, whole_lanes), floats);
    others |= ~small | (whole != (floats)number);
    const whole_lanes larger = size > most;
    most = (floats)(((whole_lanes)size & larger) | ((whole_lanes)most & ~larger));
    memcpy(&f->number[i], &number, sizeof number);
  }
  int32_t any = 0;
  *largest = 0;
  for (uint32_t n = 0; n < TENSOR_LANES; n++) {
    any |= others[n];
    *largest = most[n] > *largest ? most[n] : *largest;
  }
  return !any;
}

void tensor_look_for_whole(struct tensor_factor *f, uint32_t lines, enum mma_element type) {
  f->is_whole = f->number && !f->has_special &&
                take_numbers(f, lines * f->depth, (int32_t)tensor_fraction_bits(type), &f->largest);
}

// c += the products, if each accumulator is a whole number of at most `most`.
WHOLE_HANDLER static bool add_products(const float *a, const float *b, uint32_t depth, float most,
                                       uint32_t c[TENSOR_LANES]) {
  float accumulator[TENSOR_LANES];
  int32_t others = 0;
  memcpy(accumulator, c, sizeof accumulator);
  for (uint32_t n = 0; n < TENSOR_LANES; n++) {
    const float number = fabsf(accumulator[n]) <= most ? accumulator[n] : 0.5F;
    others |= (float)(int32_t)number != number;
  }
  if (others) return false;
  floats chains[CHAINS] = {FLOATS_AT(accumulator)};
  for (uint32_t k = 0; k < depth; k += CHAINS)
    for (uint32_t i = 0; i < CHAINS; i++)
      chains[i] += FLOATS_AT(&b[(size_t)(k + i) * TENSOR_LANES]) * a[(size_t)(k + i) * TENSOR_LANES];
  floats sum = chains[0];
  for (uint32_t i = 1; i < CHAINS; i++)
    sum += chains[i];
  sum += 0.0F; // so that no sum is -0
  memcpy(c, &sum, sizeof sum);
  return true;
}

bool tensor_multiply_whole(const struct tensor_sums *s, const struct tensor_factor *a, uint32_t row,
                           const struct tensor_factor *b, uint32_t block, uint32_t c[TENSOR_LANES]) {
  if (!a->is_whole || !b->is_whole || s->sum_fraction != FRACTION || s->guard <= FRACTION ||
      a->depth % CHAINS)
    return false;
  const float products = (float)a->depth * a->largest * b->largest; // exact where it matters
  if (!(products < EXACT)) return false;
  return add_products(a->number + tensor_place(a, row, 0),
                      b->number + tensor_place(b, block * TENSOR_LANES, 0), a->depth, EXACT - products, c);
}
