// Bits and bytes of integers: counting, finding, reversing, fields, masks, dot products, PTX ISA 9.7.1.14 to
// 9.7.1.24.
#include "virtual-hopper/execute/lanes.h"

LANES_UNARY(popc_b32, u32, u32, (uint32_t)__builtin_popcount(a))
LANES_UNARY(popc_b64, u32, u64, (uint32_t)__builtin_popcountll(a))
LANES_UNARY(clz_b32, u32, u32, a == 0 ? 32u : (uint32_t)__builtin_clz(a))
LANES_UNARY(clz_b64, u32, u64, a == 0 ? 64u : (uint32_t)__builtin_clzll(a))

// bfind: the position of the highest bit that differs from the sign; all ones when no such bit exists.
// .shiftamt: the distance of this bit from the top.
#define FOUND_u32(a)            ((a) == 0 ? UINT32_MAX : 31u - (uint32_t)__builtin_clz(a))
#define FOUND_u64(a)            ((a) == 0 ? UINT32_MAX : 63u - (uint32_t)__builtin_clzll(a))
#define FOUND_s32(a)            FOUND_u32((uint32_t)((a) < 0 ? ~(a) : (a)))
#define FOUND_s64(a)            FOUND_u64((uint64_t)((a) < 0 ? ~(a) : (a)))
#define DISTANCE_OF(found, top) ((found) == UINT32_MAX ? UINT32_MAX : (top) - (found))
LANES_UNARY(bfind_u32, u32, u32, FOUND_u32(a))
LANES_UNARY(bfind_s32, u32, s32, FOUND_s32(a))
LANES_UNARY(bfind_u64, u32, u64, FOUND_u64(a))
LANES_UNARY(bfind_s64, u32, s64, FOUND_s64(a))
LANES_UNARY(bfind_shift_u32, u32, u32, DISTANCE_OF(FOUND_u32(a), 31u))
LANES_UNARY(bfind_shift_s32, u32, s32, DISTANCE_OF(FOUND_s32(a), 31u))
LANES_UNARY(bfind_shift_u64, u32, u64, DISTANCE_OF(FOUND_u64(a), 63u))
LANES_UNARY(bfind_shift_s64, u32, s64, DISTANCE_OF(FOUND_s64(a), 63u))

NUMBERS_INLINE uint32_t reverse_u32(uint32_t x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
LANES_UNARY(brev_b32, u32, u32, reverse_u32(a))
LANES_UNARY(brev_b64, u64, u64, (uint64_t)reverse_u32((uint32_t)a) << 32 | reverse_u32((uint32_t)(a >> 32)))

// Returns the lowest `length` bits set; all 64 bits when length is 64 or more.
NUMBERS_INLINE uint64_t ones(uint32_t length) {
  return length >= 64 ? UINT64_MAX : ((uint64_t)1 << length) - 1;
}

// bfe: the field [position, position + length). Bits of the field above the top bit are copies of the sign
// (signed types) or zeros.
NUMBERS_INLINE uint64_t extract_unsigned(uint64_t a, uint32_t b, uint32_t c, uint32_t width) {
  uint32_t position = b & 0xff, length = c & 0xff;
  return position >= width ? 0 : a >> position & ones(length);
}
NUMBERS_INLINE uint64_t extract_signed(int64_t a, uint32_t b, uint32_t c, uint32_t width) {
  uint32_t position = b & 0xff, length = c & 0xff;
  if (length == 0) return 0;
  if (position >= width) return a < 0 ? UINT64_MAX : 0;
  uint64_t shifted = (uint64_t)(a >> position);
  if (length >= 64 || position + length >= width) return shifted;
  return (uint64_t)((int64_t)(shifted << (64 - length)) >> (64 - length));
}
LANES_TERNARY(bfe_u32, u32, u32, u32, u32, extract_unsigned(a, b, c, 32))
LANES_TERNARY(bfe_s32, s32, s32, u32, u32, extract_signed(a, b, c, 32))
LANES_TERNARY(bfe_u64, u64, u64, u32, u32, extract_unsigned(a, b, c, 64))
LANES_TERNARY(bfe_s64, s64, s64, u32, u32, extract_signed(a, b, c, 64))

// bfi: the low bits of a replace a field of b. Bits beyond the top are lost.
NUMBERS_INLINE uint64_t insert_field(uint64_t a, uint64_t b, uint32_t c, uint32_t e, uint32_t width) {
  uint32_t position = c & 0xff, length = e & 0xff;
  if (position >= width) return b;
  uint64_t field = ones(length) << position;
  return (b & ~field) | (a << position & field);
}
LANES_QUATERNARY(bfi_b32, u32, u32, u32, u32, u32, insert_field(a, b, c, e, 32))
LANES_QUATERNARY(bfi_b64, u64, u64, u64, u32, u32, insert_field(a, b, c, e, 64))

// fns: the position of the offset-th set bit of the mask, counted from base: upwards, or downwards when the
// offset is negative. PTX doesn't define the result for the offset INT32_MIN; an H100 returns 0.
static uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == INT32_MIN) return 0;
  if (offset == 0) return base < 32 && (mask >> base & 1) ? base : UINT32_MAX;
  int64_t left = offset < 0 ? -(int64_t)offset : offset;
  for (int64_t position = base; position >= 0 && position < 32; position += offset < 0 ? -1 : 1) {
    if ((mask >> position & 1) && --left == 0) return (uint32_t)position;
  }
  return UINT32_MAX;
}
LANES_TERNARY(fns_b32, u32, u32, u32, s32, find_nth_set(a, b, c))

// szext: the low b bits of a, extended. When b is 0, the result is 0. When b is 32 or more, .clamp takes all
// bits and .wrap takes b modulo 32 bits.
NUMBERS_INLINE uint32_t extend_unsigned(uint32_t a, uint32_t bits) {
  return a & (uint32_t)ones(bits);
}
NUMBERS_INLINE uint32_t extend_signed(uint32_t a, uint32_t bits) {
  if (bits == 0 || bits >= 32) return bits == 0 ? 0 : a;
  return (uint32_t)((int32_t)(a << (32 - bits)) >> (32 - bits));
}
LANES_BINARY(szext_clamp_u32, u32, u32, u32, extend_unsigned(a, b))
LANES_BINARY(szext_clamp_s32, u32, u32, u32, extend_signed(a, b))
LANES_BINARY(szext_wrap_u32, u32, u32, u32, extend_unsigned(a, b & 31))
LANES_BINARY(szext_wrap_s32, u32, u32, u32, extend_signed(a, b & 31))

// bmsk: b ones, starting at bit a.
NUMBERS_INLINE uint32_t mask_from(uint32_t position, uint32_t length) {
  return position >= 32 ? 0 : (uint32_t)(ones(length) << position);
}
LANES_BINARY(bmsk_clamp, u32, u32, u32, mask_from(a, b))
LANES_BINARY(bmsk_wrap, u32, u32, u32, mask_from(a & 31, b & 31))

// Dot products of bytes with bytes (dp4a), or of 16-bit halves with the low or high bytes (dp2a). Each factor
// may be signed or unsigned.
#define BYTE_u32(x, n) ((int32_t)((x) >> (8 * (n)) & 0xff))
#define BYTE_s32(x, n) ((int32_t)(int8_t)((x) >> (8 * (n)) & 0xff))
#define PART_u32(x, n) ((int32_t)((x) >> (16 * (n)) & 0xffff))
#define PART_s32(x, n) ((int32_t)(int16_t)((x) >> (16 * (n)) & 0xffff))
#define DOTS(A, B)                                                                                 \
  LANES_TERNARY(dp4a_##A##_##B, u32, u32, u32, u32,                                                \
                c + (uint32_t)(BYTE_##A(a, 0) * BYTE_##B(b, 0) + BYTE_##A(a, 1) * BYTE_##B(b, 1) + \
                               BYTE_##A(a, 2) * BYTE_##B(b, 2) + BYTE_##A(a, 3) * BYTE_##B(b, 3))) \
  LANES_TERNARY(dp2a_lo_##A##_##B, u32, u32, u32, u32,                                             \
                c + (uint32_t)(PART_##A(a, 0) * BYTE_##B(b, 0) + PART_##A(a, 1) * BYTE_##B(b, 1))) \
  LANES_TERNARY(dp2a_hi_##A##_##B, u32, u32, u32, u32,                                             \
                c + (uint32_t)(PART_##A(a, 0) * BYTE_##B(b, 2) + PART_##A(a, 1) * BYTE_##B(b, 3)))
DOTS(u32, u32)
DOTS(u32, s32)
DOTS(s32, u32)
DOTS(s32, s32)

// clang-format off
#define DOT_ROWS(name, function) /* the second factor's type stands in the name */ \
    {name ".u32", PTX_U32, "tttt", function##_u32_u32}, {name ".s32", PTX_U32, "tttt", function##_u32_s32}, \
    {name ".u32", PTX_S32, "tttt", function##_s32_u32}, {name ".s32", PTX_S32, "tttt", function##_s32_s32}
const struct arithmetic_handler warp_integer_bits_handlers[] = {
    {"popc", PTX_B32, "ut", popc_b32}, {"popc", PTX_B64, "ut", popc_b64},
    {"clz", PTX_B32, "ut", clz_b32}, {"clz", PTX_B64, "ut", clz_b64},
    {"brev", PTX_B32, "tt", brev_b32}, {"brev", PTX_B64, "tt", brev_b64},
    {"bfind", PTX_U32, "ut", bfind_u32}, {"bfind", PTX_S32, "ut", bfind_s32},
    {"bfind", PTX_U64, "ut", bfind_u64}, {"bfind", PTX_S64, "ut", bfind_s64},
    {"bfind.shiftamt", PTX_U32, "ut", bfind_shift_u32}, {"bfind.shiftamt", PTX_S32, "ut", bfind_shift_s32},
    {"bfind.shiftamt", PTX_U64, "ut", bfind_shift_u64}, {"bfind.shiftamt", PTX_S64, "ut", bfind_shift_s64},
    {"bfe", PTX_U32, "ttuu", bfe_u32}, {"bfe", PTX_S32, "ttuu", bfe_s32},
    {"bfe", PTX_U64, "ttuu", bfe_u64}, {"bfe", PTX_S64, "ttuu", bfe_s64},
    {"bfi", PTX_B32, "tttuu", bfi_b32}, {"bfi", PTX_B64, "tttuu", bfi_b64},
    {"fns", PTX_B32, "ttuu", fns_b32},
    {"szext.clamp", PTX_U32, "ttu", szext_clamp_u32}, {"szext.clamp", PTX_S32, "ttu", szext_clamp_s32},
    {"szext.wrap", PTX_U32, "ttu", szext_wrap_u32}, {"szext.wrap", PTX_S32, "ttu", szext_wrap_s32},
    {"bmsk.clamp", PTX_B32, "tuu", bmsk_clamp}, {"bmsk.wrap", PTX_B32, "tuu", bmsk_wrap},
    DOT_ROWS("dp4a", dp4a), DOT_ROWS("dp2a.lo", dp2a_lo), DOT_ROWS("dp2a.hi", dp2a_hi),
    {0},
};
// clang-format on
