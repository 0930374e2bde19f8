// target: sm_90a
// 24 columns: the last shape of whole numbers that isn't a multiple of 16. A thread has 12 sums.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 24, DEPTH = 32;

__device__ static void multiply(uint32_t (&d)[12], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n24k32.s32.s8.u8 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11}, %12, %13, 0;"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]),
                 "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11])
               : "l"(a), "l"(b));
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) signed char a[ROWS * DEPTH];
  __shared__ alignas(128) unsigned char b[COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    a[place(i / DEPTH, i % DEPTH, DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 1));
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH, DEPTH)] = static_cast<unsigned char>(value(i / DEPTH, i % DEPTH, 2) + 200);
  async_proxy_fence();
  __syncthreads();
  uint32_t d[12] = {};
  products_fence();
  multiply(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));
  products_commit();
  products_wait<0>();
  for (uint32_t i = 0; i < 12; i++)
    out[row_of(i % 4) * COLUMNS + i / 4 * 8 + column_of(i % 4)] = static_cast<int>(d[i]);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t k = 0; k < DEPTH; k++)
          sum += value(row, k, 1) * (value(column, k, 2) + 200);
        return sum;
      });
}
