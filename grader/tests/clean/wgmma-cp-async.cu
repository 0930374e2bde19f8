// target: sm_90a
// cp.async fills both tiles, which are writes through the generic proxy: after its wait come the fence and
// the barrier, and then the product.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32, CHUNK = 16;

PRODUCT_OF_8(multiply, "m64n8k32.s32.s8.s8", "")

__device__ static void fill(signed char *tile, const signed char *from, uint32_t lines) {
  for (uint32_t i = threadIdx.x; i < lines * DEPTH / CHUNK; i += blockDim.x)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     tma_shared_address(tile + place(i * CHUNK / DEPTH, i * CHUNK % DEPTH, DEPTH))),
                 "l"(from + i * CHUNK)
                 : "memory");
}

__global__ void kernel(int *out, const signed char *of_a, const signed char *of_b) {
  __shared__ alignas(128) signed char a[ROWS * DEPTH], b[COLUMNS * DEPTH];
  fill(a, of_a, ROWS);
  fill(b, of_b, COLUMNS);
  asm volatile("cp.async.wait_all;" ::: "memory");
  async_proxy_fence();
  __syncthreads();
  uint32_t d[4] = {0, 0, 0, 0};
  products_fence();
  multiply(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0), 0);
  products_commit();
  products_wait<0>();
  write_ints(out, COLUMNS, d);
}

int main() {
  guarded<signed char> a(ROWS * DEPTH), b(COLUMNS * DEPTH);
  std::vector<signed char> values(ROWS * DEPTH), others(COLUMNS * DEPTH);
  for (uint32_t i = 0; i < ROWS * DEPTH; i++)
    values[i] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 1));
  for (uint32_t i = 0; i < COLUMNS * DEPTH; i++)
    others[i] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 2));
  a.set(values);
  b.set(others);
  return products_check(
      ROWS, COLUMNS, [&](int *out) { kernel<<<1, 128>>>(out, a.data(), b.data()); },
      [](uint32_t row, uint32_t column) { return right_sum(row, column, DEPTH, 1, 2); });
}
