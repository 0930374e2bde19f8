// target: sm_90a
// A sparse product of f16: of four threads, 0 and 1 provide the metadata of the first half of K, and 2 and
// 3 those of the second. B lies the other way round: each line is one step along K, as a load with a
// swizzle of 32 bytes leaves it.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 16, DEPTH = 64, STORED = DEPTH / 2, LINE = 32;

template <int selector>
__device__ static void multiply(float (&d)[8], uint64_t a, uint64_t b, uint32_t metadata) {
  asm volatile(
      "wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, "
      "%10, %11, 1, 1, 1, 0, 1;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
      : "l"(a), "l"(b), "r"(metadata), "n"(selector));
}

// The places of the two elements that a chunk of four keeps.
__host__ __device__ static uint32_t first_place(uint32_t row, uint32_t chunk) {
  return (row + chunk) % 3;
}
__host__ __device__ static uint32_t second_place(uint32_t row, uint32_t chunk) {
  return first_place(row, chunk) + 1 + (row * chunk) % (3 - first_place(row, chunk));
}

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap of_b) {
  __shared__ alignas(1024) uint16_t b[DEPTH * COLUMNS], a[ROWS * STORED];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&loaded, sizeof b);
    cp_async_bulk_tensor_2d_global_to_shared(b, &of_b, 0, 0, &loaded);
  }
  for (uint32_t i = threadIdx.x; i < ROWS * STORED; i += blockDim.x) {
    const uint32_t row = i / STORED, chunk = i % STORED / 2;
    const uint32_t k = chunk * 4 + (i % 2 ? second_place(row, chunk) : first_place(row, chunk));
    a[place(row, i % STORED * 2, 2 * STORED) / 2] = static_cast<uint16_t>(as_f16(value(row, k, 1)));
  }
  uint32_t metadata = 0;
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t row = row_of(i / 4 * 2), chunk = threadIdx.x % 4 * 4 + i % 4;
    metadata |= (first_place(row, chunk) | second_place(row, chunk) << 2) << 4 * i;
  }
  const uint32_t lower = threadIdx.x % 4 < 2 ? metadata : 0, upper = threadIdx.x % 4 < 2 ? 0 : metadata;
  async_proxy_fence();
  __syncthreads();
  wait(&loaded, 0);
  float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  products_fence();
  multiply<0>(d, descriptor(a, 128, 16 * STORED, 0), descriptor(b, 0, 8 * LINE, 3), lower);
  multiply<1>(d, descriptor(a + 2 * 64, 128, 16 * STORED, 0), descriptor(b + 32 * COLUMNS, 0, 8 * LINE, 3),
              upper);
  products_commit();
  products_wait<0>();
  for (uint32_t i = 0; i < 8; i++)
    out[row_of(i % 4) * COLUMNS + i / 4 * 8 + column_of(i % 4)] = static_cast<int>(d[i]);
}

int main() {
  guarded<uint16_t> b(DEPTH * COLUMNS);
  std::vector<uint16_t> values(DEPTH * COLUMNS);
  for (uint32_t i = 0; i < DEPTH * COLUMNS; i++)
    values[i] = static_cast<uint16_t>(as_f16(value(i % COLUMNS, i / COLUMNS, 2)));
  b.set(values);
  const CUtensorMap of_b = tile_map(b.data(), 2, COLUMNS, DEPTH, COLUMNS, DEPTH, CU_TENSOR_MAP_SWIZZLE_32B);
  return products_check(
      ROWS, COLUMNS, [&](int *out) { kernel<<<1, 128>>>(out, of_b); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t chunk = 0; chunk < DEPTH / 4; chunk++)
          for (const uint32_t at : {first_place(row, chunk), second_place(row, chunk)})
            sum += value(row, chunk * 4 + at, 1) * value(column, chunk * 4 + at, 2);
        return sum;
      });
}
