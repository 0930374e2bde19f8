// What PTX leaves open and the chip does all the same: NaN bits of f64, of signs and magnitudes, of
// conversions; division by zero.
#include "arithmetic.cuh"

static const uint64_t nan64[EDGES] = {0,
                                      0x8000000000000000,
                                      0x3ff0000000000000,
                                      0xbff0000000000000,
                                      0x7ff0000000000000,
                                      0xfff0000000000000,
                                      0x7ff8000000000000,
                                      0xfff8000000000000,
                                      0x7ff0000000000001,
                                      0xfff123456789abcd,
                                      0x7fffffffffffffff,
                                      0xffffffffffffffff,
                                      0x0000000000000001,
                                      0x7fefffffffffffff,
                                      0x4000000000000000,
                                      0x7ff7ffffffffffff};
static const uint64_t oob[EDGES] = {0x7ff73c00, 0x3c007ff7, 0x7ff77ff7, 0xfff73c00, 0x7fff7ff7, 0x3c003c00,
                                    0xbc00bc00, 0x40004000, 0x7ff67ff8, 0xfff7fff7, 0x00007ff7, 0x7ff70000,
                                    0x7c007ff7, 0xfc00fc00, 0x3f803f80, 0xbf80bf80};
static const uint64_t payload64[EDGES] = {0x7ff4000000000000,
                                          0xfff4000000000001,
                                          0x7ff8000000abcdef,
                                          0xfffaaaaaaaaaaaaa,
                                          0x7ff0000000000000,
                                          0xfff0000000000000,
                                          0,
                                          0x3ff0000000000000,
                                          0x7ff0000020000000,
                                          0xfff0000010000000,
                                          0x7ff555551fffffff,
                                          0xfffaaaaaafffffff,
                                          0x7ff000003fffffff,
                                          0x40f0000000000000,
                                          0x7ff8000000000000,
                                          0xfff8000000000000};
static const uint64_t tf32[EDGES] = {0x7f7fffff, 0x7f7ff000, 0x7f7fefff, 0x7fc00000, 0xff812345, 0x7fffffff,
                                     0xffffffff, 0x7f800000, 0xff800000, 0x3f801000, 0x3f803000, 0x7f800001,
                                     0x00000fff, 0x00001000, 0x80001000, 0xff7fffff};
#define LEFT_OPEN(X)                                                                        \
  X(add_f64, l, l, l, l, nan64, nan64, none, "add.f64 %0, %1, %2;")                         \
  X(mul_f64, l, l, l, l, nan64, nan64, none, "mul.f64 %0, %1, %2;")                         \
  X(fma_f64, l, l, l, l, nan64, nan64, nan64, "fma.rn.f64 %0, %1, %2, %3;")                 \
  X(div_f64, l, l, l, l, nan64, nan64, none, "div.rn.f64 %0, %1, %2;")                      \
  X(sqrt_f64, l, l, l, l, nan64, none, none, "sqrt.rn.f64 %0, %1;")                         \
  X(min_f64, l, l, l, l, nan64, nan64, none, "min.f64 %0, %1, %2;")                         \
  X(abs_f32, r, r, r, r, f32, none, none, "abs.f32 %0, %1;")                                \
  X(neg_f32, r, r, r, r, f32, none, none, "neg.f32 %0, %1;")                                \
  X(neg_ftz_f32, r, r, r, r, f32, none, none, "neg.ftz.f32 %0, %1;")                        \
  X(abs_f16x2, r, r, r, r, f16, none, none, "abs.f16x2 %0, %1;")                            \
  X(neg_f16x2, r, r, r, r, f16, none, none, "neg.f16x2 %0, %1;")                            \
  X(neg_bf16x2, r, r, r, r, bf16, none, none, "neg.bf16x2 %0, %1;")                         \
  X(f64_f32, l, r, r, r, f32, none, none, "cvt.f64.f32 %0, %1;")                            \
  X(f32_f64, r, l, r, r, nan64, none, none, "cvt.rn.f32.f64 %0, %1;")                       \
  X(f64_f16, l, h, r, r, f16, none, none, "cvt.f64.f16 %0, %1;")                            \
  X(f32_bf16, r, h, r, r, bf16, none, none, "cvt.f32.bf16 %0, %1;")                         \
  X(fma_oob_f16x2, r, r, r, r, oob, oob, oob, "fma.rn.oob.f16x2 %0, %1, %2, %3;")           \
  X(fma_oob_relu_bf16, h, h, h, h, oob, oob, oob, "fma.rn.oob.relu.bf16 %0, %1, %2, %3;")   \
  X(rzi_s32_f64, r, l, r, r, nan64, none, none, "cvt.rzi.s32.f64 %0, %1;")                  \
  X(rzi_u16_f64, h, l, r, r, nan64, none, none, "cvt.rzi.u16.f64 %0, %1;")                  \
  X(rzi_s64_f64, l, l, r, r, nan64, none, none, "cvt.rzi.s64.f64 %0, %1;")                  \
  X(div_u32, r, r, r, r, i32, none, none, "div.u32 %0, %1, %2;")                            \
  X(div_s32, r, r, r, r, i32, none, none, "div.s32 %0, %1, %2;")                            \
  X(rem_u32, r, r, r, r, i32, none, none, "rem.u32 %0, %1, %2;")                            \
  X(rem_s32, r, r, r, r, i32, none, none, "rem.s32 %0, %1, %2;")                            \
  X(div_s16, h, h, h, h, i32, none, none, "div.s16 %0, %1, %2;")                            \
  X(rem_u16, h, h, h, h, i32, none, none, "rem.u16 %0, %1, %2;")                            \
  X(div_u64, l, l, l, l, i64, none, none, "div.u64 %0, %1, %2;")                            \
  X(rem_s64, l, l, l, l, i64, none, none, "rem.s64 %0, %1, %2;")                            \
  X(bmsk_clamp_wide, r, r, r, r, shift, i32, none, "bmsk.clamp.b32 %0, %1, %2;")            \
  X(sub_f64, l, l, l, l, payload64, nan64, none, "sub.f64 %0, %1, %2;")                     \
  X(fma_payload_f64, l, l, l, l, nan64, payload64, nan64, "fma.rn.f64 %0, %1, %2, %3;")     \
  X(div_payload_f64, l, l, l, l, payload64, nan64, none, "div.rn.f64 %0, %1, %2;")          \
  X(max_f64, l, l, l, l, payload64, nan64, none, "max.f64 %0, %1, %2;")                     \
  X(f32_payload_f64, r, l, r, r, payload64, none, none, "cvt.rn.f32.f64 %0, %1;")           \
  X(f32_sat_f64, r, l, r, r, payload64, none, none, "cvt.rn.sat.f32.f64 %0, %1;")           \
  X(f16_f64, h, l, r, r, payload64, none, none, "cvt.rn.f16.f64 %0, %1;")                   \
  X(f16_sat_f64, h, l, r, r, payload64, none, none, "cvt.rn.sat.f16.f64 %0, %1;")           \
  X(f16_rp_f64, h, l, r, r, payload64, none, none, "cvt.rp.f16.f64 %0, %1;")                \
  X(bf16_f64, h, l, r, r, payload64, none, none, "cvt.rn.bf16.f64 %0, %1;")                 \
  X(rna_tf32, r, r, r, r, tf32, none, none, "cvt.rna.tf32.f32 %0, %1;")                     \
  X(rna_satfinite_tf32, r, r, r, r, tf32, none, none, "cvt.rna.satfinite.tf32.f32 %0, %1;") \
  X(rn_tf32, r, r, r, r, tf32, none, none, "cvt.rn.tf32.f32 %0, %1;")                       \
  X(rz_tf32, r, r, r, r, tf32, none, none, "cvt.rz.tf32.f32 %0, %1;")                       \
  X(rz_relu_tf32, r, r, r, r, tf32, none, none, "cvt.rz.relu.tf32.f32 %0, %1;")

ARITHMETIC_MAIN(LEFT_OPEN)
