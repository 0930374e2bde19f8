// The compiler's own arithmetic: mathematical functions of float and double, half and bfloat16 types, integer
// and SIMD intrinsics. Every result is compared with the host's: exactly for integers, in units of the last
// place for the rest.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <vector>

enum { COUNT = 256, FLOATS = 14, DOUBLES = 12, HALVES = 8, INTEGERS = 24 };

__host__ __device__ static void float_functions(float x, float y, float *out) {
  const float r[FLOATS] = {sinf(x * 50), cosf(x),         expf(x),  logf(fabsf(x)),  powf(fabsf(x), y),
                           tanhf(x),     sqrtf(fabsf(x)), cbrtf(x), atan2f(x, y),    fmodf(x * 9, y),
                           x / y,        erff(x),         exp2f(x), log1pf(fabsf(x))};
  for (int i = 0; i < FLOATS; i++)
    out[i] = r[i];
}
__host__ __device__ static void double_functions(double x, double y, double *out) {
  const double r[DOUBLES] = {sin(x * 50),   cos(x),  exp(x),      log(fabs(x)),   pow(fabs(x), y), tanh(x),
                             sqrt(fabs(x)), cbrt(x), atan2(x, y), fmod(x * 9, y), x / y,           1 / x};
  for (int i = 0; i < DOUBLES; i++)
    out[i] = r[i];
}

__global__ void floats(const float *x, const float *y, float *out) {
  float_functions(x[threadIdx.x], y[threadIdx.x], out + threadIdx.x * FLOATS);
}
__global__ void doubles(const float *x, const float *y, double *out) {
  double_functions(x[threadIdx.x], y[threadIdx.x], out + threadIdx.x * DOUBLES);
}

// Halves are exact in float, where the host redoes each operation and rounds it.
__global__ void halves(const float *x, const float *y, float *out) {
  float *r = out + threadIdx.x * HALVES;
  __half a = __float2half(x[threadIdx.x]), b = __float2half(y[threadIdx.x]);
  __half2 pair = __hfma2(__halves2half2(a, b), __halves2half2(b, b), __halves2half2(b, a));
  __nv_bfloat16 c = __float2bfloat16(x[threadIdx.x]), d = __float2bfloat16(y[threadIdx.x]);
  r[0] = __half2float(a + b);
  r[1] = __half2float(a * b);
  r[2] = __low2float(pair);
  r[3] = __high2float(pair);
  r[4] = __half2float(__hmax(a, b));
  r[5] = __bfloat162float(c * d);
  r[6] = __bfloat162float(__hfma(c, d, d));
  r[7] = static_cast<float>(__nv_fp8_e4m3(x[threadIdx.x]));
}

__global__ void integers(const uint32_t *x, const uint32_t *y, uint64_t *out) {
  uint32_t a = x[threadIdx.x], b = y[threadIdx.x] | 1;
  uint64_t wide = static_cast<uint64_t>(a) << 32 | b, other = static_cast<uint64_t>(b) << 20 | a,
           *r = out + threadIdx.x * INTEGERS;
  unsigned __int128 product = static_cast<unsigned __int128>(wide) * other;
  const uint64_t all[INTEGERS] = {__umulhi(a, b),
                                  static_cast<uint32_t>(__mulhi(static_cast<int>(a), static_cast<int>(b))),
                                  __umul64hi(wide, other),
                                  static_cast<uint64_t>(__popc(a)),
                                  static_cast<uint64_t>(__popcll(wide)),
                                  static_cast<uint64_t>(__clz(a)),
                                  static_cast<uint64_t>(__clzll(wide >> 40)),
                                  __brev(a),
                                  static_cast<uint64_t>(__ffs(a)),
                                  __funnelshift_l(a, b, 7),
                                  __funnelshift_r(a, b, 39),
                                  __byte_perm(a, b, 0x6142),
                                  __dp4a(a, b, 5u),
                                  __usad(a, b, 1),
                                  __vadd2(a, b),
                                  __vmaxs2(a, b),
                                  __vabsdiffu4(a, b),
                                  a / b,
                                  a % b,
                                  wide / (other | 1),
                                  static_cast<uint64_t>(static_cast<int64_t>(wide) % static_cast<int32_t>(b)),
                                  static_cast<uint64_t>(product >> 64),
                                  static_cast<uint64_t>(product / b),
                                  static_cast<uint64_t>(__float2int_rn(__uint2float_rz(a) * 0.25f))};
  for (int i = 0; i < INTEGERS; i++)
    r[i] = all[i];
}

static int wrong;
static void expect(const char *what, int lane, int function, double got, double wanted, double tolerance) {
  bool same =
      got == wanted || (std::isnan(got) && std::isnan(wanted)) || std::fabs(got - wanted) <= tolerance;
  if (same) return;
  if (wrong++ < 10)
    printf("%s %d in thread %d: got %.17g, expected %.17g\n", what, function, lane, got, wanted);
}
static void expect_bits(int lane, int function, uint64_t got, uint64_t wanted) {
  if (got == wanted) return;
  if (wrong++ < 10)
    printf("integer %d in thread %d: got %llx, expected %llx\n", function, lane, (unsigned long long)got,
           (unsigned long long)wanted);
}

static uint32_t byte_of(uint32_t a, uint32_t b, int n) {
  return ((static_cast<uint64_t>(b) << 32 | a) >> (8 * n)) & 0xff;
}
static uint32_t halves_sum(uint32_t a, uint32_t b) {
  return ((a + b) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000));
}
static uint32_t halves_max(uint32_t a, uint32_t b) {
  uint32_t r = 0;
  for (int i = 0; i < 32; i += 16) {
    int16_t x = static_cast<int16_t>(a >> i), y = static_cast<int16_t>(b >> i);
    r |= static_cast<uint32_t>(static_cast<uint16_t>(x > y ? x : y)) << i;
  }
  return r;
}
static uint32_t byte_distances(uint32_t a, uint32_t b) {
  uint32_t r = 0;
  for (int i = 0; i < 32; i += 8) {
    int x = a >> i & 0xff, y = b >> i & 0xff;
    r |= static_cast<uint32_t>(x > y ? x - y : y - x) << i;
  }
  return r;
}

static void check_integers(int lane, uint32_t a, uint32_t b, const uint64_t *got) {
  uint64_t wide = static_cast<uint64_t>(a) << 32 | b, other = static_cast<uint64_t>(b) << 20 | a;
  unsigned __int128 product = static_cast<unsigned __int128>(wide) * other;
  uint32_t reversed = 0, dot = 5;
  for (int i = 0; i < 32; i++)
    reversed |= (a >> i & 1) << (31 - i);
  for (int i = 0; i < 4; i++)
    dot += byte_of(a, 0, i) * byte_of(b, 0, i);
  float quarter = (a >> 24 ? static_cast<float>(a & ~(0xffu >> (__builtin_clz(a)))) : static_cast<float>(a)) *
                  0.25f; // towards zero
  const uint64_t wanted[INTEGERS] = {
      static_cast<uint64_t>(a) * b >> 32,
      static_cast<uint32_t>(static_cast<int64_t>(static_cast<int32_t>(a)) * static_cast<int32_t>(b) >> 32),
      static_cast<uint64_t>(product >> 64),
      static_cast<uint64_t>(__builtin_popcount(a)),
      static_cast<uint64_t>(__builtin_popcountll(wide)),
      a ? static_cast<uint64_t>(__builtin_clz(a)) : 32,
      wide >> 40 ? static_cast<uint64_t>(__builtin_clzll(wide >> 40)) : 64,
      reversed,
      static_cast<uint64_t>(__builtin_ffs(static_cast<int>(a))),
      (b << 7 | a >> 25),
      (b << 25 | a >> 7),
      byte_of(a, b, 2) | byte_of(a, b, 4) << 8 | byte_of(a, b, 1) << 16 | byte_of(a, b, 6) << 24,
      dot,
      (a > b ? a - b : b - a) + 1u,
      halves_sum(a, b),
      halves_max(a, b),
      byte_distances(a, b),
      a / b,
      a % b,
      wide / (other | 1),
      static_cast<uint64_t>(static_cast<int64_t>(wide) % static_cast<int32_t>(b)),
      static_cast<uint64_t>(product >> 64),
      static_cast<uint64_t>(product / b),
      static_cast<uint64_t>(static_cast<int64_t>(std::nearbyint(quarter)))};
  for (int i = 0; i < INTEGERS; i++)
    expect_bits(lane, i, got[i], wanted[i]);
}

static float as_half(double x) {
  return __half2float(__double2half(x));
}
static float as_bfloat(double x) {
  return __bfloat162float(__double2bfloat16(x));
}
static void check_halves(int lane, float x, float y, const float *got) {
  double a = as_half(x), b = as_half(y), c = as_bfloat(x), d = as_bfloat(y);
  const double wanted[HALVES] = {
      as_half(a + b), as_half(a * b),   as_half(a * b + b),   as_half(b * b + a),
      a > b ? a : b,  as_bfloat(c * d), as_bfloat(c * d + d), static_cast<float>(__nv_fp8_e4m3(x))};
  for (int i = 0; i < HALVES; i++)
    expect("half", lane, i, got[i], wanted[i], 0);
}

template <typename T> struct device_array {
  T *address = nullptr;
  size_t bytes;
  explicit device_array(size_t count) : bytes(count * sizeof(T)) { cudaMalloc(&address, bytes); }
  ~device_array() { cudaFree(address); }
};
template <typename T> static void fetch(std::vector<T> &to, const device_array<T> &from) {
  cudaError_t error = cudaMemcpy(to.data(), from.address, from.bytes, cudaMemcpyDeviceToHost);
  if (error == cudaSuccess) return;
  printf("%s\n", cudaGetErrorString(error));
  exit(1);
}

// Error bounds of the CUDA programming guide's tables, doubled, since the host isn't exact either; in units
// of the last place.
static const double float_ulps[FLOATS] = {4, 4, 4, 4, 10, 4, 2, 4, 8, 0, 1, 6, 4, 4};
static const double double_ulps[DOUBLES] = {4, 4, 4, 4, 6, 4, 1, 4, 6, 0, 1, 1};

static void check_functions(int lane, float x, float y, const float *f, const double *d) {
  float wanted[FLOATS];
  double wanted_double[DOUBLES];
  float_functions(x, y, wanted);
  double_functions(x, y, wanted_double);
  for (int i = 0; i < FLOATS; i++)
    expect("float function", lane, i, f[i], wanted[i], float_ulps[i] * std::ldexp(std::fabs(wanted[i]), -23));
  for (int i = 0; i < DOUBLES; i++)
    expect("double function", lane, i, d[i], wanted_double[i],
           double_ulps[i] * std::ldexp(std::fabs(wanted_double[i]), -52));
}

int main() {
  std::vector<float> x(COUNT), y(COUNT), f(COUNT * FLOATS), h(COUNT * HALVES);
  std::vector<double> d(COUNT * DOUBLES);
  std::vector<uint32_t> a(COUNT), b(COUNT);
  std::vector<uint64_t> n(COUNT * INTEGERS);
  uint32_t random = 1;
  for (int i = 0; i < COUNT; i++) {
    a[i] = random = random * 1664525 + 1013904223;
    b[i] = random = random * 1664525 + 1013904223;
    if (i % 4 == 1) b[i] >>= i % 29;
    x[i] = (static_cast<float>(a[i] >> 8) - 8388608.0f) / 2097152.0f; // -4 to 4
    y[i] = (static_cast<float>(b[i] >> 8) - 8388607.0f) / 4194304.0f; // -2 to 2, never 0
  }
  device_array<float> dx(COUNT), dy(COUNT), df(COUNT * FLOATS), dh(COUNT * HALVES);
  device_array<double> dd(COUNT * DOUBLES);
  device_array<uint32_t> da(COUNT), db(COUNT);
  device_array<uint64_t> dn(COUNT * INTEGERS);
  cudaMemcpy(dx.address, x.data(), dx.bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(dy.address, y.data(), dy.bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(da.address, a.data(), da.bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db.address, b.data(), db.bytes, cudaMemcpyHostToDevice);
  floats<<<1, COUNT>>>(dx.address, dy.address, df.address);
  doubles<<<1, COUNT>>>(dx.address, dy.address, dd.address);
  halves<<<1, COUNT>>>(dx.address, dy.address, dh.address);
  integers<<<1, COUNT>>>(da.address, db.address, dn.address);
  fetch(f, df);
  fetch(d, dd);
  fetch(h, dh);
  fetch(n, dn);
  for (int i = 0; i < COUNT; i++) {
    check_functions(i, x[i], y[i], &f[i * FLOATS], &d[i * DOUBLES]);
    check_halves(i, x[i], y[i], &h[i * HALVES]);
    check_integers(i, a[i], b[i] | 1, &n[i * INTEGERS]);
  }
  if (wrong)
    printf("%d results are wrong\n", wrong);
  else
    printf("ok\n");
  return wrong ? 1 : 0;
}
