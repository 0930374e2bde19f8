// nvcc: -Ilabs/lab10
// target: sm_90a
// In: nothing. Out: `ok` if the solution of lab10's fifth exercise is right. The idea: whole numbers of eight
// bits, whose products add up without rounding in any order; sizes with half a tile at either edge, with one
// step of k and with many, with few tiles and with more than blocks.
#include "../../../solutions/lab10/5-matmul.cu"
#include "self-check.h"

static int value(uint64_t seed, size_t i) {
  random_numbers random = {seed * 0x9e3779b97f4a7c15u + i};
  return static_cast<int>(random.next() >> 7 & 0xff) - 128;
}

static uint16_t bf16(float number) { // rounded to nearest, ties to even
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// The longest loop of this program, so it is compiled for speed. Sums of 16-bit numbers become vectors.
__attribute__((optimize("O3"))) static int sum_of_products(const int16_t *a, const int16_t *b, size_t k) {
  int sum = 0;
  for (size_t i = 0; i < k; i++)
    sum += a[i] * b[i];
  return sum;
}

static void check_size(size_t m, size_t n, size_t k) {
  guarded<uint16_t> a(m * k), b(n * k), c(m * n);
  std::vector<uint16_t> of_a(a.count), of_b(b.count);
  std::vector<int16_t> whole_a(a.count), whole_b(b.count);
  for (size_t i = 0; i < a.count; i++)
    of_a[i] = bf16(static_cast<float>(whole_a[i] = static_cast<int16_t>(value(1, i))));
  for (size_t i = 0; i < b.count; i++)
    of_b[i] = bf16(static_cast<float>(whole_b[i] = static_cast<int16_t>(value(2, i))));
  a.set(of_a);
  b.set(of_b);
  CUDA_CHECK(launch_matmul(c.data(), a.data(), b.data(), m, n, k, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<uint16_t> got = c.get();
  for (size_t i = 0; i < c.count; i++) {
    const int sum = sum_of_products(&whole_a[i / n * k], &whole_b[i % n * k], k);
    const uint16_t right = bf16(static_cast<float>(sum));
    if (!check_that(got[i] == right, "%zu x %zu x %zu: c[%zu][%zu] is 0x%04x, not 0x%04x", m, n, k, i / n,
                    i % n, got[i], right))
      return;
  }
  a.check_bands("a");
  b.check_bands("b");
  c.check_bands("c");
}

int main() {
  const size_t sizes[][3] = {{128, 128, 128}, {128, 256, 384}, {384, 640, 128}, {256, 256, 1024}};
  for (const auto &size : sizes)
    check_size(size[0], size[1], size[2]);
    // More tiles than processors take two thirds of the time, and the corpus runs each mutant under 20 seeds.
#ifndef MUTATED
  check_size(128, 128 * 271, 64);
#endif
  return self_check_result();
}
