// How an arithmetic op works on 32 lanes at once. An operation is written once, as an expression over one lane's values a, b, c;
// the macros here make its handler: a plain loop over all 32 lanes, which the compiler turns into vector instructions, and a
// loop over the lanes that run when some don't.
#ifndef VIRTUAL_HOPPER_WARP_LANES_H
#define VIRTUAL_HOPPER_WARP_LANES_H

#include "virtual-hopper/decode/op.h"
#include "virtual-hopper/warp/numbers.h"

// Each handler is compiled twice, for the baseline and for processors with AVX2 and FMA; the loader picks. Flags: nobody reads errno or
// the floating-point exception flags, and saying so lets comparisons and square roots become vector instructions.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LANES_HANDLER                                        \
  __attribute__((target_clones("arch=x86-64-v3", "default"), \
                 optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off")))
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LANES_HANDLER
#define LANES_INDEPENDENT
#endif

// A value type T is described by SLOT_T, what a register holds per lane (PTX ISA 5: narrow values are zero-extended in 32 bits);
// VALUE_T, what expressions see; BITS_T, an unsigned type of the value's width, at least 32 bits, in which sums may wrap;
// LOAD_T and STORE_T between the two.
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

// f32: results that aren't a number are the canonical NaN (PTX ISA 9.7.3). z: .ftz, s: .sat, both on loads or stores.
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

// f16 is computed in float, bf16 in double, then rounded once more, which gives the correctly rounded result (numbers.h says why).
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

// Runs `...` for each running lane i. Registers overlap only when they are the same register, so no lane reads what another wrote.
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

// d = expression(a), of types D and A.
#define LANES_UNARY(name, D, A, expression)                                 \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) {     \
    SLOT_##D *d = LANE_REGISTER(D, op->d);                                  \
    const SLOT_##A *sa = LANE_REGISTER(A, op->a);                           \
    FOR_LANES(VALUE_##A a = LOAD_##A(sa[i]); d[i] = STORE_##D(expression);) \
  }
#define LANES_BINARY(name, D, A, B, expression)                                                            \
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
    FOR_LANES(VALUE_##A a = LOAD_##A(sa[i]); VALUE_##B b = LOAD_##B(sb[i]); VALUE_##C c = LOAD_##C(sc[i]); \
              d[i] = STORE_##D(expression);)                                                               \
  }
// A fourth source e stands in op->target.
#define LANES_QUATERNARY(name, D, A, B, C, E, expression)                                                  \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) {                                    \
    SLOT_##D *d = LANE_REGISTER(D, op->d);                                                                 \
    const SLOT_##A *sa = LANE_REGISTER(A, op->a);                                                          \
    const SLOT_##B *sb = LANE_REGISTER(B, op->b);                                                          \
    const SLOT_##C *sc = LANE_REGISTER(C, op->c);                                                          \
    const SLOT_##E *se = LANE_REGISTER(E, op->target);                                                     \
    FOR_LANES(VALUE_##A a = LOAD_##A(sa[i]); VALUE_##B b = LOAD_##B(sb[i]); VALUE_##C c = LOAD_##C(sc[i]); \
              VALUE_##E e = LOAD_##E(se[i]); d[i] = STORE_##D(expression);)                                \
  }

// The bit of each lane, as a table: the compiler knows how to compare a vector with it.
static const uint32_t lane_bit[WARP_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// One operation as decode finds it. `name`: opcode and modifiers as written, without types; `type`: the instruction's first type;
// `shape`: the operands in order, one letter each: t the type, w twice as wide, u a u32, p a predicate; the destination first.
struct arithmetic_handler {
  const char *name;
  enum ptx_type type;
  const char *shape;
  op_execute *execute;
};
// Each ends in an entry without a name.
extern const struct arithmetic_handler warp_integer_handlers[], warp_integer_wide_handlers[],
    warp_integer_bits_handlers[], warp_integer_packed_handlers[], warp_integer_carry_handlers[],
    warp_logic_handlers[], warp_float_handlers[], warp_float_other_handlers[], warp_half_handlers[],
    warp_half_other_handlers[];

#endif
