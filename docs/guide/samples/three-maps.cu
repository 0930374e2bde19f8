// In: one tensor map, handed to the kernel in three ways. Out: the first row of the matrix, three times.
#include "sample.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t WIDTH = 64;

// [constant]
__constant__ CUtensorMap constant_map;
// [/constant]

// One thread; the block has 32. Returns when the row is in shared memory.
__device__ static void load_row(int *row, const CUtensorMap *map, uint64_t *loaded) {
  expect_bytes_and_arrive(loaded, WIDTH * sizeof(int));
  cp_async_bulk_tensor_2d_global_to_shared(row, map, 0, 0, loaded);
}

// [kernel]
__global__ void three_ways(int *out, const __grid_constant__ CUtensorMap parameter_map,
                           const CUtensorMap *global_map) {
  __shared__ alignas(128) int row[3][WIDTH];
  __shared__ uint64_t loaded[3];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; i++)
      init_barrier(&loaded[i], 1);
    async_proxy_fence();
    load_row(row[0], &parameter_map, &loaded[0]);
    load_row(row[1], &constant_map, &loaded[1]);
    fence_proxy_tensormap_acquire_sys(global_map); // the host wrote it
    load_row(row[2], global_map, &loaded[2]);
  }
  __syncthreads();
  for (int i = 0; i < 3; i++) {
    wait(&loaded[i], 0);
    for (uint32_t x = threadIdx.x; x < WIDTH; x += blockDim.x)
      out[i * WIDTH + x] = row[i][x];
  }
}
// [/kernel]

int main() {
  int *in = managed_array<int>(WIDTH), *out = managed_array<int>(3 * WIDTH);
  for (uint32_t x = 0; x < WIDTH; x++)
    in[x] = static_cast<int>(7 * x);
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode_2d(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, in, WIDTH, 1,
                                  WIDTH * sizeof(int), WIDTH, 1));
  // [host]
  CUtensorMap *global_map;
  CUDA_CHECK(cudaMalloc(&global_map, sizeof map));
  CUDA_CHECK(cudaMemcpy(global_map, &map, sizeof map, cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
  three_ways<<<1, 32>>>(out, map, global_map);
  // [/host]
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < 3 * WIDTH; i++)
    EXPECT_EQUAL(out[i], 7 * (i % WIDTH), i);
  puts("ok");
}
