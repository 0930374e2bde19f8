// target: sm_90a
// A sparse A: of four neighbouring elements two are stored, and metadata say which. Threads 0 and 1 of four
// provide the metadata, each for 16 elements of two rows.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32, STORED = DEPTH / 2;

__device__ static void multiply(uint32_t (&d)[4], uint64_t a, uint64_t b, uint32_t metadata) {
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, %6, 0, "
               "0, 1, 1, 0, 0;"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "l"(a), "l"(b), "r"(metadata));
}

// The places of the two elements that a chunk of four keeps.
__host__ __device__ static uint32_t first_place(uint32_t row, uint32_t chunk) {
  return (row + chunk) % 3;
}
__host__ __device__ static uint32_t second_place(uint32_t row, uint32_t chunk) {
  return first_place(row, chunk) + 1 + (row * chunk) % (3 - first_place(row, chunk));
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) uint16_t a[ROWS * STORED], b[COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * STORED; i += blockDim.x) {
    const uint32_t row = i / STORED, chunk = i % STORED / 2;
    const uint32_t k = chunk * 4 + (i % 2 ? second_place(row, chunk) : first_place(row, chunk));
    a[place(row, i % STORED * 2, 32) / 2] = static_cast<uint16_t>(as_bf16(value(row, k, 1)));
  }
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH * 2, 64) / 2] =
        static_cast<uint16_t>(as_bf16(value(i / DEPTH, i % DEPTH, 2)));
  uint32_t metadata = 0;
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t row = row_of(i / 4 * 2), chunk = threadIdx.x % 2 * 4 + i % 4;
    metadata |= (first_place(row, chunk) | second_place(row, chunk) << 2) << 4 * i;
  }
  async_proxy_fence();
  __syncthreads();
  uint32_t d[4] = {0, 0, 0, 0};
  products_fence();
  multiply(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 512, 0), metadata);
  products_commit();
  products_wait<0>();
  write_floats(out, COLUMNS, d);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t chunk = 0; chunk < DEPTH / 4; chunk++)
          for (const uint32_t at : {first_place(row, chunk), second_place(row, chunk)})
            sum += value(row, chunk * 4 + at, 1) * value(column, chunk * 4 + at, 2);
        return sum;
      });
}
