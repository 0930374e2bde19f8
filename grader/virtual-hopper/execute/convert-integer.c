// Conversions between integers, PTX ISA 9.7.9.21: extension (by the sign of the source), truncation,
// saturation, packing.
#include "virtual-hopper/execute/convert.h"

#define INTEGERS(X, from) \
  X(from, u8) X(from, s8) X(from, u16) X(from, s16) X(from, u32) X(from, s32) X(from, u64) X(from, s64)
#define PAIR(A, D) LANES_UNARY(A##_to_##D, D, A, (BITS_##D)a)
INTEGERS(PAIR, u8)
INTEGERS(PAIR, s8)
INTEGERS(PAIR, u16)
INTEGERS(PAIR, s16)
INTEGERS(PAIR, u32)
INTEGERS(PAIR, s32)
INTEGERS(PAIR, u64)
INTEGERS(PAIR, s64)

// clang-format off
#define ROWS(A) \
    {#A, PTX_U8, "", A##_to_u8}, {#A, PTX_S8, "", A##_to_s8}, \
    {#A, PTX_U16, "", A##_to_u16}, {#A, PTX_S16, "", A##_to_s16}, \
    {#A, PTX_U32, "", A##_to_u32}, {#A, PTX_S32, "", A##_to_s32}, \
    {#A, PTX_U64, "", A##_to_u64}, {#A, PTX_S64, "", A##_to_s64}
const struct arithmetic_handler warp_convert_integer_handlers[] = {
    ROWS(u8), ROWS(s8), ROWS(u16), ROWS(s16), ROWS(u32), ROWS(s32), ROWS(u64), ROWS(s64), {0},
};
// clang-format on

static __int128 integer_of_lane(const struct warp *w, uint32_t offset, enum ptx_type type, uint32_t lane) {
  bool wide = type == PTX_U64 || type == PTX_S64;
  uint64_t bits = wide ? warp_register64(w, offset)[lane] : warp_register32(w, offset)[lane];
  switch (type) {
  case PTX_U8: return (uint8_t)bits;
  case PTX_S8: return (int8_t)bits;
  case PTX_U16: return (uint16_t)bits;
  case PTX_S16: return (int16_t)bits;
  case PTX_U32: return (uint32_t)bits;
  case PTX_S32: return (int32_t)bits;
  case PTX_S64: return (int64_t)bits;
  default: return bits;
  }
}

static __int128 clamp(__int128 value, uint32_t bits, bool is_signed) {
  __int128 high = is_signed ? ((__int128)1 << (bits - 1)) - 1 : ((__int128)1 << bits) - 1;
  __int128 low = is_signed ? -high - 1 : 0;
  return value < low ? low : value > high ? high : value;
}

void warp_convert_saturate(struct warp *w, const struct op *op) {
  enum ptx_type to = (enum ptx_type)op->flags;
  uint32_t bits = 8 * (uint32_t)ptx_type_size(to);
  bool is_signed = to == PTX_S8 || to == PTX_S16 || to == PTX_S32 || to == PTX_S64;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    __int128 value = clamp(integer_of_lane(w, op->a, (enum ptx_type)op->kind, lane), bits, is_signed);
    if (bits == 64)
      warp_register64(w, op->d)[lane] = (uint64_t)value;
    else
      warp_register32(w, op->d)[lane] = (uint32_t)((uint64_t)value & (UINT64_MAX >> (64 - bits)));
  }
}

void warp_convert_pack(struct warp *w, const struct op *op) {
  uint32_t *d = warp_register32(w, op->d), bits = op->width, mask = UINT32_MAX >> (32 - bits);
  const uint32_t *a = warp_register32(w, op->a), *b = warp_register32(w, op->b);
  const uint32_t *c = op->c == OP_NO_REGISTER ? NULL : warp_register32(w, op->c);
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint32_t high = (uint32_t)clamp((int32_t)a[lane], bits, op->flags) & mask;
    uint32_t low = (uint32_t)clamp((int32_t)b[lane], bits, op->flags) & mask;
    d[lane] = low | high << bits | (c ? c[lane] << (2 * bits) : 0);
  }
}
