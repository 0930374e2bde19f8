// In: nothing. Out: `ok` if the referee's matrix product is what the CPU's formulas tell, if its judge finds
// nothing in right results, and in wrong ones each wrong element and the first of them.
// nvcc: -Igrader
// target: sm_90a
#include "self-check.h"

#include "exercises/lab10/trusted.cu"
#include "tensor-map.h"

constexpr uint32_t M = 384, N = 640, K = 384; // half a tile at the right edge, more steps than stages
constexpr uint32_t GRID = 4;                  // several tiles for each block

static CUtensorMap map_of(const uint16_t *matrix, uint32_t rows, uint32_t columns, uint32_t box_rows) {
  CUtensorMap map;
  tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  o.rank = 2;
  o.global_address = matrix;
  o.global_dim[0] = columns;
  o.global_dim[1] = rows;
  o.global_strides[0] = uint64_t{columns} * sizeof *matrix;
  o.box_dim[0] = TRUSTED_PRODUCT_DEPTH;
  o.box_dim[1] = box_rows;
  o.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  return map;
}

static trusted_finding judge(const guarded<uint16_t> &factors, const guarded<uint16_t> &c,
                             const trusted_case &of_case) {
  guarded<trusted_finding> finding(1);
  finding.set({{0, 0, UINT64_MAX, UINT64_MAX}});
  const CUtensorMap a = map_of(factors.data(), M, K, TRUSTED_PRODUCT_ROWS),
                    b = map_of(factors.data() + M * K, N, K, TRUSTED_PRODUCT_COLUMNS);
  trusted_matmul_compare<<<GRID, TRUSTED_PRODUCT_THREADS, TRUSTED_PRODUCT_SHARED>>>(a, b, c.data(), {M, N, K},
                                                                                    finding.data());
  trusted_matmul_check<<<GRID, 256>>>(nullptr, of_case, finding.data(),
                                      reinterpret_cast<const uint32_t *>(factors.data()));
  CUDA_CHECK(cudaDeviceSynchronize());
  return finding.get()[0];
}

static uint16_t input(const trusted_case &c, uint64_t i) {
  return bf16_of(static_cast<float>(
      matmul_input(exercise_random(i / 2 % TRUSTED_LATE == c.late_place ? c.late_key : c.key, i / 2), i)));
}

static uint16_t right_result(const std::vector<uint16_t> &factors, uint64_t i) {
  float sum = 0;
  for (uint64_t l = 0; l < K; l++)
    sum += float_of_bf16(factors[i / N * K + l]) * float_of_bf16(factors[(M + i % N) * K + l]);
  return bf16_of(sum);
}

int main() {
  trusted_case of_case = {};
  of_case.rows = M + N;
  of_case.columns = K / 2;
  of_case.pitch_bytes = K * 2;
  of_case.key = exercise_key_of(7);
  of_case.late_key = exercise_key_of(8);
  of_case.late_place = 1234;
  guarded<uint16_t> factors((M + N) * K), c(M * N);
  trusted_matmul_make<<<GRID, 256>>>(reinterpret_cast<uint32_t *>(factors.data()), of_case);
  trusted_matmul_late<<<GRID, 256>>>(reinterpret_cast<uint32_t *>(factors.data()), of_case);
  std::vector<uint16_t> of_factors(factors.count), of_c(c.count);
  for (uint64_t i = 0; i < of_factors.size(); i++)
    of_factors[i] = input(of_case, i);
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(factors.get() == of_factors, "not the input that the formulas tell");

  for (const auto kernel : {(const void *)trusted_matmul_product, (const void *)trusted_matmul_compare})
    CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, TRUSTED_PRODUCT_SHARED));
  trusted_matmul_product<<<GRID, TRUSTED_PRODUCT_THREADS, TRUSTED_PRODUCT_SHARED>>>(
      map_of(factors.data(), M, K, TRUSTED_PRODUCT_ROWS),
      map_of(factors.data() + M * K, N, K, TRUSTED_PRODUCT_COLUMNS), map_of(c.data(), M, N, 64), {M, N, K});
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint64_t i = 0; i < of_c.size(); i++)
    of_c[i] = right_result(of_factors, i);
  check_that(c.get() == of_c, "not the product that the formulas tell");
  trusted_finding found = judge(factors, c, of_case);
  check_that(found.wrong_outputs == 0 && found.changed_inputs == 0, "accuses what is right: %llu elements",
             static_cast<unsigned long long>(found.wrong_outputs));

  of_c[3 * N + 100] ^= 4;
  of_c[383 * N + 639] ^= 0x8000;
  of_c[200 * N + 300] ^= 1; // rounded the other way, which is right
  c.set(of_c);
  of_factors[5 * K + 7]++;
  found = judge(factors, c, of_case);
  check_that(found.wrong_outputs == 2 && found.first_wrong == 3 * N + 100, "finds %llu wrong, first %llu",
             static_cast<unsigned long long>(found.wrong_outputs),
             static_cast<unsigned long long>(found.first_wrong));
  factors.set(of_factors);
  found = judge(factors, c, of_case);
  check_that(found.changed_inputs == 1 && found.first_changed == (5 * K + 7) / 2, "misses the changed input");
  factors.check_bands("factors");
  c.check_bands("c");
  return self_check_result();
}
