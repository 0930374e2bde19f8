// target: sm_90a
// Three warpgroups: one ends at once, and two multiply, each with types of its own. A branch that whole
// warpgroups take parts nobody.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32;

PRODUCT_OF_8(multiply_signed, "m64n8k32.s32.s8.s8", "")
PRODUCT_OF_8(multiply_unsigned, "m64n8k32.s32.u8.s8", "")

__global__ void kernel(int *out) {
  __shared__ alignas(128) signed char a[ROWS * DEPTH], b[COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    a[place(i / DEPTH, i % DEPTH, DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 1));
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH, DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 2));
  async_proxy_fence();
  __syncthreads();
  const uint32_t warpgroup = threadIdx.x / 128;
  if (warpgroup == 0) return;
  const uint64_t of_a = descriptor(a, 128, 256, 0), of_b = descriptor(b, 128, 256, 0);
  uint32_t d[4] = {0, 0, 0, 0};
  products_fence();
  if (warpgroup == 1)
    multiply_signed(d, of_a, of_b, 0);
  else
    multiply_unsigned(d, of_a, of_b, 0);
  products_commit();
  products_wait<0>();
  write_ints(out + (warpgroup - 1) * ROWS * COLUMNS, COLUMNS, d);
}

int main() {
  return products_check(
      2 * ROWS, COLUMNS, [](int *out) { kernel<<<1, 384>>>(out); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t k = 0; k < DEPTH; k++)
          sum += (row < ROWS ? value(row, k, 1) : value(row % ROWS, k, 1) & 255) * value(column, k, 2);
        return sum;
      });
}
