// The sums of a tensor core. In: unpacked factors, accumulators. Out: accumulators. The theory is in
// tensor-core.h. Eight columns are summed at once, with the compiler's vectors, which become AVX2 where the
// host has it. Infinities and NaN take a slow way of their own.
#include "virtual-hopper/execute/tensor-core.h"

#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/numbers.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TENSOR_HANDLER __attribute__((target_clones("arch=x86-64-v3", "default"), optimize("O3")))
#else
#define TENSOR_HANDLER
#endif
#define TENSOR_INLINE static inline __attribute__((always_inline)) // into each clone of its caller

typedef int32_t lanes __attribute__((vector_size(4 * TENSOR_LANES)));
typedef uint32_t unsigned_lanes __attribute__((vector_size(4 * TENSOR_LANES)));
// A half of them, in double.
enum { HALF_LANES = TENSOR_LANES / 2 };
typedef int32_t half_lanes __attribute__((vector_size(4 * HALF_LANES)));
typedef float half_floats __attribute__((vector_size(4 * HALF_LANES)));
typedef int64_t half_wides __attribute__((vector_size(8 * HALF_LANES)));
typedef double half_doubles __attribute__((vector_size(8 * HALF_LANES)));
typedef half_lanes stored_half __attribute__((aligned(4), may_alias));
#define HALF_AT(from) (*(const stored_half *)(const void *)(from))
typedef lanes stored_lanes __attribute__((aligned(4), may_alias)); // anywhere in an array of int32_t
#define LANES_AT(from) (*(const stored_lanes *)(const void *)(from))

enum {
  MMA_GUARD = 25,
  FP8_GUARD = 13,
  F32_FRACTION = 23,
  F16_FRACTION = 10,
  F32_LEAST = -126,
  HALF_NEGATIVE_ZERO = 0x8000
};

static bool is_small(enum mma_element type) {
  return type == MMA_E4M3 || type == MMA_E5M2;
}

struct tensor_sums tensor_sums_of_mma(enum mma_element a, enum mma_element b, enum mma_element sum) {
  return (struct tensor_sums){
      .a_type = a, .b_type = b, .sum_type = sum, .guard = MMA_GUARD, .sum_fraction = F32_FRACTION};
}

struct tensor_sums tensor_sums_of_wgmma(enum mma_element a, enum mma_element b, enum mma_element sum) {
  struct tensor_sums s = tensor_sums_of_mma(a, b, sum);
  if (is_small(a)) s.guard = s.sum_fraction = FP8_GUARD;
  return s;
}

// ---- one term: the accumulator ----------------------------------------------------------------------------

struct term {
  int32_t significand, exponent; // with its sign; of F32_FRACTION fraction bits
  enum tensor_special special;
};

static struct term accumulator(const struct tensor_sums *s, uint32_t bits) {
  const bool half = s->sum_type == MMA_F16;
  const uint32_t fraction_bits = half ? F16_FRACTION : F32_FRACTION, most = half ? 31 : 255;
  const uint32_t fraction = bits & ((1u << fraction_bits) - 1), exponent = bits >> fraction_bits & most;
  const bool negative = bits >> (half ? 15 : 31) & 1;
  struct term c = {.exponent = (int32_t)(exponent ? exponent : 1) - (int32_t)(most >> 1)};
  if (exponent == most) c.special = fraction ? TENSOR_NAN : TENSOR_INFINITY;
  uint32_t significand = exponent ? fraction | 1u << fraction_bits : fraction;
  if (!significand) c.exponent = F32_LEAST;
  significand <<= F32_FRACTION - fraction_bits;
  c.significand = negative ? -(int32_t)significand : (int32_t)significand;
  return c;
}

// Shifts a significand of F32_FRACTION fraction bits to `guard` of them and down by `down` bits, towards 0.
static int64_t align(int32_t significand, uint32_t guard, int32_t down) {
  const int64_t magnitude = significand < 0 ? -(int64_t)significand : significand;
  down += F32_FRACTION - (int32_t)guard;
  const int64_t aligned = down < 0 ? magnitude << -down : down < 63 ? magnitude >> down : 0;
  return significand < 0 ? -aligned : aligned;
}

// 2^exponent, of a normal double.
static double power_of_two(int32_t exponent) {
  return double_from_bits((uint64_t)(exponent + 1023) << 52);
}

// ---- the result -------------------------------------------------------------------------------------------

static uint32_t round_f32(const struct tensor_sums *s, double value) {
  const uint64_t kept = ~((1ull << (52 - s->sum_fraction)) - 1);
  const double magnitude = fabs(value);
  if (magnitude >= 0x1p-126) return float_to_bits((float)double_from_bits(double_to_bits(value) & kept));
  const double step = power_of_two(F32_LEAST - (int32_t)s->sum_fraction); // the distance of subnormal results
  return float_to_bits((float)(trunc(value / step) * step + 0.0));
}

static uint32_t round_sum(const struct tensor_sums *s, int64_t sum, int32_t exponent) {
  const double value = (double)sum * power_of_two(exponent - (int32_t)s->guard);
  if (s->sum_type != MMA_F16) return round_f32(s, value);
  const uint32_t half = half_from_float(float_odd_from_double(value));
  return half == HALF_NEGATIVE_ZERO ? 0 : half;
}

// ---- infinities and NaN -----------------------------------------------------------------------------------

struct specials {
  bool nan, positive, negative;
};

static void note_special(struct specials *found, enum tensor_special special, bool negative) {
  found->nan = found->nan || special == TENSOR_NAN;
  if (special == TENSOR_INFINITY) *(negative ? &found->negative : &found->positive) = true;
}

static struct specials find_specials(const struct term *c, const struct tensor_factor *a, uint32_t row,
                                     const struct tensor_factor *b, uint32_t column) {
  struct specials found = {0};
  note_special(&found, c->special, c->significand < 0);
  for (uint32_t k = 0; k < a->depth; k++) {
    const uint32_t at_a = tensor_place(a, row, k), at_b = tensor_place(b, column, k);
    const enum tensor_special of_a = a->special[at_a], of_b = b->special[at_b];
    if (of_a == TENSOR_FINITE && of_b == TENSOR_FINITE) continue;
    const bool zero =
        (of_a == TENSOR_FINITE && !a->significand[at_a]) || (of_b == TENSOR_FINITE && !b->significand[at_b]);
    const bool nan = zero || of_a == TENSOR_NAN || of_b == TENSOR_NAN;
    note_special(&found, nan ? TENSOR_NAN : TENSOR_INFINITY, a->sign[at_a] != b->sign[at_b]);
  }
  return found;
}

static bool special_result(const struct tensor_sums *s, const struct specials *found, uint32_t *bits) {
  const bool half = s->sum_type == MMA_F16;
  if (found->nan || (found->positive && found->negative))
    *bits = half ? HALF_CANONICAL_NAN : FLOAT_CANONICAL_NAN;
  else if (found->positive || found->negative)
    *bits = (half ? 0x7c00u : 0x7f800000u) | (found->negative ? half ? 0x8000u : 0x80000000u : 0);
  else
    return false;
  return true;
}

// ---- the sums ---------------------------------------------------------------------------------------------

// Vectors are passed by address: without AVX they would be returned in another way than with it.
// *magnitude is shifted down by *down bits, towards 0, and takes the sign, 0 or -1.
TENSOR_INLINE void shift_down(lanes *magnitude, const lanes *down, const lanes *sign) {
  const lanes far = *down > 31, by = (*down & ~far) | (far & 31);
  *magnitude = ((lanes)((unsigned_lanes)*magnitude >> (unsigned_lanes)by) ^ *sign) - *sign;
}

// The products' aligned sum; *most is raised to the largest exponent. At most 16 products that aren't 0: more
// would not fit into 32 bits with 25 fraction bits.
TENSOR_INLINE void sum_products_of(const struct tensor_factor *a, uint32_t row, const struct tensor_factor *b,
                                   uint32_t block, uint32_t shift, lanes *most, lanes *sum) {
  const size_t from_a = tensor_place(a, row, 0), from_b = (size_t)block * b->depth * TENSOR_LANES;
  const size_t end = (size_t)a->depth * TENSOR_LANES;
  const int32_t *const exponent_a = a->exponent + from_a, *const exponent_b = b->exponent + from_b;
  lanes greatest = *most, total = {0};
  for (size_t k = 0; k < end; k += TENSOR_LANES) {
    const lanes e = LANES_AT(&exponent_b[k]) + exponent_a[k], greater = e > greatest;
    greatest = (e & greater) | (greatest & ~greater);
  }
  for (size_t k = 0; k < end; k += TENSOR_LANES) {
    const lanes down = greatest - LANES_AT(&exponent_b[k]) - exponent_a[k];
    const lanes sign = LANES_AT(&b->sign[from_b + k]) ^ a->sign[from_a + k];
    lanes product = LANES_AT(&b->significand[from_b + k]) * (a->significand[from_a + k] << shift);
    shift_down(&product, &down, &sign);
    total += product;
  }
  *most = greatest;
  *sum = total;
}

TENSOR_HANDLER static void sum_products(const struct tensor_factor *a, uint32_t row,
                                        const struct tensor_factor *b, uint32_t block, uint32_t shift,
                                        int32_t exponent[TENSOR_LANES], int32_t sum[TENSOR_LANES]) {
  lanes most = LANES_AT(exponent), total;
  sum_products_of(a, row, b, block, shift, &most, &total);
  memcpy(exponent, &most, sizeof most);
  memcpy(sum, &total, sizeof total);
}

TENSOR_INLINE bool is_any(const lanes *found) {
  uint64_t words[sizeof(lanes) / sizeof(uint64_t)], any = 0;
  memcpy(words, found, sizeof words);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    any |= words[i];
  return any != 0;
}

// round_sum for half of the lanes: sum and addend are of the exponent `most`.
TENSOR_INLINE void round_half(const struct tensor_sums *s, const int32_t *sum, const int32_t *addend,
                              const int32_t *most, uint32_t *result) {
  const half_wides scale = (__builtin_convertvector(HALF_AT(most), half_wides) + (1023 - (int32_t)s->guard))
                           << 52;
  const half_doubles value = (__builtin_convertvector(HALF_AT(sum), half_doubles) +
                              __builtin_convertvector(HALF_AT(addend), half_doubles)) *
                             (half_doubles)scale;
  const half_wides cut = (half_wides)value & -((int64_t)1 << (52 - s->sum_fraction));
  const half_floats rounded = __builtin_convertvector((half_doubles)cut, half_floats);
  memcpy(result, &rounded, sizeof rounded);
}

// All of multiply_floats for sums of type f32 that fit into 32 bits, of finite factors. False, and c is as it
// was: an accumulator isn't finite, or a result isn't normal, or hardly.
TENSOR_HANDLER static bool multiply_f32(const struct tensor_sums *s, const struct tensor_factor *a,
                                        uint32_t row, const struct tensor_factor *b, uint32_t block,
                                        uint32_t shift, uint32_t c[TENSOR_LANES]) {
  const lanes bits = LANES_AT(c), field = bits >> F32_FRACTION & 255, normal = field > 0;
  const lanes special = field == 255;
  if (is_any(&special)) return false;
  const lanes exponent = field + normal + F32_LEAST;
  const int32_t guard = (int32_t)s->guard, left = guard > F32_FRACTION ? guard - F32_FRACTION : 0;
  const lanes significand = ((bits & ((1 << F32_FRACTION) - 1)) | (normal & 1 << F32_FRACTION)) << left;
  lanes most = exponent, sum, addend = significand;
  sum_products_of(a, row, b, block, shift, &most, &sum);
  const lanes down = most - exponent + (F32_FRACTION + left - guard), sign = bits < 0;
  shift_down(&addend, &down, &sign);
  uint32_t result[TENSOR_LANES];
  for (uint32_t half = 0; half < TENSOR_LANES; half += HALF_LANES)
    round_half(s, (int32_t *)&sum + half, (int32_t *)&addend + half, (int32_t *)&most + half, result + half);
  // A result that has become the least normal number may have been rounded up to it.
  const lanes low = ((LANES_AT(result) & 0x7f800000) <= 0x00800000) & (sum + addend != 0);
  if (is_any(&low)) return false;
  memcpy(c, result, sizeof result);
  return true;
}

// The same for any number of products and any element type, one column.
static int64_t sum_column(const struct tensor_factor *a, uint32_t row, const struct tensor_factor *b,
                          uint32_t column, uint32_t shift, int32_t *exponent) {
  int64_t sum = 0;
  for (uint32_t k = 0; k < a->depth; k++) {
    const int32_t e = a->exponent[tensor_place(a, row, k)] + b->exponent[tensor_place(b, column, k)];
    if (e > *exponent) *exponent = e;
  }
  for (uint32_t k = 0; k < a->depth; k++) {
    const uint32_t at_a = tensor_place(a, row, k), at_b = tensor_place(b, column, k);
    const int32_t down = *exponent - a->exponent[at_a] - b->exponent[at_b];
    const int64_t product = ((int64_t)a->significand[at_a] * b->significand[at_b]) << shift;
    const int64_t aligned = down < 63 ? product >> down : 0;
    sum += a->sign[at_a] != b->sign[at_b] ? -aligned : aligned;
  }
  return sum;
}

static void multiply_floats(const struct tensor_sums *s, const struct tensor_factor *a, uint32_t row,
                            const struct tensor_factor *b, uint32_t block, uint32_t c[TENSOR_LANES]) {
  const uint32_t shift = s->guard - tensor_fraction_bits(s->a_type) - tensor_fraction_bits(s->b_type);
  const bool wide = is_small(s->a_type) && s->guard > FP8_GUARD; // the sums need more than 32 bits
  struct term term[TENSOR_LANES];
  int32_t exponent[TENSOR_LANES], sum[TENSOR_LANES];
  bool special = a->has_special || b->has_special;
  if (!special && s->sum_type == MMA_F32 && tensor_multiply_whole(s, a, row, b, block, c)) return;
  if (!special && !wide && s->sum_type == MMA_F32 && multiply_f32(s, a, row, b, block, shift, c)) return;
  for (uint32_t n = 0; n < TENSOR_LANES; n++) {
    term[n] = accumulator(s, c[n]);
    exponent[n] = term[n].exponent;
    special = special || term[n].special != TENSOR_FINITE;
  }
  if (!wide) sum_products(a, row, b, block, shift, exponent, sum);
  for (uint32_t n = 0; n < TENSOR_LANES; n++) {
    const uint32_t column = block * TENSOR_LANES + n;
    if (special) {
      const struct specials found = find_specials(&term[n], a, row, b, column);
      if (special_result(s, &found, &c[n])) continue;
    }
    int64_t total = wide ? sum_column(a, row, b, column, shift, &exponent[n]) : sum[n];
    total += align(term[n].significand, s->guard, exponent[n] - term[n].exponent);
    c[n] = round_sum(s, total, exponent[n]);
  }
}

static void multiply_integers(const struct tensor_sums *s, const struct tensor_factor *a, uint32_t row,
                              const struct tensor_factor *b, uint32_t block, uint32_t c[TENSOR_LANES]) {
  for (uint32_t n = 0; n < TENSOR_LANES; n++) {
    int64_t sum = (int32_t)c[n];
    for (uint32_t k = 0; k < a->depth; k++) {
      const int32_t left = a->significand[tensor_place(a, row, k)],
                    right = b->significand[tensor_place(b, block * TENSOR_LANES + n, k)];
      if (s->a_type == MMA_B1)
        sum += __builtin_popcount((uint32_t)(s->exclusive_or ? left ^ right : left & right));
      else
        sum += (int64_t)left * right;
    }
    if (s->saturates && sum > INT32_MAX) sum = INT32_MAX;
    if (s->saturates && sum < INT32_MIN) sum = INT32_MIN;
    c[n] = (uint32_t)sum;
  }
}

void tensor_multiply(const struct tensor_sums *s, const struct tensor_factor *a, uint32_t row,
                     const struct tensor_factor *b, uint32_t block, uint32_t c[TENSOR_LANES]) {
  if (s->sum_type == MMA_S32)
    multiply_integers(s, a, row, b, block, c);
  else
    multiply_floats(s, a, row, b, block, c);
}
