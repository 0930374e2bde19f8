// Elements of matrices, unpacked for the sums. In: bits of an element. Out: significand, exponent, sign. A
// subnormal element has the exponent of the smallest normal one; a zero has that of f32's.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/execute/tensor-core.h"

enum { ZERO_EXPONENT = -126 };

#define TENSOR_INLINE static inline __attribute__((always_inline)) // so that a type's layout is a constant

struct layout {
  uint8_t exponent_bits, fraction_bits, low_zeros;
  bool has_infinity; // else only the largest pattern is special, and is NaN
};

TENSOR_INLINE struct layout layout_of(enum mma_element type) {
  switch (type) {
  case MMA_F16: return (struct layout){5, 10, 0, true};
  case MMA_BF16: return (struct layout){8, 7, 0, true};
  case MMA_TF32: return (struct layout){8, 10, 13, true};
  case MMA_E4M3: return (struct layout){4, 3, 0, false};
  case MMA_E5M2: return (struct layout){5, 2, 0, true};
  default: die("type %d of a matrix is no floating-point type", (int)type);
  }
}

uint32_t tensor_fraction_bits(enum mma_element type) {
  return layout_of(type).fraction_bits;
}

static void *array(uint32_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) die("out of memory for a matrix");
  return memory;
}

struct tensor_factor tensor_factor_create(uint32_t lines, uint32_t depth) {
  const uint32_t count = lines * depth;
  return (struct tensor_factor){.depth = depth,
                                .room = count,
                                .significand = array(count, sizeof(int32_t)),
                                .exponent = array(count, sizeof(int32_t)),
                                .sign = array(count, sizeof(int32_t)),
                                .special = array(count, 1),
                                .number = array(count, sizeof(float))};
}

void tensor_factor_free(struct tensor_factor *f) {
  free(f->significand);
  free(f->exponent);
  free(f->sign);
  free(f->special);
  free(f->number);
  memset(f, 0, sizeof *f);
}

TENSOR_INLINE void unpack_float(struct tensor_factor *f, uint32_t at, struct layout l, uint32_t bits,
                                bool negate) {
  bits >>= l.low_zeros;
  const uint32_t most = (1u << l.exponent_bits) - 1;
  const uint32_t fraction = bits & ((1u << l.fraction_bits) - 1);
  const uint32_t exponent = bits >> l.fraction_bits & most;
  const bool negative = bits >> (l.fraction_bits + l.exponent_bits) & 1;
  const int32_t bias = (int32_t)(most >> 1);
  f->significand[at] = (int32_t)(exponent ? fraction | 1u << l.fraction_bits : fraction);
  f->exponent[at] = f->significand[at] ? (int32_t)(exponent ? exponent : 1) - bias : ZERO_EXPONENT;
  f->sign[at] = negative != negate ? -1 : 0;
  f->special[at] = TENSOR_FINITE;
  if (exponent != most) return;
  if (l.has_infinity)
    f->special[at] = fraction ? TENSOR_NAN : TENSOR_INFINITY;
  else if (fraction + 1 == 1u << l.fraction_bits)
    f->special[at] = TENSOR_NAN;
  f->has_special = f->has_special || f->special[at] != TENSOR_FINITE;
}

void tensor_unpack(struct tensor_factor *f, uint32_t line, uint32_t k, enum mma_element type, uint32_t bits,
                   bool negate) {
  const uint32_t at = tensor_place(f, line, k);
  switch (type) {
  case MMA_S8: f->significand[at] = (int32_t)((bits & 255) ^ 128) - 128; return;
  case MMA_S4: f->significand[at] = (int32_t)((bits & 15) ^ 8) - 8; return;
  case MMA_U8: f->significand[at] = (uint8_t)bits; return;
  case MMA_U4: f->significand[at] = (int32_t)(bits & 15); return;
  case MMA_B1: f->significand[at] = (int32_t)bits; return;
  default: unpack_float(f, at, layout_of(type), bits, negate); return;
  }
}

TENSOR_INLINE void unpack_floats(struct tensor_factor *f, const struct tensor_run *run, enum mma_element type,
                                 uint32_t width, bool negate) {
  for (uint32_t i = 0; i < TENSOR_RUN_BYTES / width; i++) {
    uint32_t bits = 0;
    memcpy(&bits, run->bytes + i * width, width);
    const uint32_t at =
        run->along_lines ? tensor_place(f, run->line + i, run->k) : tensor_place(f, run->line, run->k + i);
    unpack_float(f, at, layout_of(type), bits, negate);
  }
}

void tensor_unpack_run(struct tensor_factor *f, const struct tensor_run *run, enum mma_element type,
                       bool negate) {
  switch (type) {
  case MMA_F16: unpack_floats(f, run, MMA_F16, 2, negate); return;
  case MMA_BF16: unpack_floats(f, run, MMA_BF16, 2, negate); return;
  case MMA_TF32: unpack_floats(f, run, MMA_TF32, 4, negate); return;
  case MMA_E4M3: unpack_floats(f, run, MMA_E4M3, 1, negate); return;
  case MMA_E5M2: unpack_floats(f, run, MMA_E5M2, 1, negate); return;
  default: break;
  }
  const uint32_t width = mma_element_bits(type) < 8 ? 4 : mma_element_bits(type) / 8; // bits: by words
  for (uint32_t i = 0; i < TENSOR_RUN_BYTES / width; i++) {
    uint32_t bits = 0;
    memcpy(&bits, run->bytes + i * width, width);
    tensor_unpack(f, run->along_lines ? run->line + i : run->line, run->along_lines ? run->k : run->k + i,
                  type, bits, negate);
  }
}
