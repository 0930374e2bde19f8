// f32 and f64 arithmetic: every rounding mode, .ftz, .sat, minimum and maximum, comparisons: PTX ISA 9.7.3,
// 9.7.6.
#include "arithmetic.cuh"

#define TEST(code) "{ .reg .pred p; " code " selp.u32 %0, 1, 0, p; }"
#define FLOATS(X)                                                                                   \
  X(add_f32, r, r, r, r, f32, f32, none, "add.f32 %0, %1, %2;")                                     \
  X(add_rz_f32, r, r, r, r, f32, f32, none, "add.rz.f32 %0, %1, %2;")                               \
  X(add_rm_f32, r, r, r, r, f32, f32, none, "add.rm.f32 %0, %1, %2;")                               \
  X(add_rp_ftz_f32, r, r, r, r, f32, f32, none, "add.rp.ftz.f32 %0, %1, %2;")                       \
  X(add_sat_f32, r, r, r, r, f32, f32, none, "add.sat.f32 %0, %1, %2;")                             \
  X(sub_ftz_f32, r, r, r, r, f32, f32, none, "sub.ftz.f32 %0, %1, %2;")                             \
  X(mul_f32, r, r, r, r, f32, f32, none, "mul.rn.f32 %0, %1, %2;")                                  \
  X(mul_rz_f32, r, r, r, r, f32, f32, none, "mul.rz.f32 %0, %1, %2;")                               \
  X(mul_rm_f32, r, r, r, r, f32, f32, none, "mul.rm.f32 %0, %1, %2;")                               \
  X(mul_rp_f32, r, r, r, r, f32, f32, none, "mul.rp.f32 %0, %1, %2;")                               \
  X(mul_ftz_f32, r, r, r, r, f32, f32, none, "mul.ftz.f32 %0, %1, %2;")                             \
  X(mul_sat_f32, r, r, r, r, f32, f32, none, "mul.sat.f32 %0, %1, %2;")                             \
  X(fma_rn_f32, r, r, r, r, f32, f32, f32, "fma.rn.f32 %0, %1, %2, %3;")                            \
  X(fma_rz_f32, r, r, r, r, f32, f32, f32, "fma.rz.f32 %0, %1, %2, %3;")                            \
  X(fma_rm_ftz_f32, r, r, r, r, f32, f32, f32, "fma.rm.ftz.f32 %0, %1, %2, %3;")                    \
  X(fma_rp_sat_f32, r, r, r, r, f32, f32, f32, "fma.rp.sat.f32 %0, %1, %2, %3;")                    \
  X(div_rn_f32, r, r, r, r, f32, f32, none, "div.rn.f32 %0, %1, %2;")                               \
  X(div_rz_f32, r, r, r, r, f32, f32, none, "div.rz.f32 %0, %1, %2;")                               \
  X(div_rm_f32, r, r, r, r, f32, f32, none, "div.rm.f32 %0, %1, %2;")                               \
  X(div_rp_f32, r, r, r, r, f32, f32, none, "div.rp.f32 %0, %1, %2;")                               \
  X(rcp_rn_f32, r, r, r, r, f32, none, none, "rcp.rn.f32 %0, %1;")                                  \
  X(rcp_rp_f32, r, r, r, r, f32, none, none, "rcp.rp.f32 %0, %1;")                                  \
  X(sqrt_rn_f32, r, r, r, r, f32, none, none, "sqrt.rn.f32 %0, %1;")                                \
  X(sqrt_rz_f32, r, r, r, r, f32, none, none, "sqrt.rz.f32 %0, %1;")                                \
  X(min_f32, r, r, r, r, f32, f32, none, "min.f32 %0, %1, %2;")                                     \
  X(max_f32, r, r, r, r, f32, f32, none, "max.f32 %0, %1, %2;")                                     \
  X(max_ftz_f32, r, r, r, r, f32, f32, none, "max.ftz.f32 %0, %1, %2;")                             \
  X(min_nan_f32, r, r, r, r, f32, f32, none, "min.NaN.f32 %0, %1, %2;")                             \
  X(max_xorsign_f32, r, r, r, r, f32, f32, none, "max.xorsign.abs.f32 %0, %1, %2;")                 \
  X(copysign_f32, r, r, r, r, f32, f32, none, "copysign.f32 %0, %1, %2;")                           \
  X(add_f64, l, l, l, l, f64, f64, none, "add.f64 %0, %1, %2;")                                     \
  X(add_rz_f64, l, l, l, l, f64, f64, none, "add.rz.f64 %0, %1, %2;")                               \
  X(sub_rm_f64, l, l, l, l, f64, f64, none, "sub.rm.f64 %0, %1, %2;")                               \
  X(mul_rp_f64, l, l, l, l, f64, f64, none, "mul.rp.f64 %0, %1, %2;")                               \
  X(fma_rn_f64, l, l, l, l, f64, f64, f64, "fma.rn.f64 %0, %1, %2, %3;")                            \
  X(fma_rz_f64, l, l, l, l, f64, f64, f64, "fma.rz.f64 %0, %1, %2, %3;")                            \
  X(div_rn_f64, l, l, l, l, f64, f64, none, "div.rn.f64 %0, %1, %2;")                               \
  X(div_rm_f64, l, l, l, l, f64, f64, none, "div.rm.f64 %0, %1, %2;")                               \
  X(rcp_rn_f64, l, l, l, l, f64, none, none, "rcp.rn.f64 %0, %1;")                                  \
  X(sqrt_rn_f64, l, l, l, l, f64, none, none, "{ .reg .f64 t; abs.f64 t, %1; sqrt.rn.f64 %0, t; }") \
  X(min_f64, l, l, l, l, f64, f64, none, "min.f64 %0, %1, %2;")                                     \
  X(max_f64, l, l, l, l, f64, f64, none, "max.f64 %0, %1, %2;")                                     \
  X(setp_eq_f32, r, r, r, r, f32, f32, none, TEST("setp.eq.f32 p, %1, %2;"))                        \
  X(setp_ne_f32, r, r, r, r, f32, f32, none, TEST("setp.ne.f32 p, %1, %2;"))                        \
  X(setp_lt_f32, r, r, r, r, f32, f32, none, TEST("setp.lt.f32 p, %1, %2;"))                        \
  X(setp_le_ftz_f32, r, r, r, r, f32, f32, none, TEST("setp.le.ftz.f32 p, %1, %2;"))                \
  X(setp_gtu_f32, r, r, r, r, f32, f32, none, TEST("setp.gtu.f32 p, %1, %2;"))                      \
  X(setp_geu_f32, r, r, r, r, f32, f32, none, TEST("setp.geu.f32 p, %1, %2;"))                      \
  X(setp_equ_f32, r, r, r, r, f32, f32, none, TEST("setp.equ.f32 p, %1, %2;"))                      \
  X(setp_neu_f32, r, r, r, r, f32, f32, none, TEST("setp.neu.f32 p, %1, %2;"))                      \
  X(setp_num_f32, r, r, r, r, f32, f32, none, TEST("setp.num.f32 p, %1, %2;"))                      \
  X(setp_nan_f32, r, r, r, r, f32, f32, none, TEST("setp.nan.f32 p, %1, %2;"))                      \
  X(setp_ltu_f64, r, l, l, r, f64, f64, none, TEST("setp.ltu.f64 p, %1, %2;"))                      \
  X(setp_lt_s32, r, r, r, r, i32, i32, none, TEST("setp.lt.s32 p, %1, %2;"))                        \
  X(setp_hs_u64, r, l, l, r, i64, i64, none, TEST("setp.hs.u64 p, %1, %2;"))                        \
  X(setp_gt_s16, r, h, h, r, i32, i32, none, TEST("setp.gt.s16 p, %1, %2;"))                        \
  X(setp_pair, r, r, r, r, i32, i32, i32,                                                           \
    "{ .reg .pred p, q, s; setp.lt.s32 s, %3, 3; setp.ge.xor.s32 p|q, %1, %2, !s; "                 \
    "selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }")                                                \
  X(set_gt_f32_f32, r, r, r, r, f32, f32, none, "set.gt.f32.f32 %0, %1, %2;")                       \
  X(set_le_u32_s64, r, l, l, r, i64, i64, none, "set.le.u32.s64 %0, %1, %2;")                       \
  X(slct_f32, r, r, r, r, i32, i32, f32, "slct.u32.f32 %0, %1, %2, %3;")                            \
  X(slct_ftz_f32, r, r, r, r, i32, i32, f32, "slct.ftz.u32.f32 %0, %1, %2, %3;")                    \
  X(slct_s32, r, r, r, r, i32, i32, i32, "slct.u32.s32 %0, %1, %2, %3;")                            \
  X(testp_normal, r, r, r, r, f32, none, none, TEST("testp.normal.f32 p, %1;"))                     \
  X(testp_subnormal, r, r, r, r, f32, none, none, TEST("testp.subnormal.f32 p, %1;"))               \
  X(testp_finite, r, l, r, r, f64, none, none, TEST("testp.finite.f64 p, %1;"))

ARITHMETIC_MAIN(FLOATS)
