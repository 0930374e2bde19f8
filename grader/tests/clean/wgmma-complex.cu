// target: sm_90a
// Complex numbers: four products, one of them with A negated: (a + bi) (c + di) = ac - bd + (ad + bc) i.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 16;

PRODUCT_OF_8(add, "m64n8k16.f32.f16.f16", ", 1, 1, 0, 0")
PRODUCT_OF_8(subtract, "m64n8k16.f32.f16.f16", ", -1, 1, 0, 0")

__global__ void kernel(int *out) {
  __shared__ alignas(128) uint16_t a[2][ROWS * DEPTH], b[2][COLUMNS * DEPTH]; // real and imaginary parts
  for (uint32_t part = 0; part < 2; part++) {
    for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
      a[part][place(i / DEPTH, i % DEPTH * 2, 32) / 2] =
          static_cast<uint16_t>(as_f16(value(i / DEPTH, i % DEPTH, part)));
    for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
      b[part][place(i / DEPTH, i % DEPTH * 2, 32) / 2] =
          static_cast<uint16_t>(as_f16(value(i / DEPTH, i % DEPTH, part + 2)));
  }
  async_proxy_fence();
  __syncthreads();
  const uint64_t real = descriptor(a[0], 128, 256, 0), imaginary = descriptor(a[1], 128, 256, 0);
  const uint64_t by_real = descriptor(b[0], 128, 256, 0), by_imaginary = descriptor(b[1], 128, 256, 0);
  uint32_t d[4] = {0, 0, 0, 0}, e[4] = {0, 0, 0, 0};
  products_fence();
  add(d, real, by_real, 0);
  subtract(d, imaginary, by_imaginary, 1);
  add(e, real, by_imaginary, 0);
  add(e, imaginary, by_real, 1);
  products_commit();
  products_wait<0>();
  write_floats(out, 2 * COLUMNS, d);
  write_floats(out + COLUMNS, 2 * COLUMNS, e);
}

int main() {
  return products_check(
      ROWS, 2 * COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) {
        const uint32_t at = column % COLUMNS;
        return column < COLUMNS ? right_sum(row, at, DEPTH, 0, 2) - right_sum(row, at, DEPTH, 1, 3)
                                : right_sum(row, at, DEPTH, 0, 3) + right_sum(row, at, DEPTH, 1, 2);
      });
}
