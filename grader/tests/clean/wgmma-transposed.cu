// target: sm_90a
// Both matrices lie the other way round: each line is one step along K. A comes with a swizzle of 128 bytes,
// B, eight columns wide, without one.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 16;

PRODUCT_OF_8(multiply, "m64n8k16.f32.f16.f16", ", 1, 1, 1, 1")

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap of_a) {
  __shared__ alignas(1024) uint16_t a[DEPTH * ROWS], b[DEPTH * COLUMNS];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&loaded, sizeof a);
    cp_async_bulk_tensor_2d_global_to_shared(a, &of_a, 0, 0, &loaded);
  }
  for (uint32_t i = threadIdx.x; i < DEPTH * COLUMNS; i += blockDim.x) // line k: 16 bytes
    b[i] = static_cast<uint16_t>(as_f16(value(i % COLUMNS, i / COLUMNS, 2)));
  async_proxy_fence();
  __syncthreads();
  wait(&loaded, 0);
  uint32_t d[4] = {0, 0, 0, 0};
  products_fence();
  // A: eight lines of 128 bytes are 1024. B: eight lines of 16 bytes are 128
  multiply(d, descriptor(a, 0, 1024, 1), descriptor(b, 128, 0, 0), 0);
  products_commit();
  products_wait<0>();
  write_floats(out, COLUMNS, d);
}

int main() {
  guarded<uint16_t> a(DEPTH * ROWS);
  std::vector<uint16_t> values(DEPTH * ROWS);
  for (uint32_t i = 0; i < DEPTH * ROWS; i++)
    values[i] = static_cast<uint16_t>(as_f16(value(i % ROWS, i / ROWS, 1)));
  a.set(values);
  const CUtensorMap of_a = tile_map(a.data(), 2, ROWS, DEPTH, ROWS, DEPTH, CU_TENSOR_MAP_SWIZZLE_128B);
  return products_check(
      ROWS, COLUMNS, [&](int *out) { kernel<<<1, 128>>>(out, of_a); },
      [](uint32_t row, uint32_t column) { return right_sum(row, column, DEPTH, 1, 2); });
}
