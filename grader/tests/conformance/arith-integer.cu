// Integer arithmetic, carries, bits, logic and shifts: PTX ISA 9.7.1, 9.7.2, 9.7.8.
#include "arithmetic.cuh"

// X(name, types of d a b c, edges of a b c, code)
#define INTEGERS(X)                                                                                     \
  X(add_s16, h, h, h, h, i32, i32, none, "add.s16 %0, %1, %2;")                                         \
  X(add_s32, r, r, r, r, i32, i32, none, "add.s32 %0, %1, %2;")                                         \
  X(add_s64, l, l, l, l, i64, i64, none, "add.s64 %0, %1, %2;")                                         \
  X(add_sat_s32, r, r, r, r, i32, i32, none, "add.sat.s32 %0, %1, %2;")                                 \
  X(sub_u16, h, h, h, h, i32, i32, none, "sub.u16 %0, %1, %2;")                                         \
  X(sub_sat_s32, r, r, r, r, i32, i32, none, "sub.sat.s32 %0, %1, %2;")                                 \
  X(mul_lo_u16, h, h, h, h, i32, i32, none, "mul.lo.u16 %0, %1, %2;")                                   \
  X(mul_hi_s16, h, h, h, h, i32, i32, none, "mul.hi.s16 %0, %1, %2;")                                   \
  X(mul_wide_s16, r, h, h, h, i32, i32, none, "mul.wide.s16 %0, %1, %2;")                               \
  X(mul_lo_s32, r, r, r, r, i32, i32, none, "mul.lo.s32 %0, %1, %2;")                                   \
  X(mul_hi_u32, r, r, r, r, i32, i32, none, "mul.hi.u32 %0, %1, %2;")                                   \
  X(mul_hi_s32, r, r, r, r, i32, i32, none, "mul.hi.s32 %0, %1, %2;")                                   \
  X(mul_wide_u32, l, r, r, r, i32, i32, none, "mul.wide.u32 %0, %1, %2;")                               \
  X(mul_wide_s32, l, r, r, r, i32, i32, none, "mul.wide.s32 %0, %1, %2;")                               \
  X(mul_lo_u64, l, l, l, l, i64, i64, none, "mul.lo.u64 %0, %1, %2;")                                   \
  X(mul_hi_u64, l, l, l, l, i64, i64, none, "mul.hi.u64 %0, %1, %2;")                                   \
  X(mul_hi_s64, l, l, l, l, i64, i64, none, "mul.hi.s64 %0, %1, %2;")                                   \
  X(mad_lo_s32, r, r, r, r, i32, i32, i32, "mad.lo.s32 %0, %1, %2, %3;")                                \
  X(mad_hi_u32, r, r, r, r, i32, i32, i32, "mad.hi.u32 %0, %1, %2, %3;")                                \
  X(mad_hi_sat_s32, r, r, r, r, i32, i32, i32, "mad.hi.sat.s32 %0, %1, %2, %3;")                        \
  X(mad_wide_s32, l, r, r, l, i32, i32, i64, "mad.wide.s32 %0, %1, %2, %3;")                            \
  X(mul24_lo_s32, r, r, r, r, i32, i32, none, "mul24.lo.s32 %0, %1, %2;")                               \
  X(mul24_hi_s32, r, r, r, r, i32, i32, none, "mul24.hi.s32 %0, %1, %2;")                               \
  X(mul24_hi_u32, r, r, r, r, i32, i32, none, "mul24.hi.u32 %0, %1, %2;")                               \
  X(mad24_lo_u32, r, r, r, r, i32, i32, i32, "mad24.lo.u32 %0, %1, %2, %3;")                            \
  X(mad24_hi_sat_s32, r, r, r, r, i32, i32, i32, "mad24.hi.sat.s32 %0, %1, %2, %3;")                    \
  X(sad_s32, r, r, r, r, i32, i32, i32, "sad.s32 %0, %1, %2, %3;")                                      \
  X(sad_u16, h, h, h, h, i32, i32, i32, "sad.u16 %0, %1, %2, %3;")                                      \
  X(div_u32, r, r, r, r, i32, n32, none, "div.u32 %0, %1, %2;")                                         \
  X(div_s32, r, r, r, r, i32, n32, none, "div.s32 %0, %1, %2;")                                         \
  X(rem_s32, r, r, r, r, i32, n32, none, "rem.s32 %0, %1, %2;")                                         \
  X(div_u64, l, l, l, l, i64, n64, none, "div.u64 %0, %1, %2;")                                         \
  X(div_s64, l, l, l, l, i64, n64, none, "div.s64 %0, %1, %2;")                                         \
  X(rem_u64, l, l, l, l, i64, n64, none, "rem.u64 %0, %1, %2;")                                         \
  X(abs_s32, r, r, r, r, i32, none, none, "abs.s32 %0, %1;")                                            \
  X(abs_s16, h, h, h, h, i32, none, none, "abs.s16 %0, %1;")                                            \
  X(neg_s64, l, l, l, l, i64, none, none, "neg.s64 %0, %1;")                                            \
  X(min_s16, h, h, h, h, i32, i32, none, "min.s16 %0, %1, %2;")                                         \
  X(max_u64, l, l, l, l, i64, i64, none, "max.u64 %0, %1, %2;")                                         \
  X(min_relu_s32, r, r, r, r, i32, i32, none, "min.relu.s32 %0, %1, %2;")                               \
  X(add_u16x2, r, r, r, r, i32, i32, none, "add.u16x2 %0, %1, %2;")                                     \
  X(min_s16x2, r, r, r, r, i32, i32, none, "min.s16x2 %0, %1, %2;")                                     \
  X(max_u16x2, r, r, r, r, i32, i32, none, "max.u16x2 %0, %1, %2;")                                     \
  X(max_relu_s16x2, r, r, r, r, i32, i32, none, "max.relu.s16x2 %0, %1, %2;")                           \
  X(popc_b64, r, l, r, r, i64, none, none, "popc.b64 %0, %1;")                                          \
  X(clz_b32, r, r, r, r, i32, none, none, "clz.b32 %0, %1;")                                            \
  X(clz_b64, r, l, r, r, i64, none, none, "clz.b64 %0, %1;")                                            \
  X(bfind_s32, r, r, r, r, i32, none, none, "bfind.s32 %0, %1;")                                        \
  X(bfind_shift_u64, r, l, r, r, i64, none, none, "bfind.shiftamt.u64 %0, %1;")                         \
  X(brev_b32, r, r, r, r, i32, none, none, "brev.b32 %0, %1;")                                          \
  X(brev_b64, l, l, l, l, i64, none, none, "brev.b64 %0, %1;")                                          \
  X(fns_forward, r, r, r, r, i32, none, shift, "fns.b32 %0, %1, 3, %3;")                                \
  X(fns_backward, r, r, r, r, i32, none, i32, "fns.b32 %0, %1, 29, %3;")                                \
  X(bfe_u32, r, r, r, r, i32, shift, shift, "bfe.u32 %0, %1, %2, %3;")                                  \
  X(bfe_s32, r, r, r, r, i32, shift, shift, "bfe.s32 %0, %1, %2, %3;")                                  \
  X(bfe_u64, l, l, r, r, i64, shift, shift, "bfe.u64 %0, %1, %2, %3;")                                  \
  X(bfe_s64, l, l, r, r, i64, shift, shift, "bfe.s64 %0, %1, %2, %3;")                                  \
  X(bfi_b32, r, r, r, r, i32, shift, shift, "bfi.b32 %0, %1, 0x5a5a5a5a, %2, %3;")                      \
  X(bfi_b64, l, l, r, r, i64, shift, shift, "bfi.b64 %0, %1, 0x5a5a5a5a5a5a5a5a, %2, %3;")              \
  X(szext_clamp_s32, r, r, r, r, i32, shift, none, "szext.clamp.s32 %0, %1, %2;")                       \
  X(szext_wrap_u32, r, r, r, r, i32, shift, none, "szext.wrap.u32 %0, %1, %2;")                         \
  X(bmsk_clamp, r, r, r, r, shift, shift, none, "bmsk.clamp.b32 %0, %1, %2;")                           \
  X(bmsk_wrap, r, r, r, r, shift, shift, none, "bmsk.wrap.b32 %0, %1, %2;")                             \
  X(dp4a_s32_u32, r, r, r, r, i32, i32, i32, "dp4a.s32.u32 %0, %1, %2, %3;")                            \
  X(dp2a_hi_s32_s32, r, r, r, r, i32, i32, i32, "dp2a.hi.s32.s32 %0, %1, %2, %3;")                      \
  X(dp2a_lo_u32_s32, r, r, r, r, i32, i32, i32, "dp2a.lo.u32.s32 %0, %1, %2, %3;")                      \
  X(cnot_b16, h, h, h, h, i32, none, none, "cnot.b16 %0, %1;")                                          \
  X(lop3_9e, r, r, r, r, i32, i32, i32, "lop3.b32 %0, %1, %2, %3, 0x9e;")                               \
  X(lop3_or_p, r, r, r, r, i32, i32, i32,                                                               \
    "{ .reg .pred p, q; setp.eq.u32 q, %1, %2; lop3.and.b32 _|p, %1, %2, %3, 0x18, q; "                 \
    "selp.u32 %0, 1, 0, p; }")                                                                          \
  X(shl_b16, h, h, r, r, i32, shift, none, "shl.b16 %0, %1, %2;")                                       \
  X(shl_b64, l, l, r, r, i64, shift, none, "shl.b64 %0, %1, %2;")                                       \
  X(shr_s16, h, h, r, r, i32, shift, none, "shr.s16 %0, %1, %2;")                                       \
  X(shr_s32, r, r, r, r, i32, shift, none, "shr.s32 %0, %1, %2;")                                       \
  X(shr_u64, l, l, r, r, i64, shift, none, "shr.u64 %0, %1, %2;")                                       \
  X(shf_l_clamp, r, r, r, r, i32, i32, shift, "shf.l.clamp.b32 %0, %1, %2, %3;")                        \
  X(shf_l_wrap, r, r, r, r, i32, i32, shift, "shf.l.wrap.b32 %0, %1, %2, %3;")                          \
  X(shf_r_clamp, r, r, r, r, i32, i32, shift, "shf.r.clamp.b32 %0, %1, %2, %3;")                        \
  X(shf_r_wrap, r, r, r, r, i32, i32, shift, "shf.r.wrap.b32 %0, %1, %2, %3;")                          \
  X(prmt, r, r, r, r, i32, i32, i32, "prmt.b32 %0, %1, %2, %3;")                                        \
  X(prmt_f4e, r, r, r, r, i32, i32, shift, "prmt.b32.f4e %0, %1, %2, %3;")                              \
  X(prmt_b4e, r, r, r, r, i32, i32, shift, "prmt.b32.b4e %0, %1, %2, %3;")                              \
  X(prmt_rc8, r, r, r, r, i32, i32, shift, "prmt.b32.rc8 %0, %1, %2, %3;")                              \
  X(prmt_ecl, r, r, r, r, i32, i32, shift, "prmt.b32.ecl %0, %1, %2, %3;")                              \
  X(prmt_ecr, r, r, r, r, i32, i32, shift, "prmt.b32.ecr %0, %1, %2, %3;")                              \
  X(prmt_rc16, r, r, r, r, i32, i32, shift, "prmt.b32.rc16 %0, %1, %2, %3;")                            \
  X(addc, r, r, r, r, i32, i32, i32, "{ .reg .b32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %3, %1; }")     \
  X(subc, r, r, r, r, i32, i32, i32, "{ .reg .b32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, %1; }")     \
  X(carry_out, r, r, r, r, i32, i32, i32,                                                               \
    "{ .reg .b32 t; add.cc.u32 t, %1, %2; addc.cc.u32 t, %3, %1; addc.u32 %0, 0, 0; }")                 \
  X(borrow_out, r, r, r, r, i32, i32, i32,                                                              \
    "{ .reg .b32 t; sub.cc.u32 t, %1, %2; subc.cc.u32 t, %3, %1; subc.u32 %0, 0, 0; }")                 \
  X(borrow_as_carry, r, r, r, r, i32, i32, none,                                                        \
    "{ .reg .b32 t; sub.cc.u32 t, %1, %2; addc.u32 %0, 0, 0; }")                                        \
  X(carry_as_borrow, r, r, r, r, i32, i32, none,                                                        \
    "{ .reg .b32 t; add.cc.u32 t, %1, %2; subc.u32 %0, 7, 3; }")                                        \
  X(mad_carry, r, r, r, r, i32, i32, i32,                                                               \
    "{ .reg .b32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.cc.u32 %0, %1, %2, %3; addc.u32 %0, %0, 0; }") \
  X(add_cc_64, l, l, l, l, i64, i64, i64, "{ .reg .b64 t; add.cc.u64 t, %1, %2; addc.u64 %0, %3, 0; }")

ARITHMETIC_MAIN(INTEGERS)
