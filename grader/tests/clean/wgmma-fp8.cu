// target: sm_90a
// e4m3 times e5m2, with sums of half precision, two in a register. Threads write both tiles.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32;

__device__ static void multiply(uint32_t (&d)[2], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2 {%0, %1}, %2, %3, 0, 1, 1;"
               : "+r"(d[0]), "+r"(d[1])
               : "l"(a), "l"(b));
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) unsigned char a[ROWS * DEPTH], b[COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    a[place(i / DEPTH, i % DEPTH, DEPTH)] =
        static_cast<unsigned char>(as_e4m3(value(i / DEPTH, i % DEPTH, 1)));
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH, DEPTH)] =
        static_cast<unsigned char>(as_e5m2(value(i / DEPTH, i % DEPTH, 2)));
  async_proxy_fence();
  __syncthreads();
  uint32_t d[2] = {0, 0};
  products_fence();
  multiply(d, descriptor(a, 128, 8 * DEPTH, 0), descriptor(b, 128, 8 * DEPTH, 0));
  products_commit();
  products_wait<0>();
  for (uint32_t i = 0; i < 4; i++) {
    float sum;
    asm("cvt.f32.f16 %0, %1;" : "=f"(sum) : "h"(static_cast<uint16_t>(d[i / 2] >> i % 2 * 16)));
    out[row_of(i) * COLUMNS + column_of(i)] = static_cast<int>(sum);
  }
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) { return right_sum(row, column, DEPTH, 1, 2); });
}
