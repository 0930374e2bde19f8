// submission: lab10/2-transpose
// expect: exit 1
// expect: says every number has to be written by a copy of the engine
// The threads write the transpose themselves.
// In: a matrix of int32 whose rows are in_pitch_bytes apart. Out: its transpose, whose rows are
// out_pitch_bytes apart.
// The idea: a tile is read by columns, and all numbers of a column of packed rows lie in the same bank. So
// the copy engine swizzles the tile as it loads it: the atoms of a column then lie in different banks.
#include "lab10.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

// ---- tiles of 32 by 32 numbers ----

constexpr uint32_t SIDE = 32; // numbers: 128 bytes
constexpr uint32_t STRIP = 32;

// Tiles of the matrix, in each direction. The last ones hang over its edges.
struct tiling {
  uint32_t across, down;
};

// The column and the row of a tile's first number in the matrix that is read.
struct place {
  int32_t x, y;
};

__device__ static place place_of_block(const tiling &tiles) {
  const uint32_t strip = blockIdx.x / (STRIP * tiles.down), first = strip * STRIP;
  const uint32_t width = min(STRIP, tiles.across - first); // of this strip: the last is narrower
  const uint32_t inside = blockIdx.x - first * tiles.down;
  return {static_cast<int32_t>((first + inside % width) * SIDE), static_cast<int32_t>(inside / width * SIDE)};
}

// Encodes a map whose boxes are tiles: of a matrix of int32 with `width` columns and `height` rows that are
// pitch_bytes apart. swizzle: how the engine places the 16-byte atoms of a tile in shared memory. It says on
// stderr which argument is wrong.
static cudaError_t encode_tiles(CUtensorMap *map, const int32_t *matrix, size_t width, size_t height,
                                size_t pitch_bytes, CUtensorMapSwizzle swizzle) {
  tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
  options.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  options.rank = 2;
  options.global_address = matrix;
  options.global_dim[0] = width;
  options.global_dim[1] = height;
  options.global_strides[0] = pitch_bytes;
  options.box_dim[0] = options.box_dim[1] = SIDE;
  options.swizzle = swizzle;
  options.l2_promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  return tensor_map_encode(map, &options);
}

using transpose_kernel = void (*)(CUtensorMap in_map, CUtensorMap out_map, tiling tiles);

// Starts a block of `threads` for each tile of a matrix of this width and height. Returns the first CUDA
// error.
static cudaError_t launch_tiles(transpose_kernel kernel, uint32_t threads, const CUtensorMap &in_map,
                                const CUtensorMap &out_map, size_t width, size_t height,
                                cudaStream_t stream) {
  const size_t across = (width + SIDE - 1) / SIDE, down = (height + SIDE - 1) / SIDE;
  // Coordinates and numbers of blocks are int32.
  if (across > INT32_MAX / SIDE || down > INT32_MAX / SIDE || across * down > INT32_MAX)
    return cudaErrorInvalidValue;
  kernel<<<static_cast<uint32_t>(across * down), threads, 0, stream>>>(
      in_map, out_map, {static_cast<uint32_t>(across), static_cast<uint32_t>(down)});
  return cudaGetLastError();
}

// ---- the kernel ----

constexpr uint32_t ATOM = 4;               // numbers that lie side by side in any case: 16 bytes
constexpr uint32_t ATOMS = SIDE / ATOM;    // in a row of a tile
constexpr uint32_t THREADS = SIDE * ATOMS; // each moves one atom

__global__ void __launch_bounds__(THREADS)
    transpose(const __grid_constant__ CUtensorMap in_map, const __grid_constant__ CUtensorMap out_map,
              tiling tiles, const int32_t *in, int32_t *out, size_t width, size_t height, size_t ip,
              size_t op) {
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
  const uint32_t y = threadIdx.x % SIDE, a = threadIdx.x / SIDE; // a lane for each row
  const int4 atom = tile[y][a ^ y % ATOMS];
  // END SOLUTION

  // TODO(4): put its four numbers to their places in the transpose. Which banks do the lanes meet? (4 lines)
  // BEGIN SOLUTION
  for (int k = 0; k < 4; k++)
    if (at.y + y < height && at.x + a * 4 + k < width) out[(at.x + a * 4 + k) * op + at.y + y] = (&atom.x)[k];
  // END SOLUTION

  // TODO(5): hand the transpose of the tile to the copy engine, and store it. Where does it belong? (7 lines)
  // BEGIN SOLUTION
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
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
  error = encode_tiles(&in_map, in, width, height, in_pitch_bytes, CU_TENSOR_MAP_SWIZZLE_128B);
  if (error == cudaSuccess)
    error = encode_tiles(&out_map, out, height, width, out_pitch_bytes, CU_TENSOR_MAP_SWIZZLE_NONE);
  // END SOLUTION
  if (error != cudaSuccess) return error;
  const size_t across = (width + SIDE - 1) / SIDE, down = (height + SIDE - 1) / SIDE;
  transpose<<<static_cast<uint32_t>(across * down), THREADS, 0, stream>>>(
      in_map, out_map, {static_cast<uint32_t>(across), static_cast<uint32_t>(down)}, in, out, width, height,
      in_pitch_bytes / 4, out_pitch_bytes / 4);
  return cudaGetLastError();
}
