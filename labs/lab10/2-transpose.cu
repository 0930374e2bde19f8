// In: a matrix of int32 whose rows are in_pitch_bytes apart. Out: its transpose, whose rows are
// out_pitch_bytes apart.
// The idea: a tile is read by columns, and all numbers of a column of packed rows lie in the same bank. So
// the copy engine swizzles the tile as it loads it: the atoms of a column then lie in different banks. It
// swizzles rows of 128 bytes at most, so a tile comes in two halves.
#include "lab10.h"
#include "tma-interface.cuh"
#include "transpose.cuh"

constexpr uint32_t ATOM = 4;               // numbers that lie side by side in any case: 16 bytes
constexpr uint32_t ATOMS = HALF / ATOM;    // in a row of half a tile
constexpr uint32_t THREADS = SIDE * ATOMS; // each moves one atom of each half

__global__ void __launch_bounds__(THREADS)
    transpose(const __grid_constant__ CUtensorMap in_map, const __grid_constant__ CUtensorMap out_map,
              tiling tiles) {
  // The swizzle's pattern repeats every 1024 bytes. It begins where a half begins.
  __shared__ alignas(1024) int4 tile[2][SIDE][ATOMS];
  __shared__ alignas(128) int32_t turned[SIDE][SIDE]; // its transpose, not swizzled
  __shared__ uint64_t loaded;

  const place at = place_of_block(tiles);
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    // TODO(2): announce the bytes of the tile, arrive, and load both halves. Where does each begin in `in`?
    // (4 lines; cp_async_bulk_tensor_2d_global_to_shared_hint and create_policy_evict_last() are faster)
  }
  __syncthreads();
  wait(&loaded, 0);

  for (uint32_t half = 0; half < 2; half++) {
    // TODO(3): take one atom of this half. Which row and which atom of it should the lanes of a warp take, so
    // that each eight of them meet eight different places? Where does the engine put an atom? (2 lines)
    const uint32_t y = threadIdx.x / ATOMS, a = threadIdx.x % ATOMS;
    const int4 atom = tile[half][y][a];

    // TODO(4): put its four numbers to their places in the transpose. Which banks do the lanes meet?
    // (5 lines)
  }

  // TODO(5): hand the transpose of the tile to the copy engine, and store it. Where does it belong? (7 lines)
}

extern "C" cudaError_t launch_transpose(int32_t *out, const int32_t *in, size_t width, size_t height,
                                        size_t in_pitch_bytes, size_t out_pitch_bytes, cudaStream_t stream) {
  CUtensorMap in_map = {}, out_map = {};
  cudaError_t error = cudaSuccess;
  // TODO(1): encode the map of `in` and that of `out` with encode_tiles (transpose.cuh). How many columns and
  // rows has each, and how many columns has a box? Which is swizzled? Return the first error. (4 lines)
  if (error != cudaSuccess) return error;
  return launch_tiles(transpose, THREADS, in_map, out_map, width, height, stream);
}
