// How an arithmetic op works on 32 lanes at once. An operation is written once, as an expression over the
// values a, b, c of one lane. The macros here make its handler from two loops. When all 32 lanes run, a plain
// loop is used, which the compiler turns into vector instructions. Otherwise a loop over the running lanes is
// used.
#ifndef VIRTUAL_HOPPER_EXECUTE_LANES_H
#define VIRTUAL_HOPPER_EXECUTE_LANES_H

#include "virtual-hopper/base/numbers.h"
#include "virtual-hopper/machine/op.h"

// Each handler is compiled twice, for the baseline and for processors with AVX2 and FMA; the loader picks
// one. The compiler flags say that errno and the floating-point exception flags are never read. So
// comparisons and square roots can become vector instructions. Without no-ipa-ra, gcc leaves out vzeroupper
// in a handler that ends with a call; then each SSE instruction is slow until some other handler has one.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LANES_HANDLER                                        \
  __attribute__((target_clones("arch=x86-64-v3", "default"), \
                 optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off", "no-ipa-ra")))
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LANES_HANDLER
#define LANES_INDEPENDENT
#endif

// These macros describe a value type T. SLOT_T: the type that a register holds per lane (PTX ISA 5: narrow
// values are zero-extended to 32 bits). VALUE_T: the type of the values in expressions. BITS_T: an unsigned
// type as wide as the value, at least 32 bits, in which sums may wrap. LOAD_T and STORE_T convert between
// slot and value.
#define SLOT_u8      uint32_t
#define VALUE_u8     uint8_t
#define BITS_u8      uint32_t
#define LOAD_u8(x)   ((uint8_t)(x))
#define STORE_u8(x)  ((uint32_t)(uint8_t)(x))
#define SLOT_s8      uint32_t
#define VALUE_s8     int8_t
#define BITS_s8      uint32_t
#define LOAD_s8(x)   ((int8_t)(x))
#define STORE_s8(x)  ((uint32_t)(uint8_t)(x))
#define SLOT_u16     uint32_t
#define VALUE_u16    uint16_t
#define BITS_u16     uint32_t
#define LOAD_u16(x)  ((uint16_t)(x))
#define STORE_u16(x) ((uint32_t)(uint16_t)(x))
#define SLOT_s16     uint32_t
#define VALUE_s16    int16_t
#define BITS_s16     uint32_t
#define LOAD_s16(x)  ((int16_t)(x))
#define STORE_s16(x) ((uint32_t)(uint16_t)(x))
#define SLOT_u32     uint32_t
#define VALUE_u32    uint32_t
#define BITS_u32     uint32_t
#define LOAD_u32(x)  (x)
#define STORE_u32(x) ((uint32_t)(x))
#define SLOT_s32     uint32_t
#define VALUE_s32    int32_t
#define BITS_s32     uint32_t
#define LOAD_s32(x)  ((int32_t)(x))
#define STORE_s32(x) ((uint32_t)(x))
#define SLOT_u64     uint64_t
#define VALUE_u64    uint64_t
#define BITS_u64     uint64_t
#define LOAD_u64(x)  (x)
#define STORE_u64(x) ((uint64_t)(x))
#define SLOT_s64     uint64_t
#define VALUE_s64    int64_t
#define BITS_s64     uint64_t
#define LOAD_s64(x)  ((int64_t)(x))
#define STORE_s64(x) ((uint64_t)(x))

// f32: a result that is a NaN becomes the canonical NaN (PTX ISA 9.7.3). z: .ftz; s: .sat. Loads and stores
// apply them.
#define SLOT_f32       uint32_t
#define VALUE_f32      float
#define LOAD_f32(x)    float_from_bits(x)
#define STORE_f32(x)   float_canonical_bits(x)
#define SLOT_f32z      uint32_t
#define VALUE_f32z     float
#define LOAD_f32z(x)   float_from_bits(float_flush_bits(x))
#define STORE_f32z(x)  float_flush_bits(float_canonical_bits(x))
#define SLOT_f32s      uint32_t
#define VALUE_f32s     float
#define LOAD_f32s(x)   float_from_bits(x)
#define STORE_f32s(x)  float_to_bits(float_saturate(x))
#define SLOT_f32zs     uint32_t
#define VALUE_f32zs    float
#define LOAD_f32zs(x)  float_from_bits(float_flush_bits(x))
#define STORE_f32zs(x) float_flush_bits(float_to_bits(float_saturate(x)))
#define SLOT_f64       uint64_t
#define VALUE_f64      double
#define LOAD_f64(x)    double_from_bits(x)
#define STORE_f64(x)   double_to_bits(x)

// f16 is computed in float and bf16 in double; then the result is rounded once more. The final result is
// correctly rounded (numbers.h says why).
#define SLOT_f16                 uint32_t
#define VALUE_f16                float
#define LOAD_f16(x)              half_to_float(x)
#define STORE_f16(x)             half_from_float(x)
#define VALUE_f16z               float
#define LOAD_f16z(x)             half_to_float(half_flush(x))
#define STORE_f16z(x)            half_flush(half_from_float(x))
#define VALUE_f16s               float
#define LOAD_f16s(x)             half_to_float(x)
#define STORE_f16s(x)            half_from_float(float_saturate(x))
#define VALUE_f16zs              float
#define LOAD_f16zs(x)            half_to_float(half_flush(x))
#define STORE_f16zs(x)           half_flush(half_from_float(float_saturate(x)))
#define VALUE_f16r               float
#define LOAD_f16r(x)             half_to_float(x)
#define STORE_f16r(x)            half_relu(half_from_float(x))
#define VALUE_f16zr              float
#define LOAD_f16zr(x)            half_to_float(half_flush(x))
#define STORE_f16zr(x)           half_relu(half_flush(half_from_float(x)))
#define SLOT_bf16                uint32_t
#define VALUE_bf16               double
#define LOAD_bf16(x)             ((double)bfloat_to_float(x))
#define STORE_bf16(x)            bfloat_from_double(x)
#define VALUE_bf16r              double
#define LOAD_bf16r(x)            ((double)bfloat_to_float(x))
#define STORE_bf16r(x)           half_relu(bfloat_from_double(x))

#define LANE_REGISTER(T, offset) ((SLOT_##T *)(void *)(w->registers + (offset)))

// Runs `...` for each running lane i. Registers overlap only when they are the same register, so no lane
// reads a value that another lane wrote.
#define FOR_LANES(...)                                            \
  if (w->lanes == UINT32_MAX) {                                   \
    LANES_INDEPENDENT for (unsigned i = 0; i < WARP_LANES; i++) { \
      __VA_ARGS__                                                 \
    }                                                             \
  } else {                                                        \
    for (uint32_t left = w->lanes; left; left &= left - 1) {      \
      unsigned i = (unsigned)__builtin_ctz(left);                 \
      __VA_ARGS__                                                 \
    }                                                             \
  }

// The bit of each lane, as a table, because the compiler can make vector instructions from a table.
static const uint32_t lane_bit[WARP_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// The same for what each lane writes to `d` alone, of type D. When many lanes run, but not all, it is quicker
// to compute all of them and to leave what the others had: an operation takes any value. A file whose
// operations call functions defines LANES_ONE_BY_ONE.
enum { LANES_MANY = 12 };
#ifdef LANES_ONE_BY_ONE
#define LANES_TOGETHER(lanes) false
#else
#define LANES_TOGETHER(lanes) (__builtin_popcount(lanes) >= LANES_MANY)
#endif
#define FOR_LANES_INTO(D, value, ...)                             \
  const uint32_t lanes = w->lanes;                                \
  if (lanes == UINT32_MAX) {                                      \
    LANES_INDEPENDENT for (unsigned i = 0; i < WARP_LANES; i++) { \
      __VA_ARGS__                                                 \
      d[i] = (value);                                             \
    }                                                             \
  } else if (LANES_TOGETHER(lanes)) {                             \
    LANES_INDEPENDENT for (unsigned i = 0; i < WARP_LANES; i++) { \
      __VA_ARGS__                                                 \
      const SLOT_##D fresh = (value), old = d[i];                 \
      d[i] = lanes & lane_bit[i] ? fresh : old;                   \
    }                                                             \
  } else {                                                        \
    for (uint32_t left = lanes; left; left &= left - 1) {         \
      unsigned i = (unsigned)__builtin_ctz(left);                 \
      __VA_ARGS__                                                 \
      d[i] = (value);                                             \
    }                                                             \
  }

// d = expression(a), of types D and A.
#define LANES_UNARY(name, D, A, expression)                                  \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) {      \
    SLOT_##D *d = LANE_REGISTER(D, op->d);                                   \
    const SLOT_##A *sa = LANE_REGISTER(A, op->a);                            \
    FOR_LANES_INTO(D, STORE_##D(expression), VALUE_##A a = LOAD_##A(sa[i]);) \
  }
#define LANES_BINARY(name, D, A, B, expression)                                                             \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) {                                     \
    SLOT_##D *d = LANE_REGISTER(D, op->d);                                                                  \
    const SLOT_##A *sa = LANE_REGISTER(A, op->a);                                                           \
    const SLOT_##B *sb = LANE_REGISTER(B, op->b);                                                           \
    FOR_LANES_INTO(D, STORE_##D(expression), VALUE_##A a = LOAD_##A(sa[i]); VALUE_##B b = LOAD_##B(sb[i]);) \
  }
// For operations that are no vector instructions.
#define LANES_BINARY_EACH(name, D, A, B, expression)                                                       \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) {                                    \
    SLOT_##D *d = LANE_REGISTER(D, op->d);                                                                 \
    const SLOT_##A *sa = LANE_REGISTER(A, op->a);                                                          \
    const SLOT_##B *sb = LANE_REGISTER(B, op->b);                                                          \
    FOR_LANES(VALUE_##A a = LOAD_##A(sa[i]); VALUE_##B b = LOAD_##B(sb[i]); d[i] = STORE_##D(expression);) \
  }
#define LANES_TERNARY(name, D, A, B, C, expression)                                                        \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) {                                    \
    SLOT_##D *d = LANE_REGISTER(D, op->d);                                                                 \
    const SLOT_##A *sa = LANE_REGISTER(A, op->a);                                                          \
    const SLOT_##B *sb = LANE_REGISTER(B, op->b);                                                          \
    const SLOT_##C *sc = LANE_REGISTER(C, op->c);                                                          \
    FOR_LANES_INTO(D, STORE_##D(expression), VALUE_##A a = LOAD_##A(sa[i]); VALUE_##B b = LOAD_##B(sb[i]); \
                   VALUE_##C c = LOAD_##C(sc[i]);)                                                         \
  }
// The fourth source, e, is in op->target.
#define LANES_QUATERNARY(name, D, A, B, C, E, expression)                                                  \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) {                                    \
    SLOT_##D *d = LANE_REGISTER(D, op->d);                                                                 \
    const SLOT_##A *sa = LANE_REGISTER(A, op->a);                                                          \
    const SLOT_##B *sb = LANE_REGISTER(B, op->b);                                                          \
    const SLOT_##C *sc = LANE_REGISTER(C, op->c);                                                          \
    const SLOT_##E *se = LANE_REGISTER(E, op->target);                                                     \
    FOR_LANES_INTO(D, STORE_##D(expression), VALUE_##A a = LOAD_##A(sa[i]); VALUE_##B b = LOAD_##B(sb[i]); \
                   VALUE_##C c = LOAD_##C(sc[i]); VALUE_##E e = LOAD_##E(se[i]);)                          \
  }

// One operation, in the form that decode looks up. `name`: opcode and modifiers as written, without types.
// `type`: the first type of the instruction. `shape`: the operands in order, the destination first, one
// letter each: t of this type, w twice as wide, u a u32, p a predicate.
struct arithmetic_handler {
  const char *name;
  enum ptx_type type;
  const char *shape;
  op_execute *execute;
};
// Each table ends with an entry without a name.
extern const struct arithmetic_handler warp_integer_handlers[], warp_integer_wide_handlers[],
    warp_integer_bits_handlers[], warp_integer_packed_handlers[], warp_integer_carry_handlers[],
    warp_logic_handlers[], warp_float_handlers[], warp_float_other_handlers[], warp_half_handlers[],
    warp_half_other_handlers[];

#endif
