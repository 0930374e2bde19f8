// target: sm_90a
// tf32, in tiles of 32 bytes a line with a swizzle of 32 bytes, as TMA lays them.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 8;

PRODUCT_OF_8(multiply, "m64n8k8.f32.tf32.tf32", ", 1, 1")

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap of_a,
                       const __grid_constant__ CUtensorMap of_b) {
  __shared__ alignas(1024) uint32_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
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
  multiply(d, descriptor(a, 0, 256, 3), descriptor(b, 0, 256, 3), 0);
  products_commit();
  products_wait<0>();
  write_floats(out, COLUMNS, d);
}

int main() {
  guarded<uint32_t> a(ROWS * DEPTH), b(COLUMNS * DEPTH);
  std::vector<uint32_t> values(ROWS * DEPTH), others(COLUMNS * DEPTH);
  for (uint32_t i = 0; i < ROWS * DEPTH; i++)
    values[i] = as_tf32(value(i / DEPTH, i % DEPTH, 1));
  for (uint32_t i = 0; i < COLUMNS * DEPTH; i++)
    others[i] = as_tf32(value(i / DEPTH, i % DEPTH, 2));
  a.set(values);
  b.set(others);
  const CUtensorMap of_a = tile_map(a.data(), 4, DEPTH, ROWS, DEPTH, ROWS, CU_TENSOR_MAP_SWIZZLE_32B);
  const CUtensorMap of_b = tile_map(b.data(), 4, DEPTH, COLUMNS, DEPTH, COLUMNS, CU_TENSOR_MAP_SWIZZLE_32B);
  return products_check(
      ROWS, COLUMNS, [&](int *out) { kernel<<<1, 128>>>(out, of_a, of_b); },
      [](uint32_t row, uint32_t column) { return right_sum(row, column, DEPTH, 1, 2); });
}
