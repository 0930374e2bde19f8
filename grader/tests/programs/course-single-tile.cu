// In: nothing. Out: `ok` if a program in the form that courses use runs unchanged on the interface's header
// alone: one tile of bfloat16 is loaded and stored, then read through a 64-byte swizzle. The idea: only
// tma-interface.cuh is included, for CUDA_CHECK too; parities and counts are ints, sizes size_t, and the
// driver's encoder is called directly.
// nvcc: -Xlinker build/lib/libcuda.so.1
#include <cuda.h>
#include <cuda_bf16.h>
#include <random>
#include <stdio.h>

#include "tma-interface.cuh"

typedef __nv_bfloat16 bf16;

template <int ROWS, int COLUMNS>
__global__ void copy_tile(__grid_constant__ const CUtensorMap src_map,
                          __grid_constant__ const CUtensorMap dest_map) {
  __shared__ alignas(128) bf16 tile[ROWS * COLUMNS];
  __shared__ alignas(8) uint64_t bar;
  constexpr int arrivals = 1;
  int parity = 0;
  if (threadIdx.x == 0) {
    init_barrier(&bar, arrivals);
    async_proxy_fence();
    expect_bytes(&bar, ROWS * COLUMNS * sizeof(bf16));
    cp_async_bulk_tensor_2d_global_to_shared(tile, &src_map, 0, 0, &bar);
    arrive(&bar, arrivals);
    wait(&bar, parity);
    cp_async_bulk_tensor_2d_shared_to_global(&dest_map, 0, 0, tile);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
}

// Rows of 64 bytes, `OFFSET` rows of 128 bytes behind the pattern's beginning.
template <int OFFSET>
__global__ void unswizzle(__grid_constant__ const CUtensorMap src_map, unsigned char *dest) {
  __shared__ alignas(1024) unsigned char buffer[64 + 128 * OFFSET];
  __shared__ alignas(8) uint64_t bar;
  unsigned char *row = buffer + 128 * OFFSET;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, 64);
    cp_async_bulk_tensor_2d_global_to_shared(row, &src_map, 0, 0, &bar);
  }
  __syncthreads();
  while (!try_wait(&bar, 0)) {
  }
  const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    dest[i] = row[i ^ ((address >> 3) & 0x30)];
}

template <typename T>
static CUtensorMap encode(T *matrix, CUtensorMapDataType type, int rows, int columns,
                          CUtensorMapSwizzle swizzle) {
  CUtensorMap map;
  const uint64_t dimensions[2] = {(uint64_t)columns, (uint64_t)rows};
  const uint64_t strides[1] = {(uint64_t)columns * sizeof(T)};
  const uint32_t box[2] = {(uint32_t)columns, (uint32_t)rows}, ones[2] = {1, 1};
  CUDA_CHECK(cuTensorMapEncodeTiled(&map, type, 2, (void *)matrix, dimensions, strides, box, ones,
                                    CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

static bool copy_is_right() {
  constexpr int rows = 64, columns = 128;
  constexpr size_t count = rows * columns;
  std::default_random_engine generator(0);
  std::normal_distribution<float> distribution(0, 1);
  bf16 *matrix = (bf16 *)malloc(count * sizeof(bf16)), *result = (bf16 *)malloc(count * sizeof(bf16));
  for (size_t i = 0; i < count; i++)
    matrix[i] = __float2bfloat16(distribution(generator));
  bf16 *d_matrix, *d_result;
  CUDA_CHECK(cudaMalloc(&d_matrix, count * sizeof(bf16)));
  CUDA_CHECK(cudaMalloc(&d_result, count * sizeof(bf16)));
  CUDA_CHECK(cudaMemcpy(d_matrix, matrix, count * sizeof(bf16), cudaMemcpyHostToDevice));
  copy_tile<rows, columns><<<1, 32>>>(
      encode(d_matrix, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rows, columns, CU_TENSOR_MAP_SWIZZLE_NONE),
      encode(d_result, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rows, columns, CU_TENSOR_MAP_SWIZZLE_NONE));
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(result, d_result, count * sizeof(bf16), cudaMemcpyDeviceToHost));
  bool right = true;
  for (size_t i = 0; i < count; i++)
    right = right && (float)matrix[i] == (float)result[i];
  CUDA_CHECK(cudaFree(d_matrix));
  CUDA_CHECK(cudaFree(d_result));
  free(matrix);
  free(result);
  return right;
}

template <int OFFSET> static bool swizzle_is_right() {
  unsigned char *row, *result;
  CUDA_CHECK(cudaMallocManaged(&row, 64));
  CUDA_CHECK(cudaMallocManaged(&result, 64));
  for (int i = 0; i < 64; i++)
    row[i] = (unsigned char)(3 * i);
  unswizzle<OFFSET>
      <<<1, 32>>>(encode(row, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 64, CU_TENSOR_MAP_SWIZZLE_64B), result);
  CUDA_CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < 64; i++)
    right = right && result[i] == row[i];
  CUDA_CHECK(cudaFree(row));
  CUDA_CHECK(cudaFree(result));
  return right;
}

int main() {
  CUDA_CHECK(cuInit(0));
  const bool copied = copy_is_right();
  const bool swizzled =
      swizzle_is_right<0>() && swizzle_is_right<1>() && swizzle_is_right<2>() && swizzle_is_right<3>();
  if (!copied) printf("the tile differs\n");
  if (!swizzled) printf("a swizzled row differs\n");
  if (copied && swizzled) printf("ok\n");
  return copied && swizzled ? 0 : 1;
}
