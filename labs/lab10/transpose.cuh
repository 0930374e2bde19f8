// Given for exercise 2, 2-transpose.cu: how the matrix is cut into tiles, which block takes which tile, the
// tensor maps of tiles, and the host's side of the launch. You need not change anything here. Read
// `place_of_block` and `encode_tiles`, which you meet in the exercise.
//
//     0   4   8  12     A tile has SIDE columns and SIDE rows (here the matrix has 4 by 4 tiles, to draw it).
//     1   5   9  13     Blocks start in the order of their numbers. So those that work at one time write long
//     2   6  10  14     parts of a few rows of `out`, and read SIDE numbers, 256 bytes, of each of many rows
//     3   7  11  15     of `in`. That is faster than squares of tiles (docs/measurements.md).
#ifndef TMA_LAB_TRANSPOSE_CUH
#define TMA_LAB_TRANSPOSE_CUH

#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t SIDE = 64;       // numbers: 256 bytes
constexpr uint32_t HALF = SIDE / 2; // numbers: 128 bytes, the longest rows that the engine swizzles

// Tiles of the matrix, in each direction. The last ones hang over its edges.
struct tiling {
  uint32_t across, down;
};

// The column and the row of a tile's first number in the matrix that is read.
struct place {
  int32_t x, y;
};

__device__ static place place_of_block(const tiling &tiles) {
  return {static_cast<int32_t>(blockIdx.x / tiles.down * SIDE),
          static_cast<int32_t>(blockIdx.x % tiles.down * SIDE)};
}

// Encodes a map of a matrix of int32 with `width` columns and `height` rows that are pitch_bytes apart. Its
// boxes have box_width columns and SIDE rows. swizzle: how the engine places the 16-byte atoms of a box in
// shared memory. It says on stderr which argument is wrong.
static cudaError_t encode_tiles(CUtensorMap *map, const int32_t *matrix, size_t width, size_t height,
                                size_t pitch_bytes, uint32_t box_width, CUtensorMapSwizzle swizzle) {
  tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
  options.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  options.rank = 2;
  options.global_address = matrix;
  options.global_dim[0] = width;
  options.global_dim[1] = height;
  options.global_strides[0] = pitch_bytes;
  options.box_dim[0] = box_width;
  options.box_dim[1] = SIDE;
  options.swizzle = swizzle;
  options.l2_promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
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
