// target: sm_90a
// Single bits: how many bits two lines of 256 have in common.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, WORDS = 8;

PRODUCT_OF_8(multiply, "m64n8k256.s32.b1.b1.and.popc", "")

__host__ __device__ static uint32_t word_of(uint32_t line, uint32_t word, uint32_t salt) {
  return (line * 8 + word + salt) * 2654435761u;
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) uint32_t a[ROWS * WORDS], b[COLUMNS * WORDS];
  for (uint32_t i = threadIdx.x; i < ROWS * WORDS; i += blockDim.x)
    a[place(i / WORDS, i % WORDS * 4, 32) / 4] = word_of(i / WORDS, i % WORDS, 1);
  for (uint32_t i = threadIdx.x; i < COLUMNS * WORDS; i += blockDim.x)
    b[place(i / WORDS, i % WORDS * 4, 32) / 4] = word_of(i / WORDS, i % WORDS, 77);
  async_proxy_fence();
  __syncthreads();
  uint32_t d[4] = {100, 200, 300, 400};
  products_fence();
  multiply(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0), 1);
  products_commit();
  products_wait<0>();
  for (uint32_t i = 0; i < 4; i++)
    d[i] -= (i + 1) * 100;
  write_ints(out, COLUMNS, d);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t i = 0; i < WORDS; i++)
          sum += __builtin_popcount(word_of(row, i, 1) & word_of(column, i, 77));
        return sum;
      });
}
