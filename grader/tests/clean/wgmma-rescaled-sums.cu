// target: sm_90a
// The sums are doubled between two products, as attention rescales them. They are words for the products and
// floats for the arithmetic, so that compilers give them other names by moves.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32;

PRODUCT_OF_8(multiply, "m64n8k16.f32.bf16.bf16", ", 1, 1, 0, 0")

__global__ void kernel(int *out) {
  __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    a[place(i / DEPTH, i % DEPTH * 2, 64) / 2] =
        static_cast<uint16_t>(as_bf16(value(i / DEPTH, i % DEPTH, 1)));
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH * 2, 64) / 2] =
        static_cast<uint16_t>(as_bf16(value(i / DEPTH, i % DEPTH, 2)));
  async_proxy_fence();
  __syncthreads();
  uint32_t d[4] = {0, 0, 0, 0};
  products_fence();
  multiply(d, descriptor(a, 128, 512, 0), descriptor(b, 128, 512, 0), 0);
  products_commit();
  products_wait<0>();
  for (uint32_t i = 0; i < 4; i++)
    d[i] = __float_as_uint(2 * __uint_as_float(d[i]));
  products_fence(); // the doubled sums
  multiply(d, descriptor(a + 256 / 2, 128, 512, 0), descriptor(b + 256 / 2, 128, 512, 0), 1);
  products_commit();
  products_wait<0>(); // the second product
  write_floats(out, COLUMNS, d);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) {
        return right_sum(row, column, DEPTH / 2, 1, 2) + right_sum(row, column, DEPTH, 1, 2);
      });
}
