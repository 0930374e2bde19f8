// f16 and bf16 arithmetic and comparisons, one element and two: PTX ISA 9.7.4, 9.7.7.
#include "arithmetic.cuh"

#define HALVES(X)                                                                                   \
  X(add_f16x2, r, r, r, r, f16, f16, none, "add.f16x2 %0, %1, %2;")                                 \
  X(add_ftz_f16x2, r, r, r, r, f16, f16, none, "add.ftz.f16x2 %0, %1, %2;")                         \
  X(add_sat_f16, h, h, h, h, f16, f16, none, "add.sat.f16 %0, %1, %2;")                             \
  X(sub_f16, h, h, h, h, f16, f16, none, "sub.rn.f16 %0, %1, %2;")                                  \
  X(mul_f16x2, r, r, r, r, f16, f16, none, "mul.f16x2 %0, %1, %2;")                                 \
  X(mul_ftz_sat_f16x2, r, r, r, r, f16, f16, none, "mul.ftz.sat.f16x2 %0, %1, %2;")                 \
  X(fma_f16x2, r, r, r, r, f16, f16, f16, "fma.rn.f16x2 %0, %1, %2, %3;")                           \
  X(fma_ftz_f16, h, h, h, h, f16, f16, f16, "fma.rn.ftz.f16 %0, %1, %2, %3;")                       \
  X(fma_relu_f16x2, r, r, r, r, f16, f16, f16, "fma.rn.relu.f16x2 %0, %1, %2, %3;")                 \
  X(fma_sat_f16x2, r, r, r, r, f16, f16, f16, "fma.rn.sat.f16x2 %0, %1, %2, %3;")                   \
  X(min_f16x2, r, r, r, r, f16, f16, none, "min.f16x2 %0, %1, %2;")                                 \
  X(max_nan_f16x2, r, r, r, r, f16, f16, none, "max.NaN.f16x2 %0, %1, %2;")                         \
  X(max_xorsign_f16x2, r, r, r, r, f16, f16, none, "max.xorsign.abs.f16x2 %0, %1, %2;")             \
  X(min_ftz_f16, h, h, h, h, f16, f16, none, "min.ftz.f16 %0, %1, %2;")                             \
  X(add_bf16x2, r, r, r, r, bf16, bf16, none, "add.bf16x2 %0, %1, %2;")                             \
  X(sub_bf16, h, h, h, h, bf16, bf16, none, "sub.bf16 %0, %1, %2;")                                 \
  X(mul_bf16x2, r, r, r, r, bf16, bf16, none, "mul.bf16x2 %0, %1, %2;")                             \
  X(fma_bf16x2, r, r, r, r, bf16, bf16, bf16, "fma.rn.bf16x2 %0, %1, %2, %3;")                      \
  X(fma_relu_bf16x2, r, r, r, r, bf16, bf16, bf16, "fma.rn.relu.bf16x2 %0, %1, %2, %3;")            \
  X(min_bf16x2, r, r, r, r, bf16, bf16, none, "min.bf16x2 %0, %1, %2;")                             \
  X(max_nan_bf16x2, r, r, r, r, bf16, bf16, none, "max.NaN.bf16x2 %0, %1, %2;")                     \
  X(setp_lt_f16, r, h, h, r, f16, f16, none,                                                        \
    "{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.u32 %0, 1, 0, p; }")                               \
  X(setp_geu_f16x2, r, r, r, r, f16, f16, none,                                                     \
    "{ .reg .pred p, q; setp.geu.f16x2 p|q, %1, %2; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }") \
  X(setp_eq_bf16x2, r, r, r, r, bf16, bf16, none,                                                   \
    "{ .reg .pred p, q; setp.eq.bf16x2 p|q, %1, %2; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }") \
  X(set_ne_f16x2, r, r, r, r, f16, f16, none, "set.ne.f16x2.f16x2 %0, %1, %2;")                     \
  X(set_gt_u32_f16x2, r, r, r, r, f16, f16, none, "set.gt.u32.f16x2 %0, %1, %2;")                   \
  X(set_nan_bf16, h, h, h, h, bf16, bf16, none, "set.nan.bf16.bf16 %0, %1, %2;")

ARITHMETIC_MAIN(HALVES)
