// target: sm_90a
// Numbers of 4 bits times s8: threads unpack A into registers, as products of mixed types do, and two sets
// of fragments take turns: one is made while the product of the other is under way. B comes by TMA with a
// swizzle of 64 bytes.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, STEP = 32, STEPS = 6, DEPTH = STEP * STEPS, LINE = 64;

PRODUCT_OF_FRAGMENT(multiply, "m64n8k32.s32.s8.s8", "")

// Two numbers of 4 bits a byte: lines of DEPTH / 2 bytes.
__device__ static void unpack(uint32_t (&fragment)[4], const unsigned char *packed, uint32_t step) {
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i % 2 * 8;
    const uint32_t k = step * STEP + i / 2 * 16 + threadIdx.x % 4 * 4;
    const uint32_t two = *reinterpret_cast<const uint16_t *>(packed + (row * DEPTH + k) / 2);
    uint32_t word = 0;
    for (uint32_t e = 0; e < 4; e++)
      word |= (((two >> 4 * e & 15) ^ 8) - 8 & 255) << 8 * e;
    fragment[i] = word;
  }
}

__global__ void kernel(int *out, const unsigned char *packed, const __grid_constant__ CUtensorMap of_b) {
  __shared__ alignas(1024) signed char b[DEPTH / LINE][COLUMNS * LINE];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&loaded, sizeof b);
    for (uint32_t i = 0; i < DEPTH / LINE; i++)
      cp_async_bulk_tensor_2d_global_to_shared(b[i], &of_b, static_cast<int>(i * LINE), 0, &loaded);
  }
  __syncthreads();
  uint32_t d[4] = {0, 0, 0, 0}, even[4], odd[4];
  unpack(even, packed, 0);
  wait(&loaded, 0);
  for (uint32_t step = 0; step < STEPS; step += 2) {
    products_fence();
    multiply(d, even, descriptor(b[step / 2], 0, 8 * LINE, 2), 1);
    products_commit();
    unpack(odd, packed, step + 1);
    products_fence(); // the registers of A have been written
    multiply(d, odd, descriptor(b[step / 2] + STEP, 0, 8 * LINE, 2), 1);
    products_commit();
    products_wait<1>(); // the first one has read its fragment
    if (step + 2 < STEPS) unpack(even, packed, step + 2);
    products_wait<0>();
  }
  write_ints(out, COLUMNS, d);
}

int main() {
  guarded<unsigned char> a(ROWS * DEPTH / 2), b(COLUMNS * DEPTH);
  std::vector<unsigned char> packed(ROWS * DEPTH / 2), values(COLUMNS * DEPTH);
  for (uint32_t i = 0; i < ROWS * DEPTH; i++)
    packed[i / 2] |= static_cast<unsigned char>((value(i / DEPTH, i % DEPTH, 1) & 15) << i % 2 * 4);
  for (uint32_t i = 0; i < COLUMNS * DEPTH; i++)
    values[i] = static_cast<unsigned char>(value(i / DEPTH, i % DEPTH, 2));
  a.set(packed);
  b.set(values);
  const CUtensorMap of_b = tile_map(b.data(), 1, DEPTH, COLUMNS, LINE, COLUMNS, CU_TENSOR_MAP_SWIZZLE_64B);
  return products_check(
      ROWS, COLUMNS, [&](int *out) { kernel<<<1, 128>>>(out, a.data(), of_b); },
      [](uint32_t row, uint32_t column) { return right_sum(row, column, DEPTH, 1, 2); });
}
