// Given for exercise 2, 2-transpose.cu: how the matrix is cut into tiles, which block takes which tile, the
// tensor maps of tiles, and the host's side of the launch. You need not change anything here. Read
// `place_of_block` and `encode_tiles`, which you meet in the exercise.
//
//         strip 0           strip 1        A tile has SIDE columns and SIDE rows, a strip STRIP columns of
//     0   1   2   3   |  12  13  14  15    tiles (here 4, to draw it). Blocks start in the order of their
//     4   5   6   7   |  16  17  18  19    numbers. So those that work at one time read and write a square
//     8   9  10  11   |  20  21  22  23    of tiles: long parts of the rows of both matrices.
#ifndef TMA_LAB_TRANSPOSE_CUH
#define TMA_LAB_TRANSPOSE_CUH

#include "tensor-map.h"
#include "tma-interface.cuh"

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

#endif
