// target: sm_90a
// Sums in halves: two to a register, taken apart behind the wait for their product; another one is under way.
#include <cuda_fp16.h>

#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 16, DEPTH = 16, SUMS = 2;

__device__ static inline void multiply(uint32_t (&d)[SUMS], uint64_t a, uint64_t b) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, %2, %3, p, 1, 1, 0, 0; }"
               : "+r"(d[0]), "+r"(d[1])
               : "l"(a), "l"(b));
}

__device__ static inline void write_halves(int *out, const uint32_t (&d)[SUMS]) {
  for (uint32_t i = 0; i < SUMS; i++) {
    const __half2 pair = *reinterpret_cast<const __half2 *>(&d[i]);
    int *to = out + row_of(2 * i) * COLUMNS + column_of(0);
    to[0] = __half2int_rn(__low2half(pair));
    to[1] = __half2int_rn(__high2half(pair));
  }
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    a[place(i / DEPTH, i % DEPTH * 2, 32) / 2] =
        static_cast<uint16_t>(as_f16(value(i / DEPTH, i % DEPTH, 1)));
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH * 2, 32) / 2] =
        static_cast<uint16_t>(as_f16(value(i / DEPTH, i % DEPTH, 2)));
  async_proxy_fence();
  __syncthreads();
  uint32_t left[SUMS] = {0, 0}, right[SUMS] = {0, 0};
  products_fence();
  multiply(left, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));
  products_commit();
  multiply(right, descriptor(a, 128, 256, 0), descriptor(b + 8 * DEPTH, 128, 256, 0));
  products_commit();
  products_wait<1>();
  write_halves(out, left);
  products_wait<0>();
  write_halves(out + 8, right);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) { return right_sum(row, column, DEPTH, 1, 2); });
}
