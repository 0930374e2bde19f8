// target: sm_90a
// The sums of one product are the A of the next one, from registers, as in attention kernels. A thread's sums
// are columns 2 m and 2 m + 1 of two rows, its fragments columns m and m + 4: so the next B has its lines in
// another order.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 8;

PRODUCT_OF_8(multiply, "m64n8k8.f32.tf32.tf32", ", 1, 1")
PRODUCT_OF_FRAGMENT(multiply_sums, "m64n8k8.f32.tf32.tf32", ", 1, 1")

__device__ static uint32_t column_of_depth(uint32_t k) {
  return k < 4 ? 2 * k : 2 * (k - 4) + 1;
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) uint32_t a[ROWS * DEPTH], b[COLUMNS * DEPTH], c[COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    a[place(i / DEPTH, i % DEPTH * 4, DEPTH * 4) / 4] = as_tf32(value(i / DEPTH, i % DEPTH, 1));
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x) {
    const uint32_t line = i / DEPTH, k = i % DEPTH, at = place(line, k * 4, DEPTH * 4) / 4;
    b[at] = as_tf32(value(line, k, 2));
    c[at] = as_tf32(value(line, column_of_depth(k), 3));
  }
  async_proxy_fence();
  __syncthreads();
  uint32_t d[4] = {0, 0, 0, 0}, e[4] = {0, 0, 0, 0};
  products_fence();
  multiply(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0), 0);
  products_commit();
  products_wait<0>(); // the sums are there
  const uint32_t fragment[4] = {d[0], d[2], d[1], d[3]};
  products_fence();
  multiply_sums(e, fragment, descriptor(c, 128, 256, 0), 0);
  products_commit();
  products_wait<0>();
  write_floats(out, COLUMNS, e);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t k = 0; k < COLUMNS; k++)
          sum += right_sum(row, k, DEPTH, 1, 2) * value(column, k, 3);
        return sum;
      });
}
