// Elements of matrices, unpacked for the sums. In: bits of an element. Out: significand, exponent, sign. A
// subnormal element has the exponent of the smallest normal one; a zero has that of f32's.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/execute/tensor-core.h"

enum { ZERO_EXPONENT = -126 };

#define TENSOR_INLINE static inline __attribute__((always_inline)) // so that a type's layout is a constant
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TENSOR_HANDLER __attribute__((target_clones("arch=x86-64-v3", "default"), optimize("O3")))
#else
#define TENSOR_HANDLER
#endif

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

// ---- whole matrices ---------------------------------------------------------------------------------------

typedef int32_t lanes __attribute__((vector_size(4 * TENSOR_LANES)));
typedef uint16_t lanes16 __attribute__((vector_size(2 * TENSOR_LANES)));
typedef uint32_t lanes32 __attribute__((vector_size(4 * TENSOR_LANES)));

// unpack_float for neighbouring lines, without a branch. *specials gets bits where one is special. Vectors
// are passed by address: without AVX they would be passed in another way than with it.
TENSOR_INLINE void unpack_lines(struct tensor_factor *f, uint32_t at, struct layout l, const lanes *bits,
                                lanes *specials) {
  const int32_t most = (1 << l.exponent_bits) - 1, bias = most >> 1, hidden = 1 << l.fraction_bits;
  const lanes word = (lanes)((lanes32)*bits >> l.low_zeros), field = word >> l.fraction_bits & most;
  const lanes subnormal = field == 0;
  const lanes significand = (word & (hidden - 1)) | (hidden & ~subnormal), zero = significand == 0;
  const lanes exponent = ((field - subnormal - bias) & ~zero) | (ZERO_EXPONENT & zero);
  const lanes sign = -(word >> (l.fraction_bits + l.exponent_bits) & 1);
  memcpy(f->significand + at, &significand, sizeof significand);
  memcpy(f->exponent + at, &exponent, sizeof exponent);
  memcpy(f->sign + at, &sign, sizeof sign);
  memset(f->special + at, TENSOR_FINITE, TENSOR_LANES);
  *specials |= field == most;
}

#define UNPACK_ALL(name, T)                                                                     \
  TENSOR_INLINE bool unpack_all##name(struct tensor_factor *f, uint32_t lines, struct layout l, \
                                      const T *elements) {                                      \
    lanes specials = {0};                                                                       \
    for (uint32_t line = 0; line < lines; line += TENSOR_LANES) {                               \
      for (uint32_t k = 0; k < f->depth; k++) {                                                 \
        lanes##name some;                                                                       \
        memcpy(&some, elements + (size_t)k * lines + line, sizeof some);                        \
        const lanes bits = __builtin_convertvector(some, lanes);                                \
        unpack_lines(f, tensor_place(f, line, k), l, &bits, &specials);                         \
      }                                                                                         \
    }                                                                                           \
    uint64_t words[sizeof specials / sizeof(uint64_t)], any = 0;                                \
    memcpy(words, &specials, sizeof words);                                                     \
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)                                   \
      any |= words[i];                                                                          \
    return any != 0;                                                                            \
  }                                                                                             \
  /* Lines one after the other become columns. */                                               \
  static void turn##name(T *to, const T *from, uint32_t lines, uint32_t depth) {                \
    for (uint32_t line = 0; line < lines; line++)                                               \
      for (uint32_t k = 0; k < depth; k++)                                                      \
        to[k * lines + line] = from[line * depth + k];                                          \
  }
UNPACK_ALL(16, uint16_t)
UNPACK_ALL(32, uint32_t)

TENSOR_HANDLER static bool unpack_type(struct tensor_factor *f, uint32_t lines, enum mma_element type,
                                       const void *columns) {
  switch (type) {
  case MMA_F16: return unpack_all16(f, lines, layout_of(MMA_F16), columns);
  case MMA_BF16: return unpack_all16(f, lines, layout_of(MMA_BF16), columns);
  default: return unpack_all32(f, lines, layout_of(MMA_TF32), columns);
  }
}

static bool unpack_columns(struct tensor_factor *f, uint32_t lines, enum mma_element type, const void *bytes,
                           bool along_k) {
  uint32_t turned[TENSOR_MOST_MATRIX];
  if (!along_k) return unpack_type(f, lines, type, bytes);
  if (type == MMA_TF32)
    turn32(turned, bytes, lines, f->depth);
  else
    turn16((uint16_t *)turned, bytes, lines, f->depth);
  return unpack_type(f, lines, type, turned);
}

void tensor_unpack_matrix(struct tensor_factor *f, uint32_t lines, enum mma_element type, const void *bytes,
                          bool along_k) {
  if (!unpack_columns(f, lines, type, bytes, along_k)) return;
  const uint32_t width = mma_element_bits(type) / 8; // with infinities or NaN: once more, one by one
  for (uint32_t line = 0; line < lines; line++) {
    for (uint32_t k = 0; k < f->depth; k++) {
      uint32_t bits = 0;
      memcpy(&bits,
             (const uint8_t *)bytes + (size_t)(along_k ? line * f->depth + k : k * lines + line) * width,
             width);
      tensor_unpack(f, line, k, type, bits, false);
    }
  }
}
