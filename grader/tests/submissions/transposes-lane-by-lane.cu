// submission: lab10/2-transpose
// expect: exit 1
// expect: says the lanes of a warp have to access shared memory together
// No two lanes meet, since they come one after the other.
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
  __shared__ alignas(1024) int4 tile[SIDE][ATOMS];
  __shared__ alignas(128) int32_t turned[SIDE][SIDE]; // its transpose, not swizzled
  __shared__ uint64_t loaded;

  const place at = place_of_block(tiles);
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    // TODO(2): announce the bytes of the tile, arrive, and load the tile. (2 lines)
    // BEGIN SOLUTION
    expect_bytes_and_arrive(&loaded, sizeof tile);
    cp_async_bulk_tensor_2d_global_to_shared(tile, &in_map, at.x, at.y, &loaded);
    // END SOLUTION
  }
  __syncthreads();
  wait(&loaded, 0);

  // TODO(3): take one atom of the tile. Which row and which atom of it should the lanes of a warp take, so
  // that each eight of them meet eight different places? Where does the engine put an atom? (3 lines)
  // BEGIN SOLUTION
  // INSTEAD: const uint32_t y = threadIdx.x / ATOMS, a = threadIdx.x % ATOMS;
  // INSTEAD: const int4 atom = tile[y][a];
  for (uint32_t lane = 0; lane < 32; lane++) {
    if (threadIdx.x % 32 == lane) {
      const uint32_t y = threadIdx.x % SIDE, a = threadIdx.x / SIDE;
      const volatile int32_t *row = reinterpret_cast<const volatile int32_t *>(tile[y]);
      for (int k = 0; k < 4; k++)
        turned[a * 4 + k][y] = row[a * 4 + k];
    }
    __syncwarp();
  }
  // END SOLUTION

  // TODO(4): put its four numbers to their places in the transpose. Which banks do the lanes meet? (4 lines)
  // BEGIN SOLUTION
  // END SOLUTION

  // TODO(5): hand the transpose of the tile to the copy engine, and store it. Where does it belong? (7 lines)
  // BEGIN SOLUTION
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor_2d_shared_to_global(&out_map, at.y, at.x, turned);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
  // END SOLUTION
}

extern "C" cudaError_t launch_transpose(int32_t *out, const int32_t *in, size_t width, size_t height,
                                        size_t in_pitch_bytes, size_t out_pitch_bytes, cudaStream_t stream) {
  CUtensorMap in_map = {}, out_map = {};
  cudaError_t error = cudaSuccess;
  // TODO(1): encode the map of `in` and that of `out` with encode_tiles (transpose.cuh). How many columns and
  // rows has each? Which of them is swizzled? Return the first error. (4 lines)
  // BEGIN SOLUTION
  error = encode_tiles(&in_map, in, width, height, in_pitch_bytes, CU_TENSOR_MAP_SWIZZLE_NONE);
  if (error == cudaSuccess)
    error = encode_tiles(&out_map, out, height, width, out_pitch_bytes, CU_TENSOR_MAP_SWIZZLE_NONE);
  // END SOLUTION
  if (error != cudaSuccess) return error;
  return launch_tiles(transpose, THREADS, in_map, out_map, width, height, stream);
}
