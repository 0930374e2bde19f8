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

WHOLE_HANDLER static bool take_numbers(struct tensor_factor *f, uint32_t count, int32_t fraction_bits,
                                       float *largest) {
  float most = 0;
  int32_t others = 0;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t exponent = f->exponent[i] - fraction_bits, sign = f->sign[i];
    const int32_t field = (exponent < LEAST_EXPONENT ? LEAST_EXPONENT : exponent) + BIAS;
    const float scale = float_from_bits((uint32_t)field << FRACTION);
    const float exact = (float)((f->significand[i] ^ sign) - sign) * scale;
    const float number = fabsf(exact) <= MOST_NUMBER ? exact : 0.5F; // which is no whole number
    const float size = fabsf(number);
    others |= (float)(int32_t)number != number;
    most = size > most ? size : most;
    f->number[i] = number;
  }
  *largest = most;
  return !others;
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
