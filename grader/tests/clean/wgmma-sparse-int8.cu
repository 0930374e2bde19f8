// target: sm_90a
// A sparse product of u8 and s8, A and its metadata in registers. Metadata of 8-bit types come from all
// four threads: of two rows, each one's lower and upper half of K.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 64, STEPS = 3;

__device__ static void multiply(uint32_t (&d)[4], const uint32_t (&a)[4], uint64_t b, uint32_t metadata) {
  asm volatile(
      "wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.u8.s8 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, %9, 0, 1;"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(metadata));
}

// The places of the two elements that a chunk of four keeps.
__host__ __device__ static uint32_t first_place(uint32_t row, uint32_t chunk) {
  return (row * 2 + chunk) % 3;
}
__host__ __device__ static uint32_t second_place(uint32_t row, uint32_t chunk) {
  return first_place(row, chunk) + 1 + (row + chunk) % (3 - first_place(row, chunk));
}
__host__ __device__ static uint32_t kept(uint32_t row, uint32_t stored) { // which element along K
  const uint32_t chunk = stored / 2;
  return chunk * 4 + (stored % 2 ? second_place(row, chunk) : first_place(row, chunk));
}
__host__ __device__ static int positive(uint32_t row, uint32_t k) {
  return value(row, k, 1) + 3;
}

// Four stored elements a register: of rows `row` and `row + 8`, then the same 16 further along K.
__device__ static void make_fragment(uint32_t (&a)[4], uint32_t step) {
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i % 2 * 8;
    a[i] = 0;
    for (uint32_t e = 0; e < 4; e++)
      a[i] |=
          static_cast<uint32_t>(positive(row, kept(row, step * 32 + i / 2 * 16 + threadIdx.x % 4 * 4 + e)))
          << 8 * e;
  }
}

__device__ static uint32_t make_metadata(uint32_t step) {
  const uint32_t row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + threadIdx.x % 2 * 8;
  uint32_t metadata = 0;
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t chunk = step * 16 + threadIdx.x % 4 / 2 * 8 + i;
    metadata |= (first_place(row, chunk) | second_place(row, chunk) << 2) << 4 * i;
  }
  return metadata;
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) signed char b[STEPS][COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < STEPS * COLUMNS * DEPTH; i += blockDim.x) {
    const uint32_t step = i / (COLUMNS * DEPTH), column = i / DEPTH % COLUMNS, k = i % DEPTH;
    b[step][place(column, k, DEPTH)] = static_cast<signed char>(value(column, step * DEPTH + k, 2));
  }
  async_proxy_fence();
  __syncthreads();
  uint32_t d[4] = {0, 0, 0, 0}, a[4];
  for (uint32_t step = 0; step < STEPS; step++) {
    make_fragment(a, step);
    const uint32_t metadata = make_metadata(step);
    products_fence();
    multiply(d, a, descriptor(b[step], 128, 8 * DEPTH, 0), metadata);
    products_commit();
    products_wait<0>();
  }
  write_ints(out, COLUMNS, d);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t stored = 0; stored < STEPS * DEPTH / 2; stored++)
          sum += positive(row, kept(row, stored)) * value(column, kept(row, stored), 2);
        return sum;
      });
}
