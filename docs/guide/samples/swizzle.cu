// In: a matrix of 32 x 32 ints. Out: its transpose. The tile lies swizzled in shared memory. So a warp
// that reads a column has a 4-way bank conflict instead of a 32-way one.
#include "sample.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t N = 32; // one row: 128 bytes, the span of SWIZZLE_128B

// [index]
// Where element (x, y) of a tile with rows of 128 bytes lies: 16-byte atoms are exchanged within each row.
__device__ static uint32_t swizzled(uint32_t x, uint32_t y) {
  const uint32_t atom = x / 4 ^ y % 8; // 4 ints to an atom, 8 atoms to a row
  return y * N + atom * 4 + x % 4;
}
// [/index]

__global__ void transpose(int *out, const __grid_constant__ CUtensorMap in) {
  __shared__ alignas(1024) int tile[N * N]; // the pattern repeats every 1024 bytes
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&loaded, sizeof tile);
    cp_async_bulk_tensor_2d_global_to_shared(tile, &in, 0, 0, &loaded);
  }
  __syncthreads();
  wait(&loaded, 0);
  for (uint32_t x = 0; x < N; x++)
    out[x * N + threadIdx.x] = tile[swizzled(x, threadIdx.x)];
}

int main() {
  int *in = managed_array<int>(N * N), *out = managed_array<int>(N * N);
  for (uint32_t i = 0; i < N * N; i++)
    in[i] = static_cast<int>(i);
  // [encode]
  struct tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
  options.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  options.rank = 2;
  options.global_address = in;
  options.global_dim[0] = options.global_dim[1] = N;
  options.global_strides[0] = N * sizeof(int);
  options.box_dim[0] = options.box_dim[1] = N;
  options.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  // [/encode]
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode(&map, &options));
  transpose<<<1, N>>>(out, map);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t y = 0; y < N; y++)
    for (uint32_t x = 0; x < N; x++)
      EXPECT_EQUAL(out[x * N + y], in[y * N + x], y * N + x);
  puts("ok");
}
