// target: sm_90a
// Whole numbers of 8 bits, u8 times s8, with sums that stay at the largest or smallest int.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32;

PRODUCT_OF_8(multiply, "m64n8k32.satfinite.s32.u8.s8", "")

__global__ void kernel(int *out) {
  __shared__ alignas(128) unsigned char a[ROWS * DEPTH];
  __shared__ alignas(128) signed char b[COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    a[place(i / DEPTH, i % DEPTH, DEPTH)] = 200;
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH, DEPTH)] = i / DEPTH % 2 ? 100 : -100;
  async_proxy_fence();
  __syncthreads();
  uint32_t d[4];
  for (uint32_t i = 0; i < 4; i++) // odd columns grow, even ones shrink
    d[i] = i % 2 ? 0x7fffff00u : 0x80000100u;
  products_fence();
  multiply(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0), 1);
  products_commit();
  products_wait<0>();
  write_ints(out, COLUMNS, d);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t, uint32_t column) { return column % 2 ? INT32_MAX : INT32_MIN; });
}
