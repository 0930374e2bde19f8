// wmma by CUDA's own header: every type and shape, layouts in all combinations, from shared and from global
// memory, against a product computed on the host.
#include "self-check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <cstring>
#include <vector>

using namespace nvcuda;

template <typename T> struct element {
  using stored = T;
  static double value(T x) { return static_cast<double>(x); }
  static T make(int x) { return static_cast<T>(x); }
};
template <> struct element<wmma::precision::tf32> {
  using stored = float;
  static double value(float x) { return x; }
  static float make(int x) { return static_cast<float>(x); }
};
template <> struct element<__half> {
  using stored = __half;
  static double value(__half x) { return __half2float(x); }
  static __half make(int x) { return __float2half(static_cast<float>(x)); }
};
template <> struct element<__nv_bfloat16> {
  using stored = __nv_bfloat16;
  static double value(__nv_bfloat16 x) { return __bfloat162float(x); }
  static __nv_bfloat16 make(int x) { return __float2bfloat16(static_cast<float>(x)); }
};

// out = 2 * (a * b + c); `out` and `c` lie by rows or by columns.
template <int M, int N, int K, typename T, typename Sum, typename Result, typename LayoutA, typename LayoutB>
__global__ void multiply(const typename element<T>::stored *a, const typename element<T>::stored *b,
                         const Sum *c, Result *out, int lda, int ldb, int ldc, wmma::layout_t sums,
                         bool shared) {
  __shared__ alignas(32) typename element<T>::stored tile[32 * 48];
  if (shared) {
    for (int i = threadIdx.x; i < 32 * 48; i += 32)
      tile[i] = a[i];
    __syncwarp();
  }
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> of_a;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> of_b;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> of_c;
  wmma::load_matrix_sync(of_a, shared ? tile : a, lda);
  wmma::load_matrix_sync(of_b, b, ldb);
  wmma::load_matrix_sync(of_c, c, ldc, sums);
  wmma::fragment<wmma::accumulator, M, N, K, Result> of_d;
  wmma::mma_sync(of_d, of_a, of_b, of_c);
  for (int i = 0; i < of_d.num_elements; i++)
    of_d.x[i] = of_d.x[i] + of_d.x[i];
  wmma::store_matrix_sync(out, of_d, ldc, sums);
}

static int value(int line, int along, int salt) {
  return (line * 5 + along * 3 + line * along + salt) % 7 - 3;
}

template <typename T> class matrix { // of lines that are 16 elements longer than they need to be
public:
  matrix(int lines, int length, int salt, bool positive) : stride(length + 16) {
    values.resize(std::max(size_t(lines) * stride, size_t{32} * 48), element<T>::make(0));
    for (int line = 0; line < lines; line++)
      for (int i = 0; i < length; i++)
        values[size_t(line) * stride + i] = element<T>::make(value(line, i, salt) + (positive ? 3 : 0));
    const size_t bytes = values.size() * sizeof values[0];
    check(cudaMalloc(&device, bytes));
    check(cudaMemcpy(device, values.data(), bytes, cudaMemcpyHostToDevice));
  }
  ~matrix() { cudaFree(device); }
  double at(int line, int i) const { return element<T>::value(values[size_t(line) * stride + i]); }
  void fetch() {
    check(cudaMemcpy(values.data(), device, values.size() * sizeof values[0], cudaMemcpyDeviceToHost));
  }
  static void check(cudaError_t status) {
    check_that(status == cudaSuccess, "%s", cudaGetErrorString(status));
  }

  int stride;
  std::vector<typename element<T>::stored> values;
  typename element<T>::stored *device;
};

template <int M, int N, int K, typename T, typename Sum, typename Result, typename LayoutA, typename LayoutB>
static void try_layouts(const char *name, wmma::layout_t sums, bool shared) {
  constexpr bool a_rows = std::is_same<LayoutA, wmma::row_major>::value,
                 b_columns = std::is_same<LayoutB, wmma::col_major>::value,
                 positive = std::is_same<T, unsigned char>::value;
  const bool rows = sums == wmma::mem_row_major;
  matrix<T> a(a_rows ? M : K, a_rows ? K : M, 1, positive),
      b(b_columns ? N : K, b_columns ? K : N, 2, positive);
  matrix<Sum> c(rows ? M : N, rows ? N : M, 3, false);
  matrix<Result> out(rows ? M : N, rows ? N : M, 4, false);
  multiply<M, N, K, T, Sum, Result, LayoutA, LayoutB>
      <<<1, 32>>>(a.device, b.device, c.device, out.device, a.stride, b.stride, c.stride, sums, shared);
  matrix<T>::check(cudaDeviceSynchronize());
  out.fetch();
  for (int row = 0; row < M; row++) {
    for (int column = 0; column < N; column++) {
      double right = rows ? c.at(row, column) : c.at(column, row);
      for (int k = 0; k < K; k++)
        right += (a_rows ? a.at(row, k) : a.at(k, row)) * (b_columns ? b.at(column, k) : b.at(k, column));
      const double is = rows ? out.at(row, column) : out.at(column, row);
      if (!check_that(is == 2 * right, "%s m%dn%dk%d %d%d%d%d: [%d][%d] is %g, not %g", name, M, N, K, a_rows,
                      b_columns, rows, shared, row, column, is, 2 * right))
        return;
    }
  }
}

template <int M, int N, int K, typename T, typename Sum, typename Result = Sum>
static void try_shape(const char *name) {
  for (const bool shared : {false, true}) {
    for (const wmma::layout_t sums : {wmma::mem_row_major, wmma::mem_col_major}) {
      try_layouts<M, N, K, T, Sum, Result, wmma::row_major, wmma::col_major>(name, sums, shared);
      try_layouts<M, N, K, T, Sum, Result, wmma::row_major, wmma::row_major>(name, sums, shared);
      try_layouts<M, N, K, T, Sum, Result, wmma::col_major, wmma::col_major>(name, sums, shared);
      try_layouts<M, N, K, T, Sum, Result, wmma::col_major, wmma::row_major>(name, sums, shared);
    }
  }
}

template <typename T, typename Sum, typename Result = Sum> static void try_shapes(const char *name) {
  try_shape<16, 16, 16, T, Sum, Result>(name);
  try_shape<8, 32, 16, T, Sum, Result>(name);
  try_shape<32, 8, 16, T, Sum, Result>(name);
}

// Elements of less than a byte lie along k, and are packed into words.
template <int K, typename T, bool Bits>
__global__ void multiply_packed(const int *a, const int *b, const int *c, int *out) {
  wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> of_b;
  wmma::fragment<wmma::accumulator, 8, 8, K, int> of_c;
  wmma::load_matrix_sync(of_a, a, K);
  wmma::load_matrix_sync(of_b, b, K);
  wmma::load_matrix_sync(of_c, c, 8, wmma::mem_row_major);
  if constexpr (Bits)
    wmma::bmma_sync(of_c, of_a, of_b, of_c, wmma::experimental::bmmaBitOpAND);
  else
    wmma::mma_sync(of_c, of_a, of_b, of_c);
  wmma::store_matrix_sync(out, of_c, 8, wmma::mem_row_major);
}

template <int K, typename T, bool Bits> static void try_packed(const char *name, int least, int bits) {
  constexpr int WORDS = 8 * K / (Bits ? 32 : 8);
  int *memory;
  matrix<int>::check(cudaMallocManaged(&memory, (2 * WORDS + 128) * sizeof *memory));
  int *a = memory, *b = a + WORDS, *c = b + WORDS, *out = c + 64, of[2][8][K];
  memset(memory, 0, 2 * WORDS * sizeof *memory);
  for (int side = 0; side < 2; side++) {
    for (int line = 0; line < 8; line++) {
      for (int k = 0; k < K; k++) {
        const int mask = (1 << bits) - 1, raw = (line * 7 + k * 5 + line * k + side) & mask;
        of[side][line][k] = raw >= (1 << bits) + least && least < 0 ? raw - (1 << bits) : raw;
        const int at = line * K + k, in_word = 32 / bits;
        (side ? b : a)[at / in_word] |= static_cast<int>(static_cast<uint32_t>(raw) << at % in_word * bits);
      }
    }
  }
  for (int i = 0; i < 64; i++)
    c[i] = i - 30;
  multiply_packed<K, T, Bits><<<1, 32>>>(a, b, c, out);
  matrix<int>::check(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++) {
    int right = i - 30;
    for (int k = 0; k < K; k++)
      right += of[0][i / 8][k] * of[1][i % 8][k];
    if (!check_that(out[i] == right, "%s: [%d] is %d, not %d", name, i, out[i], right)) break;
  }
  matrix<int>::check(cudaFree(memory));
}

int main() {
  try_shapes<__half, float>("f16, sums f32");
  try_shapes<__half, __half>("f16");
  try_shapes<__half, __half, float>("f16, result f32");
  try_shape<16, 16, 16, __half, float, __half>("f16, result f16");
  try_shapes<__nv_bfloat16, float>("bf16");
  try_shapes<signed char, int>("s8");
  try_shapes<unsigned char, int>("u8");
  try_shape<8, 8, 4, double, double>("f64");
  try_shape<16, 16, 8, wmma::precision::tf32, float>("tf32");
  try_packed<32, wmma::experimental::precision::s4, false>("s4", -8, 4);
  try_packed<32, wmma::experimental::precision::u4, false>("u4", 0, 4);
  try_packed<128, wmma::experimental::precision::b1, true>("b1", 0, 1);
  return self_check_result();
}
