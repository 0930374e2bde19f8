// Integer arithmetic and logic, checked against separate formulas, and edges by table.
#include "arithmetic-harness.h"

#define I32          KIND_INTEGER32
#define I64          KIND_INTEGER64
#define COUNT(table) (sizeof(table) / sizeof *(table))

// The result in a register. Results of 16 and 32 bits are zero-extended.
#define FORMULA(name, expression)                        \
  static uint64_t name(const uint64_t in[4]) {           \
    uint64_t a = in[0], b = in[1], c = in[2], e = in[3]; \
    (void)a, (void)b, (void)c, (void)e;                  \
    return expression;                                   \
  }
#define S16(x)  ((int16_t)(x))
#define S32(x)  ((int32_t)(x))
#define S64(x)  ((int64_t)(x))
#define CLIP(x) ((x) < INT32_MIN ? INT32_MIN : (x) > INT32_MAX ? INT32_MAX : (x))
FORMULA(add_u16, (uint16_t)(a + b))
FORMULA(add_u32, (uint32_t)(a + b))
FORMULA(add_u64, a + b)
FORMULA(sub_s32, (uint32_t)(a - b))
FORMULA(add_sat, (uint32_t)CLIP((int64_t)S32(a) + S32(b)))
FORMULA(sub_sat, (uint32_t)CLIP((int64_t)S32(a) - S32(b)))
FORMULA(mul_lo_u16, (uint16_t)(a *b))
FORMULA(mul_lo_u32, (uint32_t)(a *b))
FORMULA(mul_lo_s64, a *b)
FORMULA(mul_hi_u16, (uint16_t)((a & 0xffff) * (b & 0xffff) >> 16))
FORMULA(mul_hi_s16, (uint16_t)(S16(a) * S16(b) >> 16))
FORMULA(mul_hi_u32, a *b >> 32)
FORMULA(mul_hi_s32, (uint32_t)((int64_t)S32(a) * S32(b) >> 32))
FORMULA(mul_hi_u64, (uint64_t)((unsigned __int128)a *b >> 64))
FORMULA(mul_hi_s64, (uint64_t)((__int128)S64(a) * S64(b) >> 64))
FORMULA(mul_wide_u16, (a & 0xffff) * (b & 0xffff))
FORMULA(mul_wide_s16, (uint32_t)(S16(a) * S16(b)))
FORMULA(mul_wide_u32, a *b)
FORMULA(mul_wide_s32, (uint64_t)((int64_t)S32(a) * S32(b)))
FORMULA(mad_lo_s32, (uint32_t)(a *b + c))
FORMULA(mad_hi_s32, (uint32_t)(((uint64_t)((int64_t)S32(a) * S32(b)) >> 32) + c))
FORMULA(mad_hi_sat, (uint32_t)CLIP(((int64_t)S32(a) * S32(b) >> 32) + S32(c)))
FORMULA(mad_wide_s32, (uint64_t)((int64_t)S32(a) * S32(b)) + c)
FORMULA(mad_wide_u16, (uint32_t)((a & 0xffff) * (b & 0xffff) + c))
FORMULA(mad_lo_u64, a *b + c)
FORMULA(mul24_lo_u32, (uint32_t)((a & 0xffffff) * (b & 0xffffff)))
FORMULA(mul24_hi_u32, (uint32_t)((a & 0xffffff) * (b & 0xffffff) >> 16))
FORMULA(mul24_hi_s32, (uint32_t)(((int64_t)(a << 40) >> 40) * ((int64_t)(b << 40) >> 40) >> 16))
FORMULA(sad_s32,
        (uint32_t)(c + (uint64_t)(S32(a) < S32(b) ? (int64_t)S32(b) - S32(a) : (int64_t)S32(a) - S32(b))))
FORMULA(div_u32, b ? a / b : UINT32_MAX)
FORMULA(div_s32, S32(b) ? (uint32_t)((int64_t)S32(a) / S32(b)) : UINT32_MAX)
FORMULA(rem_u32, b ? a % b : UINT32_MAX)
FORMULA(rem_s32, S32(b) ? (uint32_t)((int64_t)S32(a) % S32(b)) : UINT32_MAX)
FORMULA(div_s64, b ? (uint64_t)((__int128)S64(a) / S64(b)) : UINT64_MAX)
FORMULA(rem_s64, b ? (uint64_t)((__int128)S64(a) % S64(b)) : UINT64_MAX)
FORMULA(div_u64, b ? a / b : UINT64_MAX)
FORMULA(div_s16, S16(b) ? (uint16_t)(S16(a) / S16(b)) : UINT16_MAX)
FORMULA(abs_s32, S32(a) < 0 ? (uint32_t)(0 - a) : a)
FORMULA(abs_s64, S64(a) < 0 ? 0 - a : a)
FORMULA(neg_s16, (uint16_t)(0 - a))
FORMULA(min_s32, S32(a) < S32(b) ? a : b)
FORMULA(max_u64, a > b ? a : b)
FORMULA(max_s16, (uint16_t)(S16(a) > S16(b) ? a : b))
FORMULA(min_relu, S32(a) < 0 || S32(b) < 0 ? 0 : a < b ? a : b)
FORMULA(add_x2, (uint32_t)(((a & 0xffff0000) + (b & 0xffff0000)) | (uint16_t)(a + b)))
FORMULA(max_s16x2, (uint16_t)(S16(a) > S16(b) ? a : b) |
                       (uint64_t)(uint16_t)(S16(a >> 16) > S16(b >> 16) ? a >> 16 : b >> 16) << 16)
FORMULA(min_relu_s16x2, (uint16_t)(S16(a) < 0 || S16(b) < 0 ? 0
                                   : S16(a) < S16(b)        ? a
                                                            : b) |
                            (uint64_t)(uint16_t)(S16(a >> 16) < 0 || S16(b >> 16) < 0 ? 0
                                                 : S16(a >> 16) < S16(b >> 16)        ? a >> 16
                                                                                      : b >> 16)
                                << 16)
FORMULA(and_b32, a &b)
FORMULA(xor_b64, a ^ b)
FORMULA(not_b16, (uint16_t)~a)
FORMULA(cnot_b32, a == 0)
FORMULA(shl_b16, b > 15 ? 0 : (uint16_t)(a << b))
FORMULA(shl_b32, b > 31 ? 0 : (uint32_t)(a << b))
FORMULA(shl_b64, b > 63 ? 0 : a << b)
FORMULA(shr_u32, b > 31 ? 0 : a >> b)
FORMULA(shr_s32, (uint32_t)((int64_t)S32(a) >> (b > 63 ? 63 : b)))
FORMULA(shr_s64, (uint64_t)(S64(a) >> (b > 63 ? 63 : b)))
FORMULA(shr_s16, (uint16_t)(S16(a) >> (b > 31 ? 31 : b)))
FORMULA(shf_l_clamp, c > 31 ? a : (uint32_t)((b << 32 | a) << c >> 32))
FORMULA(shf_l_wrap, (uint32_t)((b << 32 | a) << (c & 31) >> 32))
FORMULA(shf_r_clamp, (uint32_t)((b << 32 | a) >> (c > 32 ? 32 : c)))
FORMULA(shf_r_wrap, (uint32_t)((b << 32 | a) >> (c & 31)))

static uint64_t count_bits(uint64_t x) {
  uint64_t n = 0;
  for (; x; x &= x - 1)
    n++;
  return n;
}
static uint64_t highest(uint64_t x) { // returns UINT32_MAX when no bit is set
  uint64_t n = UINT32_MAX;
  for (unsigned i = 0; i < 64; i++)
    if (x >> i & 1) n = i;
  return n;
}
FORMULA(popc_b64, count_bits(a))
FORMULA(clz_b32, (uint32_t)(31 - highest(a)))
FORMULA(clz_b64, (uint32_t)(63 - highest(a)))
FORMULA(bfind_s32, highest(S32(a) < 0 ? (uint32_t)~a : a))
FORMULA(bfind_shift_u64, a ? 63 - highest(a) : UINT32_MAX)

// The pseudo code of the PTX ISA, bit by bit.
static uint64_t extract(uint64_t a, uint64_t b, uint64_t c, unsigned msb, bool is_signed) {
  unsigned position = b & 0xff, length = c & 0xff;
  unsigned top = position + length - 1 < msb ? position + length - 1 : msb;
  uint64_t sign = is_signed && length ? a >> top & 1 : 0, d = 0;
  for (unsigned i = 0; i <= msb; i++)
    d |= (i < length && position + i <= msb ? a >> (position + i) & 1 : sign) << i;
  return d;
}
static uint64_t insert(uint64_t a, uint64_t b, uint64_t c, uint64_t e, unsigned msb) {
  unsigned position = c & 0xff, length = e & 0xff;
  for (unsigned i = 0; i < length && position + i <= msb; i++)
    b = (b & ~(1ull << (position + i))) | (a >> i & 1) << (position + i);
  return b;
}
static uint64_t reverse(uint64_t a, unsigned width) {
  uint64_t d = 0;
  for (unsigned i = 0; i < width; i++)
    d |= (a >> i & 1) << (width - 1 - i);
  return d;
}
FORMULA(bfe_u32, extract(a, b, c, 31, false))
FORMULA(bfe_s32, extract(a, b, c, 31, true))
FORMULA(bfe_u64, extract(a, b, c, 63, false))
FORMULA(bfe_s64, extract(a, b, c, 63, true))
FORMULA(bfi_b32, insert(a, b, c, e, 31))
FORMULA(bfi_b64, insert(a, b, c, e, 63))
FORMULA(brev_b32, reverse(a, 32))
FORMULA(brev_b64, reverse(a, 64))
static uint64_t byte_of(uint64_t bytes, uint64_t selector) {
  uint64_t byte = bytes >> (8 * (selector & 7)) & 0xff;
  return selector & 8 ? (byte >> 7) * 0xff : byte;
}
FORMULA(prmt, byte_of(b << 32 | a, c) | byte_of(b << 32 | a, c >> 4) << 8 |
                  byte_of(b << 32 | a, c >> 8) << 16 | byte_of(b << 32 | a, c >> 12) << 24)
FORMULA(lop3_any, (uint32_t)((a & ~b) | (~a & c) | (b & c & ~a))) // F(0xf0, 0xcc, 0xaa) = 0x3a
FORMULA(lop3_select, (uint32_t)((a & b) | (~a & c)))
FORMULA(dp4a_s32_u32,
        (uint32_t)(c + (uint64_t)((int8_t)a * (int)(b & 0xff) + (int8_t)(a >> 8) * (int)(b >> 8 & 0xff) +
                                  (int8_t)(a >> 16) * (int)(b >> 16 & 0xff) +
                                  (int8_t)(a >> 24) * (int)(b >> 24 & 0xff))))
FORMULA(dp2a_hi_s32,
        (uint32_t)(c + (uint64_t)(S16(a) * (int8_t)(b >> 16) + S16(a >> 16) * (int8_t)(b >> 24))))

static const struct {
  const char *code;
  enum arithmetic_kind kinds[4];
  arithmetic_reference *reference;
} formulas[] = {
    {"add.u16 %h0, %h1, %h2;", {I32, I32}, add_u16},
    {"add.s32 %r0, %r1, %r2;", {I32, I32}, add_u32},
    {"add.u64 %l0, %l1, %l2;", {I64, I64}, add_u64},
    {"sub.s32 %r0, %r1, %r2;", {I32, I32}, sub_s32},
    {"add.sat.s32 %r0, %r1, %r2;", {I32, I32}, add_sat},
    {"sub.sat.s32 %r0, %r1, %r2;", {I32, I32}, sub_sat},
    {"mul.lo.u16 %h0, %h1, %h2;", {I32, I32}, mul_lo_u16},
    {"mul.lo.s32 %r0, %r1, %r2;", {I32, I32}, mul_lo_u32},
    {"mul.lo.s64 %l0, %l1, %l2;", {I64, I64}, mul_lo_s64},
    {"mul.hi.u16 %h0, %h1, %h2;", {I32, I32}, mul_hi_u16},
    {"mul.hi.s16 %h0, %h1, %h2;", {I32, I32}, mul_hi_s16},
    {"mul.hi.u32 %r0, %r1, %r2;", {I32, I32}, mul_hi_u32},
    {"mul.hi.s32 %r0, %r1, %r2;", {I32, I32}, mul_hi_s32},
    {"mul.hi.u64 %l0, %l1, %l2;", {I64, I64}, mul_hi_u64},
    {"mul.hi.s64 %l0, %l1, %l2;", {I64, I64}, mul_hi_s64},
    {"mul.wide.u16 %r0, %h1, %h2;", {I32, I32}, mul_wide_u16},
    {"mul.wide.s16 %r0, %h1, %h2;", {I32, I32}, mul_wide_s16},
    {"mul.wide.u32 %l0, %r1, %r2;", {I32, I32}, mul_wide_u32},
    {"mul.wide.s32 %l0, %r1, %r2;", {I32, I32}, mul_wide_s32},
    {"mad.lo.s32 %r0, %r1, %r2, %r3;", {I32, I32, I32}, mad_lo_s32},
    {"mad.hi.s32 %r0, %r1, %r2, %r3;", {I32, I32, I32}, mad_hi_s32},
    {"mad.hi.sat.s32 %r0, %r1, %r2, %r3;", {I32, I32, I32}, mad_hi_sat},
    {"mad.wide.s32 %l0, %r1, %r2, %l3;", {I32, I32, I64}, mad_wide_s32},
    {"mad.wide.u16 %r0, %h1, %h2, %r3;", {I32, I32, I32}, mad_wide_u16},
    {"mad.lo.u64 %l0, %l1, %l2, %l3;", {I64, I64, I64}, mad_lo_u64},
    {"mul24.lo.u32 %r0, %r1, %r2;", {I32, I32}, mul24_lo_u32},
    {"mul24.hi.u32 %r0, %r1, %r2;", {I32, I32}, mul24_hi_u32},
    {"mul24.hi.s32 %r0, %r1, %r2;", {I32, I32}, mul24_hi_s32},
    {"sad.s32 %r0, %r1, %r2, %r3;", {I32, I32, I32}, sad_s32},
    {"div.u32 %r0, %r1, %r2;", {I32, I32}, div_u32},
    {"div.s32 %r0, %r1, %r2;", {I32, I32}, div_s32},
    {"rem.u32 %r0, %r1, %r2;", {I32, I32}, rem_u32},
    {"rem.s32 %r0, %r1, %r2;", {I32, I32}, rem_s32},
    {"div.s64 %l0, %l1, %l2;", {I64, I64}, div_s64},
    {"rem.s64 %l0, %l1, %l2;", {I64, I64}, rem_s64},
    {"div.u64 %l0, %l1, %l2;", {I64, I64}, div_u64},
    {"div.s16 %h0, %h1, %h2;", {I32, I32}, div_s16},
    {"abs.s32 %r0, %r1;", {I32}, abs_s32},
    {"abs.s64 %l0, %l1;", {I64}, abs_s64},
    {"neg.s16 %h0, %h1;", {I32}, neg_s16},
    {"min.s32 %r0, %r1, %r2;", {I32, I32}, min_s32},
    {"max.u64 %l0, %l1, %l2;", {I64, I64}, max_u64},
    {"max.s16 %h0, %h1, %h2;", {I32, I32}, max_s16},
    {"min.relu.s32 %r0, %r1, %r2;", {I32, I32}, min_relu},
    {"add.u16x2 %r0, %r1, %r2;", {I32, I32}, add_x2},
    {"max.s16x2 %r0, %r1, %r2;", {I32, I32}, max_s16x2},
    {"min.relu.s16x2 %r0, %r1, %r2;", {I32, I32}, min_relu_s16x2},
    {"and.b32 %r0, %r1, %r2;", {I32, I32}, and_b32},
    {"xor.b64 %l0, %l1, %l2;", {I64, I64}, xor_b64},
    {"not.b16 %h0, %h1;", {I32}, not_b16},
    {"cnot.b32 %r0, %r1;", {I32}, cnot_b32},
    {"shl.b16 %h0, %h1, %r2;", {I32, KIND_SHIFT}, shl_b16},
    {"shl.b32 %r0, %r1, %r2;", {I32, KIND_SHIFT}, shl_b32},
    {"shl.b64 %l0, %l1, %r2;", {I64, KIND_SHIFT}, shl_b64},
    {"shr.u32 %r0, %r1, %r2;", {I32, KIND_SHIFT}, shr_u32},
    {"shr.s32 %r0, %r1, %r2;", {I32, KIND_SHIFT}, shr_s32},
    {"shr.s64 %l0, %l1, %r2;", {I64, KIND_SHIFT}, shr_s64},
    {"shr.s16 %h0, %h1, %r2;", {I32, KIND_SHIFT}, shr_s16},
    {"shf.l.clamp.b32 %r0, %r1, %r2, %r3;", {I32, I32, KIND_SHIFT}, shf_l_clamp},
    {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {I32, I32, KIND_SHIFT}, shf_l_wrap},
    {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {I32, I32, KIND_SHIFT}, shf_r_clamp},
    {"shf.r.wrap.b32 %r0, %r1, %r2, %r3;", {I32, I32, KIND_SHIFT}, shf_r_wrap},
    {"popc.b64 %r0, %l1;", {I64}, popc_b64},
    {"clz.b32 %r0, %r1;", {I32}, clz_b32},
    {"clz.b64 %r0, %l1;", {I64}, clz_b64},
    {"bfind.s32 %r0, %r1;", {I32}, bfind_s32},
    {"bfind.shiftamt.u64 %r0, %l1;", {I64}, bfind_shift_u64},
    {"bfe.u32 %r0, %r1, %r2, %r3;", {I32, KIND_SHIFT, KIND_SHIFT}, bfe_u32},
    {"bfe.s32 %r0, %r1, %r2, %r3;", {I32, KIND_SHIFT, KIND_SHIFT}, bfe_s32},
    {"bfe.u64 %l0, %l1, %r2, %r3;", {I64, KIND_SHIFT, KIND_SHIFT}, bfe_u64},
    {"bfe.s64 %l0, %l1, %r2, %r3;", {I64, KIND_SHIFT, KIND_SHIFT}, bfe_s64},
    {"bfi.b32 %r0, %r1, %r2, %r3, %r4;", {I32, I32, KIND_SHIFT, KIND_SHIFT}, bfi_b32},
    {"bfi.b64 %l0, %l1, %l2, %r3, %r4;", {I64, I64, KIND_SHIFT, KIND_SHIFT}, bfi_b64},
    {"brev.b32 %r0, %r1;", {I32}, brev_b32},
    {"brev.b64 %l0, %l1;", {I64}, brev_b64},
    {"prmt.b32 %r0, %r1, %r2, %r3;", {I32, I32, I32}, prmt},
    {"lop3.b32 %r0, %r1, %r2, %r3, 0x3a;", {I32, I32, I32}, lop3_any},
    {"lop3.b32 %r0, %r1, %r2, %r3, 0xca;", {I32, I32, I32}, lop3_select},
    {"dp4a.s32.u32 %r0, %r1, %r2, %r3;", {I32, I32, I32}, dp4a_s32_u32},
    {"dp2a.hi.s32.s32 %r0, %r1, %r2, %r3;", {I32, I32, I32}, dp2a_hi_s32},
};
static void test_formulas(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(formulas); i++)
    check_reference(formulas[i].code, formulas[i].kinds, formulas[i].reference);
}

static const struct arithmetic_row edges[] = {
    {"div.s32 %r0, %r1, %r2;", {0x80000000, 0xffffffff}, 0x80000000},
    {"rem.s32 %r0, %r1, %r2;", {0x80000000, 0xffffffff}, 0},
    {"div.s64 %l0, %l1, %l2;", {0x8000000000000000, ~0ull}, 0x8000000000000000},
    {"abs.s32 %r0, %r1;", {0x80000000}, 0x80000000},
    {"add.u32 %r0, %r1, -1;", {5}, 4},
    {"add.u16 %h0, %h1, 0xffff;", {1}, 0},
    {"fns.b32 %r0, %r1, %r2, %r3;", {0xf0, 0, 2}, 5},
    {"fns.b32 %r0, %r1, %r2, %r3;", {0xf0, 5, 0x80000000}, 0},
    {"fns.b32 %r0, %r1, %r2, %r3;", {0xf0, 31, 0xffffffff}, 7},
    {"fns.b32 %r0, %r1, %r2, %r3;", {0xf0, 4, 0}, 4},
    {"fns.b32 %r0, %r1, %r2, %r3;", {0xf0, 3, 0}, 0xffffffff},
    {"fns.b32 %r0, %r1, %r2, %r3;", {0xf0, 0, 5}, 0xffffffff},
    {"szext.clamp.s32 %r0, %r1, %r2;", {0x80, 8}, 0xffffff80},
    {"szext.wrap.s32 %r0, %r1, %r2;", {0xabcdef80, 40}, 0xffffff80},
    {"szext.clamp.u32 %r0, %r1, %r2;", {0xabcdef80, 40}, 0xabcdef80},
    {"szext.clamp.u32 %r0, %r1, %r2;", {0xabcdef80, 0}, 0},
    {"bmsk.clamp.b32 %r0, %r1, %r2;", {4, 8}, 0xff0},
    {"bmsk.clamp.b32 %r0, %r1, %r2;", {32, 8}, 0},
    {"bmsk.clamp.b32 %r0, %r1, %r2;", {28, 8}, 0xf0000000},
    {"bmsk.clamp.b32 %r0, %r1, %r2;", {0, 32}, 0xffffffff},
    {"bmsk.wrap.b32 %r0, %r1, %r2;", {33, 33}, 2},
    {"bmsk.wrap.b32 %r0, %r1, %r2;", {3, 32}, 0},
    {"prmt.b32.f4e %r0, %r1, %r2, %r3;", {0x33221100, 0x77665544, 2}, 0x55443322},
    {"prmt.b32.b4e %r0, %r1, %r2, %r3;", {0x33221100, 0x77665544, 1}, 0x66770011},
    {"prmt.b32.rc8 %r0, %r1, %r2, %r3;", {0x33221100, 0x77665544, 3}, 0x33333333},
    {"prmt.b32.ecl %r0, %r1, %r2, %r3;", {0x33221100, 0x77665544, 1}, 0x33221111},
    {"prmt.b32.ecr %r0, %r1, %r2, %r3;", {0x33221100, 0x77665544, 2}, 0x22221100},
    {"prmt.b32.rc16 %r0, %r1, %r2, %r3;", {0x33221100, 0x77665544, 3}, 0x33223322},
    {"mad24.lo.s32 %r0, %r1, %r2, %r3;", {0xff000002, 3, 10}, 16},
    {"mad24.hi.sat.s32 %r0, %r1, %r2, %r3;", {0x7fffff, 0x7fffff, 0x7fffffff}, 0x7fffffff},
    // Carries. The instructions that follow keep inputs and result live, so that no two registers share a
    // place.
    {"add.cc.u32 %r5, %r1, %r2; addc.u32 %r0, %r3, %r4; "
     "add.u32 %r6, %r1, %r2; add.u32 %r6, %r3, %r4; add.u32 %r6, %r0, %r5;",
     {0xffffffff, 1, 5, 6},
     12},
    {"add.cc.u32 %r5, %r1, %r2; addc.u32 %r0, %r3, %r4; "
     "add.u32 %r6, %r1, %r2; add.u32 %r6, %r3, %r4; add.u32 %r6, %r0, %r5;",
     {0xfffffffe, 1, 5, 6},
     11},
    {"add.cc.u32 %r5, %r1, %r2; addc.cc.u32 %r6, %r3, %r4; addc.u32 %r0, 0, 0; "
     "add.u32 %r6, %r1, %r2; add.u32 %r6, %r3, %r4; add.u32 %r6, %r0, %r5;",
     {0xffffffff, 1, 0xffffffff, 0},
     1},
    {"sub.cc.u32 %r5, %r1, %r2; subc.u32 %r0, %r3, %r4; "
     "add.u32 %r6, %r1, %r2; add.u32 %r6, %r3, %r4; add.u32 %r6, %r0, %r5;",
     {0, 1, 10, 3},
     6},
    {"sub.cc.u64 %l5, %l1, %l2; subc.cc.u64 %l6, %l3, %l4; subc.u64 %l0, 0, 0; "
     "add.u64 %l6, %l1, %l2; add.u64 %l6, %l3, %l4; add.u64 %l6, %l0, %l5;",
     {0, 1, 0, 0},
     ~0ull},
    // CC.CF after a subtraction: set when there was no borrow
    {"sub.cc.u32 %r5, %r1, %r2; addc.u32 %r0, 0, 0; add.u32 %r6, %r1, %r2; add.u32 %r6, %r0, %r5;",
     {1, 2},
     0},
    {"sub.cc.u32 %r5, %r1, %r2; addc.u32 %r0, 0, 0; add.u32 %r6, %r1, %r2; add.u32 %r6, %r0, %r5;",
     {2, 2},
     1},
    {"add.cc.u32 %r5, %r1, %r2; subc.u32 %r0, 0, 0; add.u32 %r6, %r1, %r2; add.u32 %r6, %r0, %r5;",
     {2, 2},
     0xffffffff},
    {"mad.lo.cc.u32 %r5, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, 0; "
     "add.u32 %r6, %r1, %r2; add.u32 %r6, %r3, %r3; add.u32 %r6, %r0, %r5;",
     {0xffffffff, 0xffffffff, 0xffffffff},
     0xffffffff},
    {"mad.lo.cc.u32 %r5, %r1, %r2, %r3; madc.hi.cc.u32 %r6, %r1, %r2, %r4; "
     "addc.u32 %r0, 0, 0; add.u32 %r6, %r1, %r2; "
     "add.u32 %r6, %r3, %r4; add.u32 %r6, %r0, %r5;",
     {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     1},
    // video: words, pairs and quads
    {"vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3;", {0x00ff1020, 0x01001120, 7}, 0x01ff0100},
    {"vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", {0x00ff1020, 0x01001120, 7}, 0x108},
    {"vadd2.s32.s32.s32.sat %r0, %r1, %r2, %r3;", {0x7fff8000, 0x0001ffff, 0}, 0x7fff8000},
    {"vadd4.u32.u32.u32 %r0, %r1, %r2, %r3;", {0xff01ff01, 0x01010101, 0}, 0x00020002},
    {"vsub2.s32.u32.u32.sat %r0, %r1, %r2, %r3;", {0x0000ffff, 0xffff0000, 0}, 0x80007fff},
    {"vavrg4.s32.s32.s32 %r0, %r1, %r2, %r3;", {0x01ff0280, 0x02ff0380, 0}, 0x02ff0380},
    {"vmin2.s32.s32.s32 %r0, %r1, %r2, %r3;", {0x80000001, 0x0001ffff, 0}, 0x8000ffff},
    {"vmax4.u32.u32.u32 %r0, %r1, %r2, %r3;", {0x01ff0203, 0x02fe0302, 0}, 0x02ff0303},
    {"vset2.s32.s32.lt %r0, %r1, %r2, %r3;", {0x80000001, 0x00010001, 0}, 0x00010000},
    {"vset4.u32.u32.ge.add %r0, %r1, %r2, %r3;", {0x01020304, 0x01030303, 10}, 13},
    {"vadd.s32.u32.u32.sat %r0, %r1, %r2;", {0xffffffff, 1}, 0x7fffffff},
    {"vsub.s32.s32.s32.max %r0, %r1, %r2, %r3;", {5, 9, 0xfffffffd}, 0xfffffffd},
    {"vabsdiff.s32.s32.s32.add %r0, %r1, %r2, %r3;", {0xfffffffe, 3, 10}, 15},
    // predicates
    {"and.pred %p0, %p1, !%p2;", {1, 0}, 1},
    {"and.pred %p0, %p1, !%p2;", {1, 1}, 0},
    {"xor.pred %p0, %p1, %p2;", {1, 0}, 1},
    {"or.pred %p0, %p1, %p2;", {0, 0}, 0},
    {"not.pred %p0, %p1;", {0}, 1},
    {"mov.pred %p0, 1;", {0}, 1},
    {"lop3.or.b32 %r5|%p0, %r1, %r2, %r3, 0x80, %p4;", {6, 3, 2, 0}, 1},
    {"lop3.and.b32 _|%p0, %r1, %r2, %r3, 0x80, !%p4;", {6, 3, 2, 1}, 0},
    {"lop3.and.b32 %r0|%p5, %r1, %r2, %r3, 0x96, !%p4;", {6, 3, 2, 1}, 7},
    {"@%p3 add.u32 %r0, %r1, %r2;", {6, 3, 1}, 9},
};
static void test_edges(void **state) {
  (void)state;
  check_rows(edges, COUNT(edges));
}

static void test_carry_of_some_lanes(void **state) {
  (void)state;
  struct snippet *s = snippet_make("add.cc.u32 %r0, %r1, %r2;\n@%p3 add.cc.u32 %r5, %r4, %r4;\n"
                                   "addc.u32 %r7, %r4, 0; add.u32 %r6, %r1, %r2; "
                                   "add.u32 %r6, %r0, %r5; add.u32 %r6, %r7, %r4; not.pred %p6, %p3;");
  for (unsigned lane = 0; lane < 32; lane++) {
    snippet_input(s, 1, lane, 0xffffffff); // every lane carries ...
    snippet_input(s, 2, lane, 1);
    snippet_input(s, 3, lane, lane & 1); // ... then odd lanes do not carry
    snippet_input(s, 4, lane, 4);
  }
  snippet_run(s, UINT32_MAX);
  for (unsigned lane = 0; lane < 32; lane++)
    assert_int_equal(snippet_output(s, 7, lane), lane & 1 ? 4 : 5);
  snippet_destroy(s);
}

static const struct arithmetic_refusal refusals[] = {
    {"add.f16x3 %r0, %r1, %r2;", "f16x3"},
    {"add.sat.u32 %r0, %r1, %r2;", "add.sat"},
    {"mul.u32 %r0, %r1, %r2;", "mul"},
    {"min.s32 %r0, %r1, %r2, %r3;", "operands"},
    {"add.s32.wrap %r0, %r1, %r2;", "wrap"},
    {"add.u64 %l0, %l1, %r2;", "r2"},
    {"add.u32 _, %r1, %r2;", "destination"},
    {"shl.b32.clamp %r0, %r1, %r2;", "clamp"},
    {"lop3.b32 %r0, %r1, %r2, %r3, 256;", "255"},
    {"vavrg.u32.u32.u32 %r0, %r1, %r2, %r3;", "doesn't know"},
    {"vadd2.u32.u32 %r0, %r1, %r2, %r3;", "types"},
    {"vadd4.u32.u32.u32.min %r0, %r1, %r2, %r3;", "whole words"},
    {"dp4a.u32 %r0, %r1, %r2, %r3;", "two types"},
    {"add.f32x2 %l0, %l1, %l2;", "f32x2"},
};
static void test_refusals(void **state) {
  (void)state;
  check_refusals(refusals, COUNT(refusals));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formulas),
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_carry_of_some_lanes),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
