// Conversions: integers, floating point, every rounding mode and the small formats of sm_90: PTX ISA
// 9.7.9.21, 9.7.9.22.
#include "arithmetic.cuh"

#define CONVERSIONS(X)                                                                      \
  X(s8_to_s16, h, r, r, r, i32, none, none, "cvt.s8.s32 %0, %1;")                           \
  X(s8_to_s64, l, r, r, r, i32, none, none, "cvt.s8.s32 %0, %1;")                           \
  X(u32_of_s8_in_64, l, r, r, r, i32, none, none, "cvt.u32.s8 %0, %1;")                     \
  X(sat_u8_s32, r, r, r, r, i32, none, none, "cvt.sat.u8.s32 %0, %1;")                      \
  X(sat_s16_u64, h, l, r, r, i64, none, none, "cvt.sat.s16.u64 %0, %1;")                    \
  X(sat_u64_s64, l, l, r, r, i64, none, none, "cvt.sat.u64.s64 %0, %1;")                    \
  X(rn_f32_s32, r, r, r, r, i32, none, none, "cvt.rn.f32.s32 %0, %1;")                      \
  X(rm_f32_u32, r, r, r, r, i32, none, none, "cvt.rm.f32.u32 %0, %1;")                      \
  X(rz_f32_u64, r, l, r, r, i64, none, none, "cvt.rz.f32.u64 %0, %1;")                      \
  X(rp_f32_s64, r, l, r, r, i64, none, none, "cvt.rp.f32.s64 %0, %1;")                      \
  X(rn_f64_u64, l, l, r, r, i64, none, none, "cvt.rn.f64.u64 %0, %1;")                      \
  X(rm_f64_s64, l, l, r, r, i64, none, none, "cvt.rm.f64.s64 %0, %1;")                      \
  X(rn_f16_s32, h, r, r, r, i32, none, none, "cvt.rn.f16.s32 %0, %1;")                      \
  X(rz_f16_u64, h, l, r, r, i64, none, none, "cvt.rz.f16.u64 %0, %1;")                      \
  X(rn_bf16_s64, h, l, r, r, i64, none, none, "cvt.rn.bf16.s64 %0, %1;")                    \
  X(rni_s32_f32, r, r, r, r, f32, none, none, "cvt.rni.s32.f32 %0, %1;")                    \
  X(rzi_u32_f32, r, r, r, r, f32, none, none, "cvt.rzi.u32.f32 %0, %1;")                    \
  X(rmi_s64_f32, l, r, r, r, f32, none, none, "cvt.rmi.s64.f32 %0, %1;")                    \
  X(rpi_u64_f32, l, r, r, r, f32, none, none, "cvt.rpi.u64.f32 %0, %1;")                    \
  X(rmi_ftz_s32_f32, r, r, r, r, f32, none, none, "cvt.rmi.ftz.s32.f32 %0, %1;")            \
  X(rzi_s16_f32, h, r, r, r, f32, none, none, "cvt.rzi.s16.f32 %0, %1;")                    \
  X(rzi_u8_f32, r, r, r, r, f32, none, none, "cvt.rzi.u8.f32 %0, %1;")                      \
  X(rzi_s32_f64, r, l, r, r, f64, none, none, "cvt.rzi.s32.f64 %0, %1;")                    \
  X(rni_u64_f64, l, l, r, r, f64, none, none, "cvt.rni.u64.f64 %0, %1;")                    \
  X(rzi_s32_f16, r, h, r, r, f16, none, none, "cvt.rzi.s32.f16 %0, %1;")                    \
  X(rni_s64_f16, l, h, r, r, f16, none, none, "cvt.rni.s64.f16 %0, %1;")                    \
  X(rni_f32_f32, r, r, r, r, f32, none, none, "cvt.rni.f32.f32 %0, %1;")                    \
  X(rmi_ftz_f32_f32, r, r, r, r, f32, none, none, "cvt.rmi.ftz.f32.f32 %0, %1;")            \
  X(rpi_f64_f64, l, l, r, r, f64, none, none, "cvt.rpi.f64.f64 %0, %1;")                    \
  X(sat_f32_f32, r, r, r, r, f32, none, none, "cvt.sat.f32.f32 %0, %1;")                    \
  X(rn_f32_f64, r, l, r, r, f64, none, none, "cvt.rn.f32.f64 %0, %1;")                      \
  X(rz_ftz_f32_f64, r, l, r, r, f64, none, none, "cvt.rz.ftz.f32.f64 %0, %1;")              \
  X(rp_f32_f64, r, l, r, r, f64, none, none, "cvt.rp.f32.f64 %0, %1;")                      \
  X(f32_f16, r, h, r, r, f16, none, none, "cvt.f32.f16 %0, %1;")                            \
  X(rn_f16_f32, h, r, r, r, f32, none, none, "cvt.rn.f16.f32 %0, %1;")                      \
  X(rz_f16_f32, h, r, r, r, f32, none, none, "cvt.rz.f16.f32 %0, %1;")                      \
  X(rm_f16_f32, h, r, r, r, f32, none, none, "cvt.rm.f16.f32 %0, %1;")                      \
  X(rp_f16_f64, h, l, r, r, f64, none, none, "cvt.rp.f16.f64 %0, %1;")                      \
  X(rn_bf16_f32, h, r, r, r, f32, none, none, "cvt.rn.bf16.f32 %0, %1;")                    \
  X(rz_bf16_f32, h, r, r, r, f32, none, none, "cvt.rz.bf16.f32 %0, %1;")                    \
  X(rn_relu_bf16_f32, h, r, r, r, f32, none, none, "cvt.rn.relu.bf16.f32 %0, %1;")          \
  X(rn_satfinite_f16_f32, h, r, r, r, f32, none, none, "cvt.rn.satfinite.f16.f32 %0, %1;")  \
  X(rn_f16x2_f32, r, r, r, r, f32, f32, none, "cvt.rn.f16x2.f32 %0, %1, %2;")               \
  X(rz_relu_bf16x2_f32, r, r, r, r, f32, f32, none, "cvt.rz.relu.bf16x2.f32 %0, %1, %2;")   \
  X(e4m3x2_f32, h, r, r, r, f32, f32, none, "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;")      \
  X(e5m2x2_f32, h, r, r, r, f32, f32, none, "cvt.rn.satfinite.relu.e5m2x2.f32 %0, %1, %2;") \
  X(e4m3x2_f16x2, h, r, r, r, f16, none, none, "cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;")     \
  X(e5m2x2_f16x2, h, r, r, r, f16, none, none, "cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;")     \
  X(f16x2_e4m3x2, r, h, r, r, i32, none, none, "cvt.rn.f16x2.e4m3x2 %0, %1;")               \
  X(f16x2_e5m2x2, r, h, r, r, i32, none, none, "cvt.rn.relu.f16x2.e5m2x2 %0, %1;")          \
  X(rna_tf32, r, r, r, r, f32, none, none, "cvt.rna.tf32.f32 %0, %1;")                      \
  X(rn_tf32, r, r, r, r, f32, none, none, "cvt.rn.tf32.f32 %0, %1;")                        \
  X(pack_u8, r, r, r, r, i32, i32, i32, "cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;")          \
  X(pack_s16, r, r, r, r, i32, i32, none, "cvt.pack.sat.s16.s32 %0, %1, %2;")               \
  X(pack_s4, r, r, r, r, i32, i32, i32, "cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;")

ARITHMETIC_MAIN(CONVERSIONS)
