// target: sm_90a
// What is made of the sums once they are complete. The loop's length is unknown, and the sums begin with
// zero: so the compiler knows what comes out where there are no steps, and does the arithmetic of the other
// path at the loop's end, before the wait that the source has there. ptxas keeps it behind the products.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "self-check.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t ROWS = 64, COLUMNS = 256, STEP = 64, STEPS = 4, K = STEP * STEPS;

struct stage {
  uint16_t a[ROWS * STEP], b[COLUMNS * STEP];
};
struct storage {
  stage stages[STEPS];
  uint64_t full[STEPS];
};

enum style { ADDED, SCALED, NEGATED, AT_LEAST_ZERO, CHOSEN, ROUNDED, AS_HALF, IN_PAIRS, FROM_THE_MOST };

__device__ static uint16_t rounded(float number) { // to bf16
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// What the style makes of a sum, as bf16. Each is the sum itself in the end.
template <style S> __device__ static uint16_t finished(float sum, float other, float most) {
  switch (S) {
  case ADDED: return rounded(sum * 1.0f + 0.0f);
  case SCALED: return rounded(__fmaf_rn(sum, 0.5f, 1.0f) * 2.0f - 2.0f);
  case NEGATED: return static_cast<uint16_t>(rounded(-sum) ^ 0x8000) & (sum == 0.0f ? 0 : 0xffff);
  case AT_LEAST_ZERO: return rounded(fmaxf(sum, 0.0f) + fminf(sum, 0.0f));
  case CHOSEN: return rounded(sum > 3.0f ? sum + 0.0f : sum * 1.0f + 0.0f);
  case ROUNDED: return __bfloat16_as_ushort(__float2bfloat16(sum));
  case AS_HALF: return rounded(__half2float(__float2half(sum)));
  case IN_PAIRS: return __bfloat16_as_ushort(__low2bfloat16(__floats2bfloat162_rn(sum, other)));
  default: return rounded((sum - most) + most);
  }
}

template <style S>
__global__ void multiply(uint16_t *c, const __grid_constant__ CUtensorMap a_map,
                         const __grid_constant__ CUtensorMap b_map, uint32_t steps) {
  extern __shared__ __align__(1024) unsigned char memory[];
  storage &s = *reinterpret_cast<storage *>(memory);
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < STEPS; i++)
      init_barrier(&s.full[i], 1);
    for (uint32_t i = 0; i < steps; i++) {
      expect_bytes_and_arrive(&s.full[i], sizeof(stage));
      cp_async_bulk_tensor_2d_global_to_shared(s.stages[i].a, &a_map, i * STEP, 0, &s.full[i]);
      cp_async_bulk_tensor_2d_global_to_shared(s.stages[i].b, &b_map, i * STEP, 0, &s.full[i]);
    }
  }
  __syncthreads();
  float sums[128];
  for (uint32_t i = 0; i < 128; i++)
    sums[i] = 0;
  for (uint32_t step = 0; step < steps; step++) {
    wait(&s.full[step], 0);
    const uint64_t a = wgmma_descriptor(s.stages[step].a), b = wgmma_descriptor(s.stages[step].b);
    wgmma_fence();
    for (uint32_t i = 0; i < STEP / 16; i++)
      wgmma_m64n256k16_f32_bf16(sums, a + 2 * i, b + 2 * i, 1);
    wgmma_commit_group();
    wgmma_wait_until_pending<1>();
  }
  wgmma_wait_until_pending<0>();
  const uint32_t row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = 2 * (threadIdx.x % 4);
  float most = sums[0];
  for (uint32_t i = 1; i < 128 && S == FROM_THE_MOST; i++)
    most = fmaxf(most, sums[i]);
#pragma unroll
  for (uint32_t i = 0; i < 128; i++)
    c[(row + i / 2 % 2 * 8) * COLUMNS + i / 4 * 8 + column + i % 2] = finished<S>(sums[i], sums[i ^ 1], most);
}

static int value(uint32_t row, uint32_t k, uint32_t salt) {
  return static_cast<int>((row * 7 + k * 13 + row * k + salt) % 17) - 8;
}

static uint16_t bf16(int whole) {
  const float number = static_cast<float>(whole);
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static CUtensorMap fill(guarded<uint16_t> &matrix, uint32_t rows, uint32_t salt) {
  std::vector<uint16_t> numbers(matrix.count);
  for (uint32_t i = 0; i < numbers.size(); i++)
    numbers[i] = bf16(value(i / K, i % K, salt));
  matrix.set(numbers);
  CUtensorMap map;
  struct tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  o.rank = 2;
  o.global_address = matrix.data();
  o.global_dim[0] = K;
  o.global_dim[1] = rows;
  o.global_strides[0] = K * sizeof(uint16_t);
  o.box_dim[0] = STEP;
  o.box_dim[1] = rows;
  o.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  return map;
}

template <style S> static void check() {
  guarded<uint16_t> a(ROWS * K), b(COLUMNS * K), c(ROWS * COLUMNS);
  const CUtensorMap a_map = fill(a, ROWS, 1), b_map = fill(b, COLUMNS, 2);
  CUDA_CHECK(cudaFuncSetAttribute(multiply<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(storage)));
  multiply<S><<<1, 128, sizeof(storage)>>>(c.data(), a_map, b_map, STEPS);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<uint16_t> got = c.get();
  for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
    int sum = 0;
    for (uint32_t k = 0; k < K; k++)
      sum += value(i / COLUMNS, k, 1) * value(i % COLUMNS, k, 2);
    if (!check_that(got[i] == bf16(sum), "style %d: c[%u] is 0x%04x, not 0x%04x", S, i, got[i], bf16(sum)))
      break;
  }
}

int main() {
  check<ADDED>();
  check<SCALED>();
  check<NEGATED>();
  check<AT_LEAST_ZERO>();
  check<CHOSEN>();
  check<ROUNDED>();
  check<AS_HALF>();
  check<IN_PAIRS>();
  check<FROM_THE_MOST>();
  return self_check_result();
}
