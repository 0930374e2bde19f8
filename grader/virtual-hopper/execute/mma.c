// d = a * b + c over the registers of a warp, PTX ISA 9.7.14.5.14.
// The sums of f16, bf16 and tf32 are those of tensor-core.h, and what becomes of e4m3 and e5m2 is said at
// multiply_small. All other types share one loop in double, which represents every integer and bit exactly;
// f64 is multiplied and added in order.
// All fragments (9.7.14.5.2 to .13) follow one pattern. Lane = 4 * group + member. A register holds `e`
// neighbouring elements; for wide elements e is 1.
//   a: register r holds row `group`, or group + 8 for odd r where a has 16 rows; its columns begin at
//      e * (4 * step + member), where `step` counts the registers of the row.
//   b: the same with rows and columns exchanged.
//   c, d: row `group`, group + 8 in the second half; columns 2 * member and the next.
#include <math.h>
#include <string.h>

#include "virtual-hopper/base/numbers.h"
#include "virtual-hopper/execute/collective.h"
#include "virtual-hopper/execute/convert.h"
#include "virtual-hopper/execute/sparse.h"
#include "virtual-hopper/execute/tensor-core.h"

struct factors {
  double a[MMA_MOST_ROWS][MMA_MOST_DEPTH], b[MMA_COLUMNS][MMA_MOST_DEPTH]; // b by columns
};

uint32_t mma_element_bits(enum mma_element type) {
  switch (type) {
  case MMA_F64: return 64;
  case MMA_F32:
  case MMA_TF32:
  case MMA_S32: return 32;
  case MMA_F16:
  case MMA_BF16: return 16;
  case MMA_S4:
  case MMA_U4: return 4;
  case MMA_B1: return 1;
  default: return 8;
  }
}

static double value_of(uint64_t bits, enum mma_element type) {
  const uint32_t low = (uint32_t)bits;
  switch (type) {
  case MMA_F64: return double_from_bits(bits);
  case MMA_S32: return (int32_t)low;
  case MMA_S8: return (int8_t)low;
  case MMA_S4: return (int32_t)(low ^ 8) - 8;
  default: return low; // u8, u4, b1
  }
}

static uint64_t element_bits(const struct warp *w, uint32_t offset, uint32_t lane, uint32_t nth,
                             enum mma_element type) {
  const uint32_t bits = mma_element_bits(type);
  if (bits == 64) return warp_register64(w, offset)[lane];
  const uint64_t mask = (1ull << bits) - 1;
  return (uint64_t)warp_register32(w, offset)[lane] >> nth * bits & mask;
}

static double element(const struct warp *w, uint32_t offset, uint32_t lane, uint32_t nth,
                      enum mma_element type) {
  return value_of(element_bits(w, offset, lane, nth, type), type);
}

static uint32_t elements_in_register(enum mma_element type) {
  uint32_t bits = mma_element_bits(type);
  return bits >= 32 ? 1 : 32 / bits;
}

// One element of a (which = 0) or b (1), at depth `at` of a row of a or a column of b.
typedef void take_element(void *factors, uint32_t which, uint32_t row, uint32_t at, uint64_t bits,
                          enum mma_element type);

static uint32_t stored_depth(const struct mma_plan *plan) {
  return plan->sparse.is_sparse ? plan->depth / 2 : plan->depth;
}

// Visits all elements of both factors. The elements of b have the size of those of a.
static inline void gather(const struct warp *w, const struct mma_plan *plan, take_element *take,
                          void *factors) {
  const uint32_t count = elements_in_register(plan->a_type);
  const uint32_t halves = plan->rows / MMA_COLUMNS, steps = plan->depth / (4 * count);
  const uint32_t steps_of_a = stored_depth(plan) / (4 * count);
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    for (uint32_t step = 0; step < steps; step++) {
      for (uint32_t n = 0; n < count; n++) {
        const uint32_t group = lane / 4, at = count * (4 * step + lane % 4) + n;
        for (uint32_t half = 0; half < halves && step < steps_of_a; half++)
          take(factors, 0, group + 8 * half, at,
               element_bits(w, plan->a[step * halves + half], lane, n, plan->a_type), plan->a_type);
        take(factors, 1, group, at, element_bits(w, plan->b[step], lane, n, plan->b_type), plan->b_type);
      }
    }
  }
}

static void take_number(void *factors, uint32_t which, uint32_t row, uint32_t at, uint64_t bits,
                        enum mma_element type) {
  struct factors *f = factors;
  *(which ? &f->b[row][at] : &f->a[row][at]) = value_of(bits, type);
}

// Floats unpacked: the matrices, of an `a` of 8 bits the lower two and the upper two elements of each
// register, and what a product takes of b.
enum { FACTOR_A, FACTOR_B, FACTOR_LOWER, FACTOR_UPPER, FACTOR_TAKEN, FACTORS };

static void take_float(void *factors, uint32_t which, uint32_t row, uint32_t at, uint64_t bits,
                       enum mma_element type) {
  struct tensor_factor *f = factors;
  if (which == 0 && mma_element_bits(type) == 8)
    tensor_unpack(&f[FACTOR_LOWER + at % 4 / 2], row, at / 4 * 2 + at % 2, type, (uint32_t)bits, false);
  else
    tensor_unpack(&f[which], row, at, type, (uint32_t)bits, false);
}

// `at` says where a's elements belong along K: at[k] is k where a isn't sparse.
static double multiply(const struct mma_plan *plan, const struct factors *f, uint32_t row, uint32_t column,
                       const uint8_t *at, double sum) {
  const double *a = f->a[row], *b = f->b[column];
  if (plan->sum_type == MMA_F64) {
    for (uint32_t k = 0; k < plan->depth; k++)
      sum = fma(a[k], b[k], sum);
  } else if (plan->exclusive_or) {
    for (uint32_t k = 0; k < plan->depth; k++)
      sum += a[k] + b[k] - 2 * a[k] * b[k];
  } else {
    for (uint32_t k = 0; k < stored_depth(plan); k++)
      sum += a[k] * b[at[k]];
  }
  return sum;
}

static uint32_t integer_bits(const struct mma_plan *plan, double sum) {
  int64_t whole = (int64_t)sum;
  if (plan->saturates && whole > INT32_MAX) return INT32_MAX;
  if (plan->saturates && whole < INT32_MIN) return (uint32_t)INT32_MIN;
  return (uint32_t)whole;
}

static uint64_t bits_of(const struct mma_plan *plan, double sum) {
  switch (plan->sum_type) {
  case MMA_F64: return double_to_bits(sum);
  default: return integer_bits(plan, sum);
  }
}

// For the lane's element number `nth` of c and d: the register, and the position in the register.
static uint32_t sum_register(const struct mma_plan *plan, uint32_t nth) {
  return plan->sum_type == MMA_F16 ? nth / 2 : nth;
}

static void write_sum(const struct warp *w, const struct mma_plan *plan, uint32_t lane, uint32_t nth,
                      uint64_t bits) {
  uint32_t offset = plan->d[sum_register(plan, nth)];
  if (offset == OP_NO_REGISTER) return;
  if (plan->sum_type == MMA_F64) {
    warp_register64(w, offset)[lane] = bits;
  } else if (plan->sum_type == MMA_F16) {
    uint32_t *d = &warp_register32(w, offset)[lane], shift = nth % 2 * 16;
    *d = (*d & ~(0xffffu << shift)) | (uint32_t)bits << shift;
  } else {
    warp_register32(w, offset)[lane] = (uint32_t)bits;
  }
}

static bool has_float_factors(const struct mma_plan *plan) {
  switch (plan->a_type) {
  case MMA_F16:
  case MMA_BF16:
  case MMA_TF32:
  case MMA_E4M3:
  case MMA_E5M2: return true;
  default: return false;
  }
}

enum { MOST_FLOATS = MMA_MOST_ROWS * 32 }; // a k of 32 is the largest of these types
enum { MATRICES = 3 };                     // a, b, what a product takes of b
struct float_factors {
  int32_t significand[MATRICES][MOST_FLOATS], exponent[MATRICES][MOST_FLOATS], sign[MATRICES][MOST_FLOATS];
  uint8_t special[MATRICES][MOST_FLOATS];
  float number[2][MOST_FLOATS];
};

// Four lanes of a register hold neighbours of a line: see the fragments' pattern.
static void take_matrix(const struct warp *w, struct tensor_factor *f, uint32_t lines,
                        const uint32_t *registers, enum mma_element type) {
  enum { PIECE = 16, LANES_OF_LINE = 4 };
  const uint32_t halves = lines / MMA_COLUMNS, line_bytes = f->depth * (mma_element_bits(type) / 8);
  _Alignas(PIECE) uint8_t bytes[MOST_FLOATS * 4];
  for (uint32_t step = 0; step < line_bytes / PIECE; step++)
    for (uint32_t line = 0; line < lines; line++)
      memcpy(&bytes[line * line_bytes + step * PIECE],
             warp_register32(w, registers[step * halves + line / MMA_COLUMNS]) +
                 line % MMA_COLUMNS * LANES_OF_LINE,
             PIECE);
  tensor_unpack_matrix(f, lines, type, bytes, true);
  tensor_look_for_whole(f, lines, type);
}

static struct tensor_factor factor_in(struct float_factors *room, uint32_t matrix, uint32_t from,
                                      uint32_t depth) {
  return (struct tensor_factor){.depth = depth,
                                .significand = room->significand[matrix] + from,
                                .exponent = room->exponent[matrix] + from,
                                .sign = room->sign[matrix] + from,
                                .special = room->special[matrix] + from};
}

// For each stored element of a's row: its k.
static void places_of_row(const struct warp *w, const struct mma_plan *plan, uint32_t row,
                          uint8_t at[SPARSE_MOST_STORED]) {
  for (uint32_t k = 0; k < stored_depth(plan); k++)
    at[k] = (uint8_t)k;
  if (!plan->sparse.is_sparse) return;
  const uint32_t *words = warp_register32(w, plan->sparse.metadata) + row % 8 * SPARSE_GROUP_LANES;
  sparse_row(&plan->sparse, plan->a_type, plan->depth, words, row / 8, at);
}

// Hopper has no mma.sync of 8-bit floats. ptxas converts them to f16 and multiplies twice, first the lower
// two elements of each register, then the upper two, with sums that begin at 0; an ordinary addition to c
// follows (seen in the machine code of CUDA 13.0, and in the sums of an H100).
static void multiply_small(const struct tensor_sums *sums, struct tensor_factor *f, uint32_t row,
                           const uint8_t at[SPARSE_MOST_STORED], uint32_t c[TENSOR_LANES]) {
  uint32_t product[TENSOR_LANES] = {0};
  for (uint32_t upper = 0; upper < 2; upper++) {
    const struct tensor_factor *a = &f[FACTOR_LOWER + upper];
    uint8_t part[SPARSE_MOST_STORED];
    for (uint32_t k = 0; k < a->depth; k++)
      part[k] = at[k / 2 * 4 + 2 * upper + k % 2];
    sparse_select(&f[FACTOR_B], 0, part, a->depth, &f[FACTOR_TAKEN]);
    tensor_multiply(sums, a, row, &f[FACTOR_TAKEN], 0, product);
  }
  for (uint32_t n = 0; n < TENSOR_LANES; n++) {
    if (sums->sum_type == MMA_F16)
      c[n] = half_from_float(half_to_float(c[n]) + half_to_float(product[n]));
    else
      c[n] = float_canonical_bits(float_from_bits(c[n]) + float_from_bits(product[n]));
  }
}

// result[lane][n]: the bits of the lane's sums.
static void multiply_floats(const struct warp *w, const struct mma_plan *plan,
                            uint64_t result[WARP_LANES][4]) {
  struct float_factors room;
  const bool half = plan->sum_type == MMA_F16, small = mma_element_bits(plan->a_type) == 8;
  room.significand[0][0] = 0; // the rest is written by take_float: checkers of code don't see it
  struct tensor_factor f[FACTORS];
  f[FACTOR_A] = factor_in(&room, 0, 0, stored_depth(plan));
  f[FACTOR_B] = factor_in(&room, 1, 0, plan->depth);
  f[FACTOR_LOWER] = factor_in(&room, 0, 0, stored_depth(plan) / 2);
  f[FACTOR_UPPER] = factor_in(&room, 0, MOST_FLOATS / 2, stored_depth(plan) / 2);
  f[FACTOR_TAKEN] = factor_in(&room, 2, 0, plan->depth);
  if (small || plan->sparse.is_sparse) {
    gather(w, plan, take_float, f);
  } else {
    f[FACTOR_A].number = room.number[0];
    f[FACTOR_B].number = room.number[1];
    take_matrix(w, &f[FACTOR_A], plan->rows, plan->a, plan->a_type);
    take_matrix(w, &f[FACTOR_B], MMA_COLUMNS, plan->b, plan->b_type);
  }
  const struct tensor_sums sums = tensor_sums_of_mma(plan->a_type, plan->b_type, plan->sum_type);
  for (uint32_t row = 0; row < plan->rows; row++) {
    uint32_t c[TENSOR_LANES];
    for (uint32_t n = 0; n < TENSOR_LANES; n++) {
      const uint32_t nth = row / 8 * 2 + n % 2;
      c[n] = (uint32_t)element_bits(w, plan->c[sum_register(plan, nth)], row % 8 * 4 + n / 2,
                                    half ? n % 2 : 0, plan->sum_type);
    }
    uint8_t at[SPARSE_MOST_STORED];
    if (small || plan->sparse.is_sparse) places_of_row(w, plan, row, at);
    if (small) {
      multiply_small(&sums, f, row, at, c);
    } else {
      if (plan->sparse.is_sparse) sparse_select(&f[FACTOR_B], 0, at, f[FACTOR_A].depth, &f[FACTOR_TAKEN]);
      tensor_multiply(&sums, &f[FACTOR_A], row, &f[plan->sparse.is_sparse ? FACTOR_TAKEN : FACTOR_B], 0, c);
    }
    for (uint32_t n = 0; n < TENSOR_LANES; n++)
      result[row % 8 * 4 + n / 2][row / 8 * 2 + n % 2] = c[n];
  }
}

static void multiply_others(const struct warp *w, const struct mma_plan *plan,
                            uint64_t result[WARP_LANES][4]) {
  struct factors f;
  const uint32_t sums = plan->rows * MMA_COLUMNS / WARP_LANES;
  gather(w, plan, take_number, &f);
  float_round(plan->rounding);
  uint8_t at[MMA_MOST_ROWS][MMA_MOST_DEPTH];
  for (uint32_t row = 0; row < plan->rows; row++) {
    places_of_row(w, plan, row, at[row]);
  }
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    for (uint32_t n = 0; n < sums; n++) {
      const uint32_t row = lane / 4 + 8 * (n / 2);
      double c = element(w, plan->c[sum_register(plan, n)], lane, 0, plan->sum_type);
      result[lane][n] = bits_of(plan, multiply(plan, &f, row, lane % 4 * 2 + n % 2, at[row], c));
    }
  }
}

static void multiply_add(struct warp *w, const struct op *op, uint32_t lanes) {
  const struct mma_plan *plan = op->extra;
  if (!matrix_whole_warp(w, op, lanes)) return;
  if (plan->sparse.is_sparse && w->launch->check)
    sparse_check(w, op, &plan->sparse, plan->a_type, plan->depth);
  uint64_t result[WARP_LANES][4];
  const uint32_t sums = plan->rows * MMA_COLUMNS / WARP_LANES;
  if (has_float_factors(plan))
    multiply_floats(w, plan, result);
  else
    multiply_others(w, plan, result);
  float_round(ROUND_NEAREST);
  // d is written last, since c and d may be the same registers.
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    for (uint32_t n = 0; n < sums; n++)
      write_sum(w, plan, lane, n, result[lane][n]);
}

void mma_multiply(struct warp *w, const struct op *op) {
  collective_meeting(w, op, multiply_add);
}
