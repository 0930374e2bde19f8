// Integer arithmetic on 16, 32 and 64 bits, PTX ISA 9.7.1: one expression per operation, one handler per
// type.
#include "virtual-hopper/execute/lanes.h"

#define INTEGER_TYPES(X) X(u16) X(s16) X(u32) X(s32) X(u64) X(s64)
#define SIGNED_TYPES(X)  X(s16) X(s32) X(s64)
#define ROWS(name, shape, function)                                                   \
  {name, PTX_U16, shape, function##_u16}, {name, PTX_S16, shape, function##_s16},     \
      {name, PTX_U32, shape, function##_u32}, {name, PTX_S32, shape, function##_s32}, \
      {name, PTX_U64, shape, function##_u64}, {                                       \
    name, PTX_S64, shape, function##_s64                                              \
  }
#define SIGNED_ROWS(name, shape, function)                                          \
  {name, PTX_S16, shape, function##_s16}, {name, PTX_S32, shape, function##_s32}, { \
    name, PTX_S64, shape, function##_s64                                            \
  }

// The full product, twice as wide as the factors.
#define PRODUCT_u16(a, b) ((uint32_t)(a) * (b))
#define PRODUCT_s16(a, b) ((int32_t)(a) * (b))
#define PRODUCT_u32(a, b) ((uint64_t)(a) * (b))
#define PRODUCT_s32(a, b) ((int64_t)(a) * (b))
#define PRODUCT_u64(a, b) ((unsigned __int128)(a) * (b))
#define PRODUCT_s64(a, b) ((__int128)(a) * (b))
#define HIGH(T, a, b)     ((BITS_##T)(PRODUCT_##T(a, b) >> (8 * sizeof(a))))

// Quotient and remainder of a division by zero are all ones. PTX doesn't define them; the chip's routines
// return this. The most negative number divided by -1 wraps to itself.
#define DIVIDES(b) ((b) != 0)
#define QUOTIENT(T, a, b) \
  (!DIVIDES(b) ? (BITS_##T) - 1 : IS_MINUS_ONE_##T(b) ? 0 - (BITS_##T)(a) : (BITS_##T)((a) / (b)))
#define REMAINDER(T, a, b) \
  (!DIVIDES(b) ? (BITS_##T) - 1 : IS_MINUS_ONE_##T(b) ? (BITS_##T)0 : (BITS_##T)((a) % (b)))
#define IS_MINUS_ONE_u16(b) 0
#define IS_MINUS_ONE_u32(b) 0
#define IS_MINUS_ONE_u64(b) 0
#define IS_MINUS_ONE_s16(b) ((b) == -1)
#define IS_MINUS_ONE_s32(b) ((b) == -1)
#define IS_MINUS_ONE_s64(b) ((b) == -1)

#define DISTANCE(T, a, b)   ((a) < (b) ? (BITS_##T)(b) - (BITS_##T)(a) : (BITS_##T)(a) - (BITS_##T)(b))

NUMBERS_INLINE int32_t saturate_s32(int64_t value) {
  int64_t low = value < INT32_MIN ? INT32_MIN : value;
  return (int32_t)(low > INT32_MAX ? INT32_MAX : low);
}

#define OPERATIONS(T)                                                           \
  LANES_BINARY(add_##T, T, T, T, (BITS_##T)a + (BITS_##T)b)                     \
  LANES_BINARY(sub_##T, T, T, T, (BITS_##T)a - (BITS_##T)b)                     \
  LANES_BINARY(mul_lo_##T, T, T, T, (BITS_##T)a *(BITS_##T)b)                   \
  LANES_BINARY(mul_hi_##T, T, T, T, HIGH(T, a, b))                              \
  LANES_TERNARY(mad_lo_##T, T, T, T, T, (BITS_##T)a *(BITS_##T)b + (BITS_##T)c) \
  LANES_TERNARY(mad_hi_##T, T, T, T, T, HIGH(T, a, b) + (BITS_##T)c)            \
  LANES_TERNARY(sad_##T, T, T, T, T, DISTANCE(T, a, b) + (BITS_##T)c)           \
  LANES_BINARY_EACH(div_##T, T, T, T, QUOTIENT(T, a, b))                        \
  LANES_BINARY_EACH(rem_##T, T, T, T, REMAINDER(T, a, b))                       \
  LANES_BINARY(min_##T, T, T, T, a < b ? a : b)                                 \
  LANES_BINARY(max_##T, T, T, T, a > b ? a : b)
INTEGER_TYPES(OPERATIONS)

#define SIGNED_OPERATIONS(T)                                        \
  LANES_UNARY(abs_##T, T, T, a < 0 ? 0 - (BITS_##T)a : (BITS_##T)a) \
  LANES_UNARY(neg_##T, T, T, 0 - (BITS_##T)a)
SIGNED_TYPES(SIGNED_OPERATIONS)

LANES_BINARY(add_sat_s32, s32, s32, s32, saturate_s32((int64_t)a + b))
LANES_BINARY(sub_sat_s32, s32, s32, s32, saturate_s32((int64_t)a - b))
LANES_TERNARY(mad_hi_sat_s32, s32, s32, s32, s32, saturate_s32((PRODUCT_s32(a, b) >> 32) + c))
LANES_BINARY(min_relu_s32, s32, s32, s32, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
LANES_BINARY(max_relu_s32, s32, s32, s32, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

// clang-format off
const struct arithmetic_handler warp_integer_handlers[] = {
    ROWS("add", "ttt", add), ROWS("sub", "ttt", sub),
    ROWS("mul.lo", "ttt", mul_lo), ROWS("mul.hi", "ttt", mul_hi),
    ROWS("mad.lo", "tttt", mad_lo), ROWS("mad.hi", "tttt", mad_hi),
    ROWS("sad", "tttt", sad), ROWS("div", "ttt", div), ROWS("rem", "ttt", rem),
    ROWS("min", "ttt", min), ROWS("max", "ttt", max),
    SIGNED_ROWS("abs", "tt", abs), SIGNED_ROWS("neg", "tt", neg),
    {"add.sat", PTX_S32, "ttt", add_sat_s32}, {"sub.sat", PTX_S32, "ttt", sub_sat_s32},
    {"mad.hi.sat", PTX_S32, "tttt", mad_hi_sat_s32},
    {"min.relu", PTX_S32, "ttt", min_relu_s32}, {"max.relu", PTX_S32, "ttt", max_relu_s32},
    {0},
};
// clang-format on
