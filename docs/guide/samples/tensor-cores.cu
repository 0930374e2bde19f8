// In: two matrices of bf16, 64 and 256 rows of K numbers. Out: the products of all their rows, by one
// warpgroup. Tensor copies feed wgmma; each step of K has a stage of its own, so nothing is loaded twice.
// target: sm_90a
#include "sample.h"
#include "tensor-map.h"
#include "tma-interface.cuh"
#include <string.h>

constexpr uint32_t ROWS = 64, COLUMNS = 256, STEP = 64, STEPS = 4, K = STEP * STEPS;

struct stage {
  uint16_t a[ROWS * STEP], b[COLUMNS * STEP];
};
struct storage {
  stage stages[STEPS];
  uint64_t full[STEPS];
};

__device__ static void load_all(storage &s, const CUtensorMap *a_map,
                                const CUtensorMap *b_map) {
  for (uint32_t i = 0; i < STEPS; i++) {
    const int32_t k = static_cast<int32_t>(i * STEP);
    expect_bytes_and_arrive(&s.full[i], sizeof(stage));
    cp_async_bulk_tensor_2d_global_to_shared(s.stages[i].a, a_map, k, 0, &s.full[i]);
    cp_async_bulk_tensor_2d_global_to_shared(s.stages[i].b, b_map, k, 0, &s.full[i]);
  }
}

__global__ void multiply(float *c, const __grid_constant__ CUtensorMap a_map,
                         const __grid_constant__ CUtensorMap b_map) {
  extern __shared__ __align__(1024) unsigned char memory[];
  storage &s = *reinterpret_cast<storage *>(memory);
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < STEPS; i++)
      init_barrier(&s.full[i], 1);
    load_all(s, &a_map, &b_map);
  }
  __syncthreads();
  // [products]
  float sums[128]; // of each of the 128 threads: 64 * 256 in all
  for (uint32_t step = 0; step < STEPS; step++) {
    wait(&s.full[step], 0);
    const uint64_t a = wgmma_descriptor(s.stages[step].a),
                   b = wgmma_descriptor(s.stages[step].b);
    wgmma_fence();
    for (uint32_t k = 0; k < STEP; k += 16) // 8 numbers of k are a unit of 16 bytes
      wgmma_m64n256k16_f32_bf16(sums, a + k / 8, b + k / 8, step + k > 0);
    wgmma_commit_group();
  }
  wgmma_wait_until_pending<0>(); // before this line, nobody may look at sums
  // [/products]
  // [places]
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (uint32_t i = 0; i < 128; i++) {
    const uint32_t row = 16 * warp + lane / 4 + 8 * (i / 2 % 2);
    const uint32_t column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
    c[row * COLUMNS + column] = sums[i];
  }
  // [/places]
}

static int value(uint32_t row, uint32_t k, uint32_t salt) {
  return static_cast<int>((row * 7 + k * 13 + row * k + salt) % 17) - 8;
}

static uint16_t *matrix_of(uint32_t rows, uint32_t salt, CUtensorMap *map) {
  uint16_t *matrix = managed_array<uint16_t>(rows * K);
  for (uint32_t i = 0; i < rows * K; i++) {
    const float number = static_cast<float>(value(i / K, i % K, salt));
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    matrix[i] = static_cast<uint16_t>(bits >> 16);
  }
  // [map]
  struct tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
  options.data_type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  options.rank = 2;
  options.global_address = matrix;
  options.global_dim[0] = K;
  options.global_dim[1] = rows;
  options.global_strides[0] = K * sizeof *matrix;
  options.box_dim[0] = STEP; // 64 numbers of two bytes: a row of 128
  options.box_dim[1] = rows;
  options.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  // [/map]
  CUDA_CHECK(tensor_map_encode(map, &options));
  return matrix;
}

int main() {
  CUtensorMap a_map, b_map;
  matrix_of(ROWS, 1, &a_map);
  matrix_of(COLUMNS, 2, &b_map);
  float *c = managed_array<float>(ROWS * COLUMNS);
  CUDA_CHECK(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  sizeof(storage)));
  multiply<<<1, 128, sizeof(storage)>>>(c, a_map, b_map);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
    int sum = 0;
    for (uint32_t k = 0; k < K; k++)
      sum += value(i / COLUMNS, k, 1) * value(i % COLUMNS, k, 2);
    EXPECT_EQUAL(c[i], sum, i);
  }
  puts("ok");
}
