// Floating point to integer, PTX ISA 9.7.9.21 (integer notes). The value is rounded in the instruction's mode
// and clamped to the range of the integer. A NaN becomes 0 when both types are narrower than 64 bits;
// otherwise only the top bit is set.
#include "virtual-hopper/execute/convert.h"

#define LOW_u8   0
#define LOW_u16  0
#define LOW_u32  0
#define LOW_u64  0
#define LOW_s8   INT8_MIN
#define LOW_s16  INT16_MIN
#define LOW_s32  INT32_MIN
#define LOW_s64  INT64_MIN
#define HIGH_u8  UINT8_MAX
#define HIGH_u16 UINT16_MAX
#define HIGH_u32 UINT32_MAX
#define HIGH_u64 UINT64_MAX
#define HIGH_s8  INT8_MAX
#define HIGH_s16 INT16_MAX
#define HIGH_s32 INT32_MAX
#define HIGH_s64 INT64_MAX
// The first power of two above the range. It is exact in every format.
#define LIMIT_u8    0x1p8f
#define LIMIT_u16   0x1p16f
#define LIMIT_u32   0x1p32f
#define LIMIT_u64   0x1p64f
#define LIMIT_s8    0x1p7f
#define LIMIT_s16   0x1p15f
#define LIMIT_s32   0x1p31f
#define LIMIT_s64   0x1p63f
#define NAN_f32_u8  0
#define NAN_f32_s8  0
#define NAN_f32_u16 0
#define NAN_f32_s16 0
#define NAN_f32_u32 0
#define NAN_f32_s32 0
#define NAN_f32_u64 ((BITS_u64)1 << 63)
#define NAN_f32_s64 ((BITS_u64)1 << 63)
#define NAN_f64_u8  (1u << 7)
#define NAN_f64_s8  (1u << 7)
#define NAN_f64_u16 (1u << 15)
#define NAN_f64_s16 (1u << 15)
#define NAN_f64_u32 (1u << 31)
#define NAN_f64_s32 (1u << 31)
#define NAN_f64_u64 ((BITS_u64)1 << 63)
#define NAN_f64_s64 ((BITS_u64)1 << 63)

// `x` is a whole number. The comparisons come first, so that the cast is always defined.
#define CLAMPED(A, D, x)                                   \
  ((x) != (x)                    ? (BITS_##D)NAN_##A##_##D \
   : (x) >= (VALUE_##A)LIMIT_##D ? (BITS_##D)HIGH_##D      \
   : (x) <= (VALUE_##A)LOW_##D   ? (BITS_##D)LOW_##D       \
                                 : (BITS_##D)(VALUE_##D)(x))
#define CONVERSION(A, D, mode, function)                          \
  NUMBERS_INLINE BITS_##D A##_##D##_##mode##_value(VALUE_##A a) { \
    VALUE_##A x = function(a);                                    \
    return CLAMPED(A, D, x);                                      \
  }                                                               \
  LANES_UNARY(A##_##D##_##mode, D, A, A##_##D##_##mode##_value(a))
#define MODES(A, D, suffix)                      \
  CONVERSION(A, D, rni, __builtin_rint##suffix)  \
  CONVERSION(A, D, rzi, __builtin_trunc##suffix) \
  CONVERSION(A, D, rmi, __builtin_floor##suffix) \
  CONVERSION(A, D, rpi, __builtin_ceil##suffix)
#define TYPES(A, suffix) \
  MODES(A, u8, suffix)   \
  MODES(A, s8, suffix)   \
  MODES(A, u16, suffix)  \
  MODES(A, s16, suffix)  \
  MODES(A, u32, suffix)  \
  MODES(A, s32, suffix)  \
  MODES(A, u64, suffix)  \
  MODES(A, s64, suffix)
TYPES(f32, f)
TYPES(f64, )

// clang-format off
#define MODE_ROWS(A, mode) \
    {#A "." #mode, PTX_U8, "", A##_u8_##mode}, {#A "." #mode, PTX_S8, "", A##_s8_##mode}, \
    {#A "." #mode, PTX_U16, "", A##_u16_##mode}, {#A "." #mode, PTX_S16, "", A##_s16_##mode}, \
    {#A "." #mode, PTX_U32, "", A##_u32_##mode}, {#A "." #mode, PTX_S32, "", A##_s32_##mode}, \
    {#A "." #mode, PTX_U64, "", A##_u64_##mode}, {#A "." #mode, PTX_S64, "", A##_s64_##mode}
const struct arithmetic_handler warp_convert_truncate_handlers[] = {
    MODE_ROWS(f32, rni), MODE_ROWS(f32, rzi), MODE_ROWS(f32, rmi), MODE_ROWS(f32, rpi),
    MODE_ROWS(f64, rni), MODE_ROWS(f64, rzi), MODE_ROWS(f64, rmi), MODE_ROWS(f64, rpi),
    {0},
};
// clang-format on
