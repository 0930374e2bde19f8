// target: sm_90a
// A warp of its own copies lines of A into a ring of two stages. The consumers leave one group pending, and
// give back the stage of the group before it.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, STEP = 32, STEPS = 5, STAGES = 2, DEPTH = STEP * STEPS;

PRODUCT_OF_8(multiply, "m64n8k32.s32.s8.s8", "")

__device__ static void copy_steps(signed char (*a)[ROWS * STEP], uint64_t *full, uint64_t *empty,
                                  const CUtensorMap *of_a) {
  for (uint32_t step = 0; step < STEPS; step++) {
    const uint32_t stage = step % STAGES;
    wait(&empty[stage], (step / STAGES & 1) ^ 1);
    expect_bytes_and_arrive(&full[stage], ROWS * STEP);
    cp_async_bulk_tensor_2d_global_to_shared(a[stage], of_a, static_cast<int>(step * STEP), 0, &full[stage]);
  }
}

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap of_a) {
  __shared__ alignas(1024) signed char a[STAGES][ROWS * STEP], b[STEPS][COLUMNS * STEP];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&full[i], 1);
      init_barrier(&empty[i], 128);
    }
    fence_mbarrier_init();
  }
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[i % DEPTH / STEP][place(i / DEPTH, i % STEP, STEP)] =
        static_cast<signed char>(value(i / DEPTH, i % DEPTH, 2));
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) copy_steps(a, full, empty, &of_a);
    return;
  }
  uint32_t d[4] = {0, 0, 0, 0};
  products_fence();
  for (uint32_t step = 0; step < STEPS; step++) {
    wait(&full[step % STAGES], step / STAGES & 1);
    multiply(d, descriptor(a[step % STAGES], 0, 256, 3), descriptor(b[step], 128, 256, 0), step != 0);
    products_commit();
    products_wait<1>();
    if (step > 0) arrive(&empty[(step - 1) % STAGES]);
  }
  products_wait<0>();
  write_ints(out, COLUMNS, d);
}

int main() {
  guarded<signed char> a(ROWS * DEPTH);
  std::vector<signed char> values(ROWS * DEPTH);
  for (uint32_t i = 0; i < ROWS * DEPTH; i++)
    values[i] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 1));
  a.set(values);
  const CUtensorMap of_a = tile_map(a.data(), 1, DEPTH, ROWS, STEP, ROWS, CU_TENSOR_MAP_SWIZZLE_32B);
  return products_check(
      ROWS, COLUMNS, [&](int *out) { kernel<<<1, 160>>>(out, of_a); },
      [](uint32_t row, uint32_t column) { return right_sum(row, column, DEPTH, 1, 2); });
}
