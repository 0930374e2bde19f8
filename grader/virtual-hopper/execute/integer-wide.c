// Integer products that are twice as wide as their factors, 24-bit products, and pairs of 16-bit integers.
// PTX ISA 9.7.1.
#include "virtual-hopper/execute/lanes.h"

LANES_BINARY(mul_wide_u16, u32, u16, u16, (uint32_t)a *b)
LANES_BINARY(mul_wide_s16, s32, s16, s16, (int32_t)a *b)
LANES_BINARY(mul_wide_u32, u64, u32, u32, (uint64_t)a *b)
LANES_BINARY(mul_wide_s32, s64, s32, s32, (int64_t)a *b)
LANES_TERNARY(mad_wide_u16, u32, u16, u16, u32, (uint32_t)a *b + c)
LANES_TERNARY(mad_wide_s16, s32, s16, s16, s32, (uint32_t)((int32_t)a *b) + (uint32_t)c)
LANES_TERNARY(mad_wide_u32, u64, u32, u32, u64, (uint64_t)a *b + c)
LANES_TERNARY(mad_wide_s32, s64, s32, s32, s64, (uint64_t)((int64_t)a *b) + (uint64_t)c)

// Only the low 24 bits of each factor count; for s32 the sign is bit 23. .hi is bits 47..16 of the product.
NUMBERS_INLINE uint64_t product24_u32(uint32_t a, uint32_t b) {
  return (uint64_t)(a & 0xffffffu) * (b & 0xffffffu);
}
NUMBERS_INLINE uint64_t product24_s32(int32_t a, int32_t b) {
  int32_t a24 = (int32_t)((uint32_t)a << 8) >> 8, b24 = (int32_t)((uint32_t)b << 8) >> 8;
  return (uint64_t)((int64_t)a24 * b24);
}
NUMBERS_INLINE int32_t saturated_sum(int32_t a, int32_t b) {
  int64_t sum = (int64_t)a + b;
  int64_t low = sum < INT32_MIN ? INT32_MIN : sum;
  return (int32_t)(low > INT32_MAX ? INT32_MAX : low);
}
#define OPERATIONS_24(T)                                                               \
  LANES_BINARY(mul24_lo_##T, T, T, T, (uint32_t)product24_##T(a, b))                   \
  LANES_BINARY(mul24_hi_##T, T, T, T, (uint32_t)(product24_##T(a, b) >> 16))           \
  LANES_TERNARY(mad24_lo_##T, T, T, T, T, (uint32_t)product24_##T(a, b) + (uint32_t)c) \
  LANES_TERNARY(mad24_hi_##T, T, T, T, T, (uint32_t)(product24_##T(a, b) >> 16) + (uint32_t)c)
OPERATIONS_24(u32)
OPERATIONS_24(s32)
LANES_TERNARY(mad24_hi_sat_s32, s32, s32, s32, s32, saturated_sum((int32_t)(product24_s32(a, b) >> 16), c))

// Pairs: the expression is written for one half; x is the half of a, y the half of b.
#define PAIR(expression_low, expression_high) \
  ((uint32_t)(uint16_t)(expression_low) | (uint32_t)(uint16_t)(expression_high) << 16)
#define LANES_PAIR(name, type, operation) \
  LANES_BINARY(name, u32, u32, u32,       \
               PAIR(operation((type)a, (type)b), operation((type)(a >> 16), (type)(b >> 16))))
#define SUM(x, y)          ((x) + (y))
#define LESSER(x, y)       ((x) < (y) ? (x) : (y))
#define GREATER(x, y)      ((x) > (y) ? (x) : (y))
#define LESSER_RELU(x, y)  (LESSER(x, y) < 0 ? 0 : LESSER(x, y))
#define GREATER_RELU(x, y) (GREATER(x, y) < 0 ? 0 : GREATER(x, y))
LANES_PAIR(add_x2, uint16_t, SUM)
LANES_PAIR(min_u16x2, uint16_t, LESSER)
LANES_PAIR(max_u16x2, uint16_t, GREATER)
LANES_PAIR(min_s16x2, int16_t, LESSER)
LANES_PAIR(max_s16x2, int16_t, GREATER)
LANES_PAIR(min_relu_s16x2, int16_t, LESSER_RELU)
LANES_PAIR(max_relu_s16x2, int16_t, GREATER_RELU)

// clang-format off
#define WIDE_ROWS(name, shape, function) \
    {name, PTX_U16, shape, function##_u16}, {name, PTX_S16, shape, function##_s16}, \
    {name, PTX_U32, shape, function##_u32}, {name, PTX_S32, shape, function##_s32}
#define ROWS_24(name, shape, function) \
    {name, PTX_U32, shape, function##_u32}, {name, PTX_S32, shape, function##_s32}
const struct arithmetic_handler warp_integer_wide_handlers[] = {
    WIDE_ROWS("mul.wide", "wtt", mul_wide), WIDE_ROWS("mad.wide", "wttw", mad_wide),
    ROWS_24("mul24.lo", "ttt", mul24_lo), ROWS_24("mul24.hi", "ttt", mul24_hi),
    ROWS_24("mad24.lo", "tttt", mad24_lo), ROWS_24("mad24.hi", "tttt", mad24_hi),
    {"mad24.hi.sat", PTX_S32, "tttt", mad24_hi_sat_s32},
    {"add", PTX_U16X2, "ttt", add_x2}, {"add", PTX_S16X2, "ttt", add_x2},
    {"min", PTX_U16X2, "ttt", min_u16x2}, {"max", PTX_U16X2, "ttt", max_u16x2},
    {"min", PTX_S16X2, "ttt", min_s16x2}, {"max", PTX_S16X2, "ttt", max_s16x2},
    {"min.relu", PTX_S16X2, "ttt", min_relu_s16x2}, {"max.relu", PTX_S16X2, "ttt", max_relu_s16x2},
    {0},
};
// clang-format on
