// target: sm_90a
// Two warpgroups share B, and each has 64 rows of A of its own.
#include "wgmma.h"

constexpr uint32_t ROWS = 128, COLUMNS = 8, DEPTH = 32;

PRODUCT_OF_8(multiply, "m64n8k32.s32.s8.s8", "")

__global__ void kernel(int *out) {
  __shared__ alignas(128) signed char a[ROWS * DEPTH], b[COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    a[place(i / DEPTH, i % DEPTH, DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 1));
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH, DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 2));
  async_proxy_fence();
  __syncthreads();
  const uint32_t warpgroup = threadIdx.x / 128;
  uint32_t d[4] = {0, 0, 0, 0};
  products_fence();
  multiply(d, descriptor(a + warpgroup * 64 * DEPTH, 128, 256, 0), descriptor(b, 128, 256, 0), 0);
  products_commit();
  products_wait<0>();
  write_ints(out + warpgroup * 64 * COLUMNS, COLUMNS, d);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 256>>>(out); },
      [](uint32_t row, uint32_t column) { return right_sum(row, column, DEPTH, 1, 2); });
}
