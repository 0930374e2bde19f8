// Bitwise logic, shifts, byte permutation and predicate logic, PTX ISA 9.7.8, 9.7.9.7 and 9.3.2.
// A shift amount above the width is clamped to the width (9.7.8.8). Funnel shifts clamp or wrap, by modifier.
#include "virtual-hopper/execute/logic.h"
#include "virtual-hopper/execute/lanes.h"

#define OPERATIONS(T)                                                                                       \
  LANES_BINARY(and_##T, T, T, T, a &b)                                                                      \
  LANES_BINARY(or_##T, T, T, T, a | b)                                                                      \
  LANES_BINARY(xor_##T, T, T, T, a ^ b)                                                                     \
  LANES_UNARY(not_##T, T, T, ~(BITS_##T)a)                                                                  \
  LANES_UNARY(cnot_##T, T, T, a == 0)                                                                       \
  LANES_BINARY(shl_##T, T, T, u32, b >= 8 * sizeof(a) ? (BITS_##T)0 : (BITS_##T)a << (b % (8 * sizeof(a)))) \
  LANES_BINARY(shr_##T, T, T, u32, b >= 8 * sizeof(a) ? (BITS_##T)0 : (BITS_##T)a >> (b % (8 * sizeof(a))))
OPERATIONS(u16)
OPERATIONS(u32)
OPERATIONS(u64)
LANES_BINARY(shr_s16, s16, s16, u32, a >> (b > 15 ? 15 : b))
LANES_BINARY(shr_s32, s32, s32, u32, a >> (b > 31 ? 31 : b))
LANES_BINARY(shr_s64, s64, s64, u32, a >> (b > 63 ? 63 : b))

NUMBERS_INLINE uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t n) { // n <= 32
  return (uint32_t)(((uint64_t)high << 32 | low) << n >> 32);
}
NUMBERS_INLINE uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t n) {
  return (uint32_t)(((uint64_t)high << 32 | low) >> n);
}
LANES_TERNARY(shf_l_clamp, u32, u32, u32, u32, funnel_left(a, b, c > 32 ? 32 : c))
LANES_TERNARY(shf_l_wrap, u32, u32, u32, u32, funnel_left(a, b, c & 31))
LANES_TERNARY(shf_r_clamp, u32, u32, u32, u32, funnel_right(a, b, c > 32 ? 32 : c))
LANES_TERNARY(shf_r_wrap, u32, u32, u32, u32, funnel_right(a, b, c & 31))

// prmt: each nibble of the control picks one of the eight bytes of b:a. When the top bit of the nibble is
// set, the sign of that byte is replicated instead.
NUMBERS_INLINE uint32_t picked_byte(uint64_t bytes, uint32_t selector) {
  uint32_t byte = (uint32_t)(bytes >> (8 * (selector & 7))) & 0xff;
  return (selector & 8) ? ((byte & 0x80) ? 0xff : 0) : byte;
}
NUMBERS_INLINE uint32_t permute(uint32_t a, uint32_t b, uint32_t control) {
  uint64_t bytes = (uint64_t)b << 32 | a;
  return picked_byte(bytes, control) | picked_byte(bytes, control >> 4) << 8 |
         picked_byte(bytes, control >> 8) << 16 | picked_byte(bytes, control >> 12) << 24;
}
LANES_TERNARY(prmt, u32, u32, u32, u32, permute(a, b, c))
// The special modes use the general mode, with a control that the two low bits of c choose.
#define PERMUTE_MODE(name, zero, one, two, three) \
  LANES_TERNARY(prmt_##name, u32, u32, u32, u32,  \
                permute(a, b,                     \
                        (c & 3) == 0   ? zero     \
                        : (c & 3) == 1 ? one      \
                        : (c & 3) == 2 ? two      \
                                       : three))
PERMUTE_MODE(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
PERMUTE_MODE(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
PERMUTE_MODE(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
PERMUTE_MODE(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
PERMUTE_MODE(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
PERMUTE_MODE(rc16, 0x1010, 0x3232, 0x1010, 0x3232)

// clang-format off
#define BIT_ROWS(name, shape, function) \
    {name, PTX_B16, shape, function##_u16}, {name, PTX_B32, shape, function##_u32}, \
    {name, PTX_B64, shape, function##_u64}
const struct arithmetic_handler warp_logic_handlers[] = {
    BIT_ROWS("and", "ttt", and), BIT_ROWS("or", "ttt", or), BIT_ROWS("xor", "ttt", xor),
    BIT_ROWS("not", "tt", not), BIT_ROWS("cnot", "tt", cnot),
    BIT_ROWS("shl", "ttu", shl), BIT_ROWS("shr", "ttu", shr),
    {"shr", PTX_U16, "ttu", shr_u16}, {"shr", PTX_U32, "ttu", shr_u32}, {"shr", PTX_U64, "ttu", shr_u64},
    {"shr", PTX_S16, "ttu", shr_s16}, {"shr", PTX_S32, "ttu", shr_s32}, {"shr", PTX_S64, "ttu", shr_s64},
    {"shf.l.clamp", PTX_B32, "tttu", shf_l_clamp}, {"shf.l.wrap", PTX_B32, "tttu", shf_l_wrap},
    {"shf.r.clamp", PTX_B32, "tttu", shf_r_clamp}, {"shf.r.wrap", PTX_B32, "tttu", shf_r_wrap},
    {"prmt", PTX_B32, "tttt", prmt}, {"prmt.f4e", PTX_B32, "tttt", prmt_f4e},
    {"prmt.b4e", PTX_B32, "tttt", prmt_b4e},
    {"prmt.rc8", PTX_B32, "tttt", prmt_rc8}, {"prmt.ecl", PTX_B32, "tttt", prmt_ecl},
    {"prmt.ecr", PTX_B32, "tttt", prmt_ecr}, {"prmt.rc16", PTX_B32, "tttt", prmt_rc16},
    {0},
};
// clang-format on

// lop3: op->immediate holds the table of any function of three bits. Common functions have their own loops.
LANES_TERNARY(lop3_xor, u32, u32, u32, u32, a ^ b ^ c)
LANES_TERNARY(lop3_and, u32, u32, u32, u32, a &b &c)
LANES_TERNARY(lop3_or, u32, u32, u32, u32, a | b | c)
LANES_TERNARY(lop3_and_or, u32, u32, u32, u32, (a & b) | c)
LANES_TERNARY(lop3_select, u32, u32, u32, u32, (a & b) | (~a & c))
LANES_TERNARY(lop3_and_xor, u32, u32, u32, u32, (a & b) ^ c)
LANES_TERNARY(lop3_majority, u32, u32, u32, u32, (a & b) | (a & c) | (b & c))

// The result has eight terms; a term is kept when its bit of the table is set.
LANES_HANDLER static void lop3_any(struct warp *w, const struct op *op) {
  uint32_t *d = LANE_REGISTER(u32, op->d);
  const uint32_t *a = LANE_REGISTER(u32, op->a), *b = LANE_REGISTER(u32, op->b),
                 *c = LANE_REGISTER(u32, op->c);
  uint32_t term[8];
  for (int n = 0; n < 8; n++)
    term[n] = (op->immediate >> n & 1) ? UINT32_MAX : 0;
  FOR_LANES(d[i] = (term[0] & ~a[i] & ~b[i] & ~c[i]) | (term[1] & ~a[i] & ~b[i] & c[i]) |
                   (term[2] & ~a[i] & b[i] & ~c[i]) | (term[3] & ~a[i] & b[i] & c[i]) |
                   (term[4] & a[i] & ~b[i] & ~c[i]) | (term[5] & a[i] & ~b[i] & c[i]) |
                   (term[6] & a[i] & b[i] & ~c[i]) | (term[7] & a[i] & b[i] & c[i]);)
}

op_execute *warp_lop3(uint8_t table) {
  switch (table) {
  case 0x96: return lop3_xor;
  case 0x80: return lop3_and;
  case 0xfe: return lop3_or;
  case 0xea: return lop3_and_or;
  case 0xca: return lop3_select;
  case 0x6a: return lop3_and_xor;
  case 0xe8: return lop3_majority;
  default: return lop3_any;
  }
}

// Predicates are masks. Sources may be negated: op->flags bit 0 for a, bit 1 for b.
static uint32_t predicate_source(const struct warp *w, uint32_t offset, bool negated) {
  uint32_t mask = *warp_predicate(w, offset);
  return negated ? ~mask : mask;
}
static void predicate_result(struct warp *w, const struct op *op, uint32_t mask) {
  uint32_t *d = warp_predicate(w, op->d);
  *d = (*d & ~w->lanes) | (mask & w->lanes);
}
#define A_PREDICATE predicate_source(w, op->a, op->flags & 1)
#define B_PREDICATE predicate_source(w, op->b, op->flags & 2)
void warp_predicate_and(struct warp *w, const struct op *op) {
  predicate_result(w, op, A_PREDICATE & B_PREDICATE);
}
void warp_predicate_or(struct warp *w, const struct op *op) {
  predicate_result(w, op, A_PREDICATE | B_PREDICATE);
}
void warp_predicate_xor(struct warp *w, const struct op *op) {
  predicate_result(w, op, A_PREDICATE ^ B_PREDICATE);
}
void warp_predicate_move(struct warp *w, const struct op *op) {
  predicate_result(w, op, A_PREDICATE);
}

// The predicate of lop3: p = (d != 0) or/and q. p is in op->target, q in op->b, d in op->a. Flag 1: q is
// negated. Flag 4: and.
void warp_lop3_predicate(struct warp *w, const struct op *op) {
  const uint32_t *value = LANE_REGISTER(u32, op->a);
  uint32_t other = predicate_source(w, op->b, op->flags & 1), mask = 0;
  for (int i = 0; i < WARP_LANES; i++)
    mask |= value[i] != 0 ? lane_bit[i] : 0;
  predicate_result(w, op, (op->flags & 4) ? mask & other : mask | other);
}
