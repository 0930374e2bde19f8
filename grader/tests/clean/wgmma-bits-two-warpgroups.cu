// target: sm_90a
// Single bits, as in a network of signs: two warpgroups share B, and each one has 64 rows of A. cp.async
// brings both; A is brought anew for each step once its products are done.
#include "wgmma.h"

constexpr uint32_t ROWS = 128, COLUMNS = 8, WORDS = 8, STEPS = 4, GROUP = 128;

PRODUCT_OF_8(multiply, "m64n8k256.s32.b1.b1.and.popc", "")

__host__ __device__ static uint32_t word_of(uint32_t line, uint32_t word, uint32_t salt) {
  return (line * 32 + word + salt) * 2654435761u;
}

// 32 bytes of each line, 16 a thread.
__device__ static void bring(uint32_t *tile, const uint32_t *matrix, uint32_t lines, uint32_t step,
                             uint32_t thread, uint32_t threads) {
  for (uint32_t i = thread; i < lines * 2; i += threads) {
    const uint32_t line = i % lines, half = i / lines;
    const uint32_t to = tma_shared_address(tile) + place(line, half * 16, 32);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
                 "l"(matrix + (line * STEPS + step) * WORDS + half * 4)
                 : "memory");
  }
}

__global__ void kernel(int *out, const uint32_t *of_a, const uint32_t *of_b) {
  __shared__ alignas(128) uint32_t a[ROWS * WORDS], b[STEPS][COLUMNS * WORDS];
  const uint32_t group = threadIdx.x / GROUP, thread = threadIdx.x % GROUP;
  uint32_t *const mine = a + group * 64 * WORDS;
  for (uint32_t step = 0; step < STEPS; step++)
    bring(b[step], of_b, COLUMNS, step, threadIdx.x, blockDim.x);
  uint32_t d[4] = {0, 0, 0, 0};
  for (uint32_t step = 0; step < STEPS; step++) {
    bring(mine, of_a + group * 64 * STEPS * WORDS, 64, step, thread, GROUP);
    asm volatile("cp.async.wait_all;" ::: "memory");
    async_proxy_fence();
    __syncthreads(); // both warpgroups need all of B
    products_fence();
    multiply(d, descriptor(mine, 128, 256, 0), descriptor(b[step], 128, 256, 0), 1);
    products_commit();
    products_wait<0>();
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory"); // all four warps' parts are done
  }
  for (uint32_t i = 0; i < 4; i++)
    out[(group * 64 + row_of(i)) * COLUMNS + column_of(i)] = static_cast<int>(d[i]);
}

int main() {
  guarded<uint32_t> a(ROWS * STEPS * WORDS), b(COLUMNS * STEPS * WORDS);
  std::vector<uint32_t> values(ROWS * STEPS * WORDS), others(COLUMNS * STEPS * WORDS);
  for (uint32_t i = 0; i < ROWS * STEPS * WORDS; i++)
    values[i] = word_of(i / (STEPS * WORDS), i % (STEPS * WORDS), 1);
  for (uint32_t i = 0; i < COLUMNS * STEPS * WORDS; i++)
    others[i] = word_of(i / (STEPS * WORDS), i % (STEPS * WORDS), 77);
  a.set(values);
  b.set(others);
  return products_check(
      ROWS, COLUMNS, [&](int *out) { kernel<<<1, 2 * GROUP>>>(out, a.data(), b.data()); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t i = 0; i < STEPS * WORDS; i++)
          sum += __builtin_popcount(word_of(row, i, 1) & word_of(column, i, 77));
        return sum;
      });
}
