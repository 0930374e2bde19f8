// target: sm_90a
// TMA lays both tiles with a swizzle of 128 bytes, and four products go along their lines: each begins 32
// bytes further on, inside the pattern.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 64, STEP = 16;

PRODUCT_OF_8(multiply, "m64n8k16.f32.bf16.bf16", ", 1, 1, 0, 0")

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap of_a,
                       const __grid_constant__ CUtensorMap of_b) {
  __shared__ alignas(1024) uint16_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&loaded, sizeof a + sizeof b);
    cp_async_bulk_tensor_2d_global_to_shared(a, &of_a, 0, 0, &loaded);
    cp_async_bulk_tensor_2d_global_to_shared(b, &of_b, 0, 0, &loaded);
  }
  __syncthreads();
  wait(&loaded, 0);
  uint32_t d[4] = {0, 0, 0, 0};
  products_fence();
  for (uint32_t k = 0; k < DEPTH; k += STEP)
    multiply(d, descriptor(a + k, 0, 1024, 1), descriptor(b + k, 0, 1024, 1), k != 0);
  products_commit();
  products_wait<0>();
  write_floats(out, COLUMNS, d);
}

int main() {
  guarded<uint16_t> a(ROWS * DEPTH), b(COLUMNS * DEPTH);
  std::vector<uint16_t> values(ROWS * DEPTH), others(COLUMNS * DEPTH);
  for (uint32_t i = 0; i < ROWS * DEPTH; i++)
    values[i] = static_cast<uint16_t>(as_bf16(value(i / DEPTH, i % DEPTH, 1)));
  for (uint32_t i = 0; i < COLUMNS * DEPTH; i++)
    others[i] = static_cast<uint16_t>(as_bf16(value(i / DEPTH, i % DEPTH, 2)));
  a.set(values);
  b.set(others);
  const CUtensorMap of_a = tile_map(a.data(), 2, DEPTH, ROWS, DEPTH, ROWS, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap of_b = tile_map(b.data(), 2, DEPTH, COLUMNS, DEPTH, COLUMNS, CU_TENSOR_MAP_SWIZZLE_128B);
  return products_check(
      ROWS, COLUMNS, [&](int *out) { kernel<<<1, 128>>>(out, of_a, of_b); },
      [](uint32_t row, uint32_t column) { return right_sum(row, column, DEPTH, 1, 2); });
}
