// What a tensor core computes: wgmma.mma_async and mma.sync share it. One idea: an element is unpacked once
// into significand, exponent and sign; then a sum is integer arithmetic.
//
// A sum of an accumulator c and `depth` products is one fused operation. Every product is exact. All terms
// are aligned to the largest exponent among them, cut off towards zero behind `guard` fraction bits, and
// added exactly. The result is rounded once: towards zero for f32, to nearest even for f16; a sum that rounds
// to zero is +0. A product's
// exponent is the sum of its factors' exponents, so its significand lies in [1, 4). So published models of
// the H100 describe it (arXiv 2511.10909, arXiv 2512.07004).
#ifndef VIRTUAL_HOPPER_EXECUTE_TENSOR_CORE_H
#define VIRTUAL_HOPPER_EXECUTE_TENSOR_CORE_H

#include "virtual-hopper/execute/matrix.h"

enum {
  TENSOR_LANES = 8,       // columns that are summed at once
  TENSOR_MOST_DEPTH = 64, // of elements of 8 bits and more
  TENSOR_MOST_ROWS = 64,
  TENSOR_MOST_COLUMNS = 256,
  TENSOR_BIT_WORDS = 8 // words of a line of 256 bits
};

// One factor's elements, unpacked. Element k of line n (a row of A, a column of B) stands at
// [(n / TENSOR_LANES * depth + k) * TENSOR_LANES + n % TENSOR_LANES].
// Integers stand in `significand` with their sign; of single bits each word is one element.
struct tensor_factor {
  uint32_t depth, room;                   // room: in elements
  bool has_special;                       // some element is an infinity or a NaN
  int32_t *significand, *exponent, *sign; // sign: 0, or -1 for negative elements
  uint8_t *special;                       // enum tensor_special
  float *number; // the elements as numbers, if they are whole; NULL: no room for that
  bool is_whole; // all are whole numbers, the largest of which is `largest`
  float largest;
};
enum tensor_special { TENSOR_FINITE, TENSOR_INFINITY, TENSOR_NAN };

struct tensor_sums {
  enum mma_element a_type, b_type, sum_type;
  uint32_t guard;        // fraction bits that are kept when terms are aligned
  uint32_t sum_fraction; // fraction bits of a result of type f32
  bool saturates;        // integers
  bool exclusive_or;     // bits
};
struct tensor_sums tensor_sums_of_wgmma(enum mma_element a, enum mma_element b, enum mma_element sum);
struct tensor_sums tensor_sums_of_mma(enum mma_element a, enum mma_element b, enum mma_element sum);

struct tensor_factor tensor_factor_create(uint32_t lines, uint32_t depth);
void tensor_factor_free(struct tensor_factor *f);
static inline uint32_t tensor_place(const struct tensor_factor *f, uint32_t line, uint32_t k) {
  return (line / TENSOR_LANES * f->depth + k) * TENSOR_LANES + line % TENSOR_LANES;
}
uint32_t tensor_fraction_bits(enum mma_element type);
// Unpacks one element.
void tensor_unpack(struct tensor_factor *f, uint32_t line, uint32_t k, enum mma_element type, uint32_t bits,
                   bool negate);
// Elements that are neighbours in memory, of lines or along k: first the one at (line, k).
enum { TENSOR_RUN_BYTES = 16 };
struct tensor_run {
  uint32_t line, k;
  bool along_lines;
  uint8_t bytes[TENSOR_RUN_BYTES];
};
void tensor_unpack_run(struct tensor_factor *f, const struct tensor_run *run, enum mma_element type,
                       bool negate);

// A whole matrix of floats of 16 or 32 bits: aligned, the elements of a line one after the other (`along_k`),
// or those of the same k; at most TENSOR_MOST_MATRIX of them, and lines by TENSOR_LANES.
enum { TENSOR_MOST_MATRIX = 512 };
void tensor_unpack_matrix(struct tensor_factor *f, uint32_t lines, enum mma_element type, const void *bytes,
                          bool along_k);

// Once all elements are unpacked: looks whether they are small whole numbers, of which sums are made sooner.
void tensor_look_for_whole(struct tensor_factor *f, uint32_t lines, enum mma_element type);
// For tensor_multiply, with the same operands. False, and c is as it was: not all terms are whole numbers, or
// a sum in float might not be exact.
bool tensor_multiply_whole(const struct tensor_sums *s, const struct tensor_factor *a, uint32_t row,
                           const struct tensor_factor *b, uint32_t block, uint32_t c[TENSOR_LANES]);

// c[n] += row `row` of a times the columns 8 * block .. + 7 of b. c: the accumulators' bits.
void tensor_multiply(const struct tensor_sums *s, const struct tensor_factor *a, uint32_t row,
                     const struct tensor_factor *b, uint32_t block, uint32_t c[TENSOR_LANES]);

#endif
