// ex2 and tanh of f16 and bf16, PTX ISA 9.7.4.9 and 9.7.4.10: the results of the C library's float functions,
// rounded to the format. The chip's approximations may differ in the last bits of the format.
#include <math.h>

#include "virtual-hopper/execute/lanes.h"

static uint32_t f16_ex2(uint32_t x) {
  return half_from_float(exp2f(half_to_float(x)));
}
static uint32_t f16_tanh(uint32_t x) {
  return half_from_float(tanhf(half_to_float(x)));
}
static uint32_t bf16_flush(uint32_t x) {
  return (x & 0x7f80u) == 0 ? x & 0x8000u : x;
}
static uint32_t bf16_ex2_ftz(uint32_t x) {
  return bf16_flush(bfloat_from_float(exp2f(bfloat_to_float(bf16_flush(x)))));
}
static uint32_t bf16_tanh(uint32_t x) {
  return bfloat_from_float(tanhf(bfloat_to_float(x)));
}

#define OPERATION(function)                                      \
  LANES_UNARY(function##_lanes, u32, u32, function(a & 0xffffu)) \
  LANES_UNARY(function##_pairs, u32, u32, function(a & 0xffffu) | function(a >> 16) << 16)
OPERATION(f16_ex2)
OPERATION(f16_tanh)
OPERATION(bf16_ex2_ftz)
OPERATION(bf16_tanh)

// clang-format off
const struct arithmetic_handler warp_half_other_handlers[] = {
    {"ex2.approx", PTX_F16, "tt", f16_ex2_lanes}, {"ex2.approx", PTX_F16X2, "tt", f16_ex2_pairs},
    {"ex2.approx.ftz", PTX_BF16, "tt", bf16_ex2_ftz_lanes},
    {"ex2.approx.ftz", PTX_BF16X2, "tt", bf16_ex2_ftz_pairs},
    {"tanh.approx", PTX_F16, "tt", f16_tanh_lanes}, {"tanh.approx", PTX_F16X2, "tt", f16_tanh_pairs},
    {"tanh.approx", PTX_BF16, "tt", bf16_tanh_lanes}, {"tanh.approx", PTX_BF16X2, "tt", bf16_tanh_pairs},
    {0},
};
// clang-format on
