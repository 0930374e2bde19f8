// target: sm_90a
// e5m2 times e4m3 in the manner of libraries: a warpgroup gives registers back and loads tiles with a
// swizzle of 128 bytes; two others take registers and multiply. Sums of 8-bit floats lose bits. So each
// tile's sums are scaled and added to sums in other registers, before the next tile is multiplied.
#include "wgmma.h"

constexpr uint32_t ROWS = 128, COLUMNS = 8, LINE = 128, TILES = 5, STAGES = 2, DEPTH = LINE * TILES;
constexpr uint32_t GROUP = 128, CONSUMERS = ROWS / 64;

PRODUCT_OF_8(multiply, "m64n8k32.f32.e5m2.e4m3", ", 1, 1")

struct stages {
  unsigned char a[STAGES][ROWS * LINE], b[STAGES][COLUMNS * LINE];
};

__device__ static void load_tiles(stages &s, uint64_t *full, uint64_t *empty, const CUtensorMap *of_a,
                                  const CUtensorMap *of_b) {
  for (uint32_t tile = 0; tile < TILES; tile++) {
    const uint32_t at = tile % STAGES;
    const int k = static_cast<int>(tile * LINE);
    wait(&empty[at], (tile / STAGES & 1) ^ 1);
    expect_bytes_and_arrive(&full[at], sizeof s.a[at] + sizeof s.b[at]);
    cp_async_bulk_tensor_2d_global_to_shared(s.a[at], of_a, k, 0, &full[at]);
    cp_async_bulk_tensor_2d_global_to_shared(s.b[at], of_b, k, 0, &full[at]);
  }
}

__device__ static void multiply_tiles(stages &s, uint64_t *full, uint64_t *empty, float (&total)[4]) {
  const uint32_t mine = threadIdx.x / GROUP * 64 * LINE;
  for (uint32_t tile = 0; tile < TILES; tile++) {
    const uint32_t at = tile % STAGES;
    uint32_t d[4] = {0, 0, 0, 0};
    wait(&full[at], tile / STAGES & 1);
    products_fence();
    for (uint32_t k = 0; k < LINE; k += 32)
      multiply(d, descriptor(s.a[at] + mine + k, 0, 8 * LINE, 1), descriptor(s.b[at] + k, 0, 8 * LINE, 1), 1);
    products_commit();
    products_wait<0>();
    arrive(&empty[at]); // nobody reads the stage any more
    for (uint32_t i = 0; i < 4; i++)
      total[i] += __uint_as_float(d[i]) * static_cast<float>(tile + 1);
  }
}

__global__ void __launch_bounds__((CONSUMERS + 1) * GROUP, 1)
    kernel(int *out, const __grid_constant__ CUtensorMap of_a, const __grid_constant__ CUtensorMap of_b) {
  __shared__ alignas(1024) stages s;
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&full[i], 1);
      init_barrier(&empty[i], CONSUMERS * GROUP);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= CONSUMERS * GROUP) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == CONSUMERS * GROUP) load_tiles(s, full, empty, &of_a, &of_b);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float total[4] = {0, 0, 0, 0};
  multiply_tiles(s, full, empty, total);
  for (uint32_t i = 0; i < 4; i++)
    out[(threadIdx.x / GROUP * 64 + row_of(i)) * COLUMNS + column_of(i)] = static_cast<int>(total[i]);
}

int main() {
  guarded<unsigned char> a(ROWS * DEPTH), b(COLUMNS * DEPTH);
  std::vector<unsigned char> values(ROWS * DEPTH), others(COLUMNS * DEPTH);
  for (uint32_t i = 0; i < ROWS * DEPTH; i++)
    values[i] = static_cast<unsigned char>(as_e5m2(value(i / DEPTH, i % DEPTH, 1)));
  for (uint32_t i = 0; i < COLUMNS * DEPTH; i++)
    others[i] = static_cast<unsigned char>(as_e4m3(value(i / DEPTH, i % DEPTH, 2)));
  a.set(values);
  b.set(others);
  const CUtensorMap of_a = tile_map(a.data(), 1, DEPTH, ROWS, LINE, ROWS, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap of_b = tile_map(b.data(), 1, DEPTH, COLUMNS, LINE, COLUMNS, CU_TENSOR_MAP_SWIZZLE_128B);
  return products_check(
      ROWS, COLUMNS, [&](int *out) { kernel<<<1, (CONSUMERS + 1) * GROUP>>>(out, of_a, of_b); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t k = 0; k < DEPTH; k++)
          sum += value(row, k, 1) * value(column, k, 2) * static_cast<int>(k / LINE + 1);
        return sum;
      });
}
