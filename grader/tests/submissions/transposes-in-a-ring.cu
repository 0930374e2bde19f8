// submission: lab10/2-transpose
// expect: exit 0
// Blocks that stay, three stages, two buffers for stores.
// In: a matrix of int32 whose rows are in_pitch_bytes apart. Out: its transpose, whose rows are
// out_pitch_bytes apart.
// The idea: a tile is read by columns, and all numbers of a column of packed rows lie in the same bank. So
// the copy engine swizzles the tile as it loads it: the atoms of a column then lie in different banks.
#include "lab10.h"
#include "tma-interface.cuh"
#include "transpose.cuh"

constexpr uint32_t ATOM = 4;               // numbers that lie side by side in any case: 16 bytes
constexpr uint32_t ATOMS = SIDE / ATOM;    // in a row of a tile
constexpr uint32_t THREADS = SIDE * ATOMS; // each moves one atom

__global__ void __launch_bounds__(THREADS)
    transpose(const __grid_constant__ CUtensorMap in_map, const __grid_constant__ CUtensorMap out_map,
              tiling tiles) {
  // The swizzle's pattern repeats every 1024 bytes. It begins where the tile begins.
  __shared__ alignas(1024) int4 tiles_[3][SIDE][ATOMS];
  __shared__ alignas(128) int32_t turns[2][SIDE][SIDE];
  __shared__ uint64_t loaded[3];

  const uint32_t all = tiles.across * tiles.down;
  auto load = [&](uint32_t t, uint32_t s) {
    expect_bytes_and_arrive(&loaded[s], sizeof tiles_[s]);
    cp_async_bulk_tensor_2d_global_to_shared(tiles_[s], &in_map, t % tiles.across * SIDE,
                                             t / tiles.across * SIDE, &loaded[s]);
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < 3; s++)
      init_barrier(&loaded[s], 1);
    async_proxy_fence();
    for (uint32_t k = 0, t = blockIdx.x; k < 3 && t < all; k++, t += gridDim.x)
      load(t, k);
  }
  __syncthreads();
  uint32_t n = 0;
  for (uint32_t t = blockIdx.x; t < all; t += gridDim.x, n++) {
    const uint32_t s = n % 3;
    wait(&loaded[s], n / 3 % 2);
    auto &turned = turns[n % 2];
    const uint32_t y = threadIdx.x % SIDE, a = threadIdx.x / SIDE;
    const int4 atom = tiles_[s][y][a ^ y % ATOMS];
    if (threadIdx.x == 0) tma_wait_until_read_pending<1>();
    __syncthreads();
    turned[a * ATOM][y] = atom.x;
    turned[a * ATOM + 1][y] = atom.y;
    turned[a * ATOM + 2][y] = atom.z;
    turned[a * ATOM + 3][y] = atom.w;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      if (t + 3 * gridDim.x < all) load(t + 3 * gridDim.x, s);
      cp_async_bulk_tensor_2d_shared_to_global(&out_map, t / tiles.across * SIDE, t % tiles.across * SIDE,
                                               turned);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

extern "C" cudaError_t launch_transpose(int32_t *out, const int32_t *in, size_t width, size_t height,
                                        size_t in_pitch_bytes, size_t out_pitch_bytes, cudaStream_t stream) {
  CUtensorMap in_map = {}, out_map = {};
  cudaError_t error = cudaSuccess;
  // TODO(1): encode the map of `in` and that of `out` with encode_tiles (transpose.cuh). How many columns and
  // rows has each? Which of them is swizzled? Return the first error. (4 lines)
  // BEGIN SOLUTION
  error = encode_tiles(&in_map, in, width, height, in_pitch_bytes, CU_TENSOR_MAP_SWIZZLE_128B);
  if (error == cudaSuccess)
    error = encode_tiles(&out_map, out, height, width, out_pitch_bytes, CU_TENSOR_MAP_SWIZZLE_NONE);
  // END SOLUTION
  if (error != cudaSuccess) return error;
  const uint32_t across = (width + SIDE - 1) / SIDE, down = (height + SIDE - 1) / SIDE;
  const uint32_t grid = across * down < 132 * 4 ? across * down : 132 * 4;
  transpose<<<grid, THREADS, 0, stream>>>(in_map, out_map, {across, down});
  return cudaGetLastError();
}
