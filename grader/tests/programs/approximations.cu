// The approximate instructions stay within the error that the PTX ISA allows (9.7.3, 9.7.4), on the chip and
// on the virtual Hopper. Their last bits are not compared. At special points the values are exact.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "self-check.h"

enum { VALUES = 1024 };

#define KERNEL(name, code)                               \
  __global__ void name(const float *in, float *out) {    \
    float d;                                             \
    asm volatile(code : "=f"(d) : "f"(in[threadIdx.x])); \
    out[threadIdx.x] = d;                                \
  }
KERNEL(ex2_approx, "ex2.approx.f32 %0, %1;")
KERNEL(ex2_approx_ftz, "ex2.approx.ftz.f32 %0, %1;")
KERNEL(lg2_approx, "lg2.approx.f32 %0, %1;")
KERNEL(sin_approx, "sin.approx.f32 %0, %1;")
KERNEL(cos_approx, "cos.approx.f32 %0, %1;")
KERNEL(rcp_approx, "rcp.approx.f32 %0, %1;")
KERNEL(rcp_approx_ftz, "rcp.approx.ftz.f32 %0, %1;")
KERNEL(sqrt_approx, "sqrt.approx.f32 %0, %1;")
KERNEL(rsqrt_approx, "rsqrt.approx.f32 %0, %1;")
KERNEL(tanh_approx, "tanh.approx.f32 %0, %1;")
KERNEL(div_approx, "div.approx.f32 %0, 0f40490FDB, %1;")
KERNEL(div_full, "div.full.f32 %0, 0f40490FDB, %1;")
KERNEL(ex2_f16, "{ .reg .b16 h; cvt.rn.f16.f32 h, %1; ex2.approx.f16 h, h; cvt.f32.f16 %0, h; }")
KERNEL(tanh_f16, "{ .reg .b16 h; cvt.rn.f16.f32 h, %1; tanh.approx.f16 h, h; cvt.f32.f16 %0, h; }")
KERNEL(tanh_bf16, "{ .reg .b16 h; cvt.rn.bf16.f32 h, %1; tanh.approx.bf16 h, h; cvt.f32.bf16 %0, h; }")

static double ex2_of(double x) {
  return std::exp2(x);
}
static double lg2_of(double x) {
  return std::log2(x);
}
static double sin_of(double x) {
  return std::sin(x);
}
static double cos_of(double x) {
  return std::cos(x);
}
static double rcp_of(double x) {
  return 1 / x;
}
static double sqrt_of(double x) {
  return std::sqrt(x);
}
static double rsqrt_of(double x) {
  return 1 / std::sqrt(x);
}
static double tanh_of(double x) {
  return std::tanh(x);
}
static double pi_over(double x) {
  return static_cast<double>(3.14159274101257324f) / x;
}
static float rounded_to(float x, int bits) { // of the 24
  uint32_t raw;
  if (bits == 24) return x;
  memcpy(&raw, &x, 4);
  uint32_t half = 1u << (23 - bits), odd = raw >> (24 - bits) & 1;
  raw = (raw + half - 1 + odd) & ~(2 * half - 1);
  memcpy(&x, &raw, 4);
  return x;
}

// The bound is relative * |exact| + absolute. Inputs run from low to high in equal steps.
static const struct approximation {
  const char *name;
  void (*kernel)(const float *, float *);
  double (*exact)(double);
  float low, high;
  double relative, absolute;
  int input_bits; // 24, or those of the format that the kernel rounds to first
} approximations[] = {
    {"ex2.approx.f32", ex2_approx, ex2_of, -120, 120, 0x1p-22, 0, 24},
    {"ex2.approx.ftz.f32", ex2_approx_ftz, ex2_of, -120, 120, 0x1p-22, 0, 24},
    {"lg2.approx.f32", lg2_approx, lg2_of, 0.51f, 1.99f, 0, 0x1p-22, 24},
    {"lg2.approx.f32", lg2_approx, lg2_of, 2, 1e30f, 0x1p-22, 0, 24},
    {"sin.approx.f32", sin_approx, sin_of, -6.28f, 6.28f, 0, 0x1p-20, 24},
    {"cos.approx.f32", cos_approx, cos_of, -6.28f, 6.28f, 0, 0x1p-20, 24},
    {"rcp.approx.f32", rcp_approx, rcp_of, -1000, 1001, 0x1.8p-23, 0, 24},
    {"rcp.approx.ftz.f32", rcp_approx_ftz, rcp_of, 0.001f, 1001, 0x1.8p-23, 0, 24},
    {"sqrt.approx.f32", sqrt_approx, sqrt_of, 0, 1e6f, 0x1.8p-23, 0, 24},
    {"rsqrt.approx.f32", rsqrt_approx, rsqrt_of, 0.001f, 1e6f, 0x1.2p-23, 0, 24},
    {"tanh.approx.f32", tanh_approx, tanh_of, -6, 6, 0x1.1p-11, 0, 24},
    {"div.approx.f32", div_approx, pi_over, -1000, 1001, 0x1.4p-22, 0, 24},
    {"div.full.f32", div_full, pi_over, -1000, 1001, 0x1.4p-22, 0, 24},
    {"ex2.approx.f16", ex2_f16, ex2_of, -8, 8, 0x1.4p-10, 0, 11},
    {"tanh.approx.f16", tanh_f16, tanh_of, -4, 4, 0, 0x1.1p-10, 11},
    {"tanh.approx.bf16", tanh_bf16, tanh_of, -4, 4, 0, 0x1.1p-8, 8},
};

// in -> out, exactly (9.7.3's tables); NaN matches NaN.
static const struct special {
  const char *name;
  void (*kernel)(const float *, float *);
  float in, out;
} specials[] = {
    {"ex2", ex2_approx, -INFINITY, 0},
    {"ex2", ex2_approx, -0.0f, 1},
    {"ex2", ex2_approx, INFINITY, INFINITY},
    {"ex2 ftz", ex2_approx_ftz, -127, 0},
    {"lg2", lg2_approx, -1, NAN},
    {"lg2", lg2_approx, -0.0f, -INFINITY},
    {"lg2", lg2_approx, 8, 3},
    {"sin", sin_approx, -0.0f, -0.0f},
    {"sin", sin_approx, INFINITY, NAN},
    {"cos", cos_approx, -INFINITY, NAN},
    {"rcp", rcp_approx, -INFINITY, -0.0f},
    {"rcp", rcp_approx, -0.0f, -INFINITY},
    {"rcp ftz", rcp_approx_ftz, 1e-40f, INFINITY},
    {"sqrt", sqrt_approx, -0.0f, -0.0f},
    {"sqrt", sqrt_approx, -1, NAN},
    {"rsqrt", rsqrt_approx, -0.0f, -INFINITY},
    {"rsqrt", rsqrt_approx, INFINITY, 0},
    {"rsqrt", rsqrt_approx, -1, NAN},
    {"tanh", tanh_approx, -INFINITY, -1},
    {"tanh", tanh_approx, -0.0f, -0.0f},
    {"tanh", tanh_approx, NAN, NAN},
    {"div", div_approx, 0x1p127f, 0},
    {"div", div_approx, -0.0f, -INFINITY},
    {"div full", div_full, INFINITY, 0},
};

static std::vector<float> run(void (*kernel)(const float *, float *), const std::vector<float> &in) {
  std::vector<float> out(VALUES);
  float *device_in, *device_out;
  size_t bytes = VALUES * sizeof(float);
  CUDA_CHECK(cudaMalloc(&device_in, bytes));
  CUDA_CHECK(cudaMalloc(&device_out, bytes));
  CUDA_CHECK(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice));
  kernel<<<1, VALUES>>>(device_in, device_out);
  CUDA_CHECK(cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(device_in));
  CUDA_CHECK(cudaFree(device_out));
  return out;
}

int main() {
  std::vector<float> in(VALUES), out;
  for (const approximation &a : approximations) {
    for (int i = 0; i < VALUES; i++)
      in[i] = rounded_to(a.low + (a.high - a.low) * static_cast<float>(i) / (VALUES - 1), a.input_bits);
    out = run(a.kernel, in);
    for (int i = 0; i < VALUES; i++) {
      double exact = a.exact(in[i]), bound = a.relative * std::fabs(exact) + a.absolute,
             difference = std::fabs(out[i] - exact);
      check_that(difference <= bound, "%s of %.9g: got %.9g, %.3g off where %.3g is allowed", a.name, in[i],
                 out[i], difference, bound);
    }
  }
  for (const special &s : specials) {
    std::fill(in.begin(), in.end(), s.in);
    float got = run(s.kernel, in)[0];
    bool same =
        std::isnan(s.out) ? std::isnan(got) : got == s.out && std::signbit(got) == std::signbit(s.out);
    check_that(same, "%s of %g: got %g, expected %g", s.name, s.in, got, s.out);
  }
  return self_check_result();
}
