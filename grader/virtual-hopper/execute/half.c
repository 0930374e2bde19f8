// f16, f16x2, bf16 and bf16x2 arithmetic, PTX ISA 9.7.4. Each operation is written for one element, as a
// function of the wider host type. The macros make its scalar handler and its packed handler. numbers.h says
// why rounding twice is safe. ex2 and tanh are in half-other.c.
#include "virtual-hopper/execute/lanes.h"

// NAME_T(a, b, c) is a value of type T. Each handler uses only the sources that it needs.
#define ELEMENT1(T, function, x)       STORE_##T(function(LOAD_##T(x)))
#define ELEMENT2(T, function, x, y)    STORE_##T(function(LOAD_##T(x), LOAD_##T(y)))
#define ELEMENT3(T, function, x, y, z) STORE_##T(function(LOAD_##T(x), LOAD_##T(y), LOAD_##T(z)))
#define HIGH(x)                        ((x) >> 16)
#define LOW(x)                         ((x)&0xffffu)
#define PACKED(low, high)              ((low) | (high) << 16)

#define HALVES1(name, T, function)                                 \
  LANES_UNARY(name##_##T, u32, u32, ELEMENT1(T, function, LOW(a))) \
  LANES_UNARY(name##_##T##x2, u32, u32, PACKED(ELEMENT1(T, function, LOW(a)), ELEMENT1(T, function, HIGH(a))))
#define HALVES2(name, T, function)                                               \
  LANES_BINARY(name##_##T, u32, u32, u32, ELEMENT2(T, function, LOW(a), LOW(b))) \
  LANES_BINARY(name##_##T##x2, u32, u32, u32,                                    \
               PACKED(ELEMENT2(T, function, LOW(a), LOW(b)), ELEMENT2(T, function, HIGH(a), HIGH(b))))
#define HALVES3(name, T, function)                                                             \
  LANES_TERNARY(name##_##T, u32, u32, u32, u32, ELEMENT3(T, function, LOW(a), LOW(b), LOW(c))) \
  LANES_TERNARY(name##_##T##x2, u32, u32, u32, u32,                                            \
                PACKED(ELEMENT3(T, function, LOW(a), LOW(b), LOW(c)),                          \
                       ELEMENT3(T, function, HIGH(a), HIGH(b), HIGH(c))))

#define SUM(a, b)        ((a) + (b))
#define DIFFERENCE(a, b) ((a) - (b))
#define PRODUCT(a, b)    ((a) * (b))
#define ARITHMETIC(T)         \
  HALVES2(add, T, SUM)        \
  HALVES2(sub, T, DIFFERENCE) \
  HALVES2(mul, T, PRODUCT)
ARITHMETIC(f16)
ARITHMETIC(f16z)
ARITHMETIC(f16s)
ARITHMETIC(f16zs)
ARITHMETIC(bf16)

HALVES3(fma, f16, half_fma)
HALVES3(fma, f16z, half_fma)
HALVES3(fma, f16s, half_fma)
HALVES3(fma, f16zs, half_fma)
HALVES3(fma, f16r, half_fma)
HALVES3(fma, f16zr, half_fma)
HALVES3(fma, bf16, bfloat_fma)
HALVES3(fma, bf16r, bfloat_fma)

// .oob: the result is +0 when an operand is the NaN that tensor copies use as fill value (9.7.4.4). On an
// H100 this NaN is 0x7ff7 or 0xfff7, in both formats, and only the two factors are checked. In the addend it
// is a NaN like any other.
#define IS_OUT_OF_BOUNDS(x) (((x)&0x7fffu) == 0x7ff7u)
#define ELEMENT3_OOB(T, function, x, y, z) \
  (IS_OUT_OF_BOUNDS(x) || IS_OUT_OF_BOUNDS(y) ? 0 : ELEMENT3(T, function, x, y, z))
#define HALVES3_OOB(name, T, function)                                                             \
  LANES_TERNARY(name##_##T, u32, u32, u32, u32, ELEMENT3_OOB(T, function, LOW(a), LOW(b), LOW(c))) \
  LANES_TERNARY(name##_##T##x2, u32, u32, u32, u32,                                                \
                PACKED(ELEMENT3_OOB(T, function, LOW(a), LOW(b), LOW(c)),                          \
                       ELEMENT3_OOB(T, function, HIGH(a), HIGH(b), HIGH(c))))
HALVES3_OOB(fma_oob, f16, half_fma)
HALVES3_OOB(fma_oob, f16r, half_fma)
HALVES3_OOB(fma_oob, bf16, bfloat_fma)
HALVES3_OOB(fma_oob, bf16r, bfloat_fma)

// abs, neg, min and max work on the bit patterns. This orders patterns by sign and magnitude, so that
// -0 < +0 (9.7.4.7).
NUMBERS_INLINE int32_t half_order(uint32_t x) {
  int32_t magnitude = (int32_t)(x & 0x7fffu);
  return (x & 0x8000u) ? -1 - magnitude : magnitude;
}
NUMBERS_INLINE uint32_t half_chosen(uint32_t x, uint32_t y, uint32_t infinity, bool greatest, bool nan_wins) {
  bool x_nan = (x & 0x7fffu) > infinity, y_nan = (y & 0x7fffu) > infinity;
  bool first = greatest ? half_order(x) >= half_order(y) : half_order(x) <= half_order(y);
  bool nan = nan_wins ? x_nan | y_nan : x_nan & y_nan;
  uint32_t number = x_nan ? y : y_nan ? x : first ? x : y;
  return nan ? HALF_CANONICAL_NAN : number;
}
NUMBERS_INLINE uint32_t half_chosen_xor(uint32_t x, uint32_t y, uint32_t infinity, bool greatest,
                                        bool nan_wins) {
  uint32_t chosen = half_chosen(x & 0x7fffu, y & 0x7fffu, infinity, greatest, nan_wins);
  return chosen == HALF_CANONICAL_NAN ? chosen : chosen | ((x ^ y) & 0x8000u);
}
NUMBERS_INLINE uint32_t half_absolute(uint32_t x, uint32_t infinity) {
  return (x & 0x7fffu) > infinity ? HALF_CANONICAL_NAN : x & 0x7fffu;
}
NUMBERS_INLINE uint32_t half_negative(uint32_t x, uint32_t infinity) {
  return (x & 0x7fffu) > infinity ? HALF_CANONICAL_NAN : x ^ 0x8000u;
}
#define INFINITY_f16  0x7c00u
#define INFINITY_bf16 0x7f80u
// T is f16, bf16, or f16 whose operands are flushed first.
#define PATTERNS1(name, T, function)                     \
  LANES_UNARY(name##_##T, u32, u32, function(T, LOW(a))) \
  LANES_UNARY(name##_##T##x2, u32, u32, PACKED(function(T, LOW(a)), function(T, HIGH(a))))
#define PATTERNS2(name, T, function, ...)                                           \
  LANES_BINARY(name##_##T, u32, u32, u32, function(T, LOW(a), LOW(b), __VA_ARGS__)) \
  LANES_BINARY(name##_##T##x2, u32, u32, u32,                                       \
               PACKED(function(T, LOW(a), LOW(b), __VA_ARGS__), function(T, HIGH(a), HIGH(b), __VA_ARGS__)))
#define FLUSHED_f16(x)  (x)
#define FLUSHED_bf16(x) (x)
#define FLUSHED_f16z(x) half_flush(x)
#define INFINITY_f16z   INFINITY_f16
#define CHOSEN(T, x, y, greatest, nan) \
  half_chosen(FLUSHED_##T(x), FLUSHED_##T(y), INFINITY_##T, greatest, nan)
#define CHOSEN_XOR(T, x, y, greatest, nan) \
  half_chosen_xor(FLUSHED_##T(x), FLUSHED_##T(y), INFINITY_##T, greatest, nan)
#define ABSOLUTE(T, x) half_absolute(FLUSHED_##T(x), INFINITY_##T)
#define NEGATIVE(T, x) half_negative(FLUSHED_##T(x), INFINITY_##T)
#define PATTERNS(T)                                  \
  PATTERNS1(abs, T, ABSOLUTE)                        \
  PATTERNS1(neg, T, NEGATIVE)                        \
  PATTERNS2(min, T, CHOSEN, false, false)            \
  PATTERNS2(max, T, CHOSEN, true, false)             \
  PATTERNS2(min_nan, T, CHOSEN, false, true)         \
  PATTERNS2(max_nan, T, CHOSEN, true, true)          \
  PATTERNS2(min_xor, T, CHOSEN_XOR, false, false)    \
  PATTERNS2(max_xor, T, CHOSEN_XOR, true, false)     \
  PATTERNS2(min_nan_xor, T, CHOSEN_XOR, false, true) \
  PATTERNS2(max_nan_xor, T, CHOSEN_XOR, true, true)
PATTERNS(f16)
PATTERNS(f16z)
PATTERNS(bf16)

// clang-format off
#define TYPE_ROWS(name, shape, function, T, TYPE) \
    {name, PTX_##TYPE, shape, function##_##T}, {name, PTX_##TYPE##X2, shape, function##_##T##x2}
#define PLAIN_ROWS(name, shape, function) TYPE_ROWS(name, shape, function, f16, F16), \
    TYPE_ROWS(name ".ftz", shape, function, f16z, F16), TYPE_ROWS(name, shape, function, bf16, BF16)
#define SATURATING_ROWS(name, shape, function) PLAIN_ROWS(name, shape, function), \
    TYPE_ROWS(name ".sat", shape, function, f16s, F16), \
    TYPE_ROWS(name ".ftz.sat", shape, function, f16zs, F16)
const struct arithmetic_handler warp_half_handlers[] = {
    SATURATING_ROWS("add", "ttt", add), SATURATING_ROWS("sub", "ttt", sub),
    SATURATING_ROWS("mul", "ttt", mul),
    SATURATING_ROWS("fma", "tttt", fma), TYPE_ROWS("fma.relu", "tttt", fma, f16r, F16),
    TYPE_ROWS("fma.ftz.relu", "tttt", fma, f16zr, F16), TYPE_ROWS("fma.relu", "tttt", fma, bf16r, BF16),
    TYPE_ROWS("fma.oob", "tttt", fma_oob, f16, F16), TYPE_ROWS("fma.oob.relu", "tttt", fma_oob, f16r, F16),
    TYPE_ROWS("fma.oob", "tttt", fma_oob, bf16, BF16),
    TYPE_ROWS("fma.oob.relu", "tttt", fma_oob, bf16r, BF16),
    PLAIN_ROWS("abs", "tt", abs), PLAIN_ROWS("neg", "tt", neg),
    PLAIN_ROWS("min", "ttt", min), PLAIN_ROWS("max", "ttt", max),
    PLAIN_ROWS("min.NaN", "ttt", min_nan), PLAIN_ROWS("max.NaN", "ttt", max_nan),
    PLAIN_ROWS("min.xorsign.abs", "ttt", min_xor), PLAIN_ROWS("max.xorsign.abs", "ttt", max_xor),
    PLAIN_ROWS("min.NaN.xorsign.abs", "ttt", min_nan_xor),
    PLAIN_ROWS("max.NaN.xorsign.abs", "ttt", max_nan_xor),
    {0},
};
// clang-format on
