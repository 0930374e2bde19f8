// Given for exercise 3, 3-halo-3d.cu: how the volume is cut into columns of planes, which block takes which
// column, and the host's side of the launch. You need not change anything here. Read `column`, whose members
// you use.
//
//        z                    A volume is `depth` planes of `height` rows of `width` numbers. A column is a
//       /  +---+---+---+      tile of TILE_WIDTH by TILE_HEIGHT in x and y, through at most COLUMN_DEPTH
//      +---+---+---+  /|      planes. Its block goes from plane to plane.
//      | 0 | 1 | 2 | / |
//      +---+---+---+   + y    The box of a plane that a block loads is the tile and its margins.
//      | 3 | 4 | 5 | /
//      +---+---+---+  x
#ifndef TMA_LAB_HALO_3D_CUH
#define TMA_LAB_HALO_3D_CUH

#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t TILE_WIDTH = 176, TILE_HEIGHT = 14;
constexpr uint32_t COLUMN_DEPTH = 10;
// About as many columns as run on the chip at a time.
constexpr uint32_t REGION = 256;

// The numbers of the volume in x, y and z.
struct shape {
  uint32_t width, height, depth;
};

// A block's column: the place of its first number, and how many results it has. At the volume's edges it is
// narrower than a tile, less high, or not as deep as the others.
struct column {
  int32_t x, y, z;
  uint32_t width, height, planes;
};

// Two columns, one of which lies behind the other, both need the planes where they meet. So that these are
// still in the L2 cache, blocks don't go through all of x and y first. They do so for the rows of tiles of a
// region, then for what lies behind it. The next region begins when the first one is done to its last plane.
__device__ static column column_of_block(const shape &volume) {
  const uint32_t across = (volume.width + TILE_WIDTH - 1) / TILE_WIDTH,
                 down = (volume.height + TILE_HEIGHT - 1) / TILE_HEIGHT,
                 deep = (volume.depth + COLUMN_DEPTH - 1) / COLUMN_DEPTH;
  const uint32_t most = min(down, max(1u, REGION / across)); // rows of tiles of a region
  const uint32_t top = blockIdx.x / (most * across * deep) * most, rows = min(most, down - top);
  const uint32_t inside = blockIdx.x - top * across * deep;
  const uint32_t x = inside % across * TILE_WIDTH, y = (top + inside / across % rows) * TILE_HEIGHT,
                 z = inside / across / rows * COLUMN_DEPTH;
  return {static_cast<int32_t>(x),
          static_cast<int32_t>(y),
          static_cast<int32_t>(z),
          min(TILE_WIDTH, volume.width - x),
          min(TILE_HEIGHT, volume.height - y),
          min(COLUMN_DEPTH, volume.depth - z)};
}

using halo_kernel = void (*)(CUtensorMap in_map, CUtensorMap out_map, shape volume);

// Starts a block of `threads`, with so much dynamic shared memory, for each column of a volume of this size.
// Returns the first CUDA error.
static cudaError_t launch_columns(halo_kernel kernel, uint32_t threads, size_t shared_bytes,
                                  const CUtensorMap &in_map, const CUtensorMap &out_map, size_t width,
                                  size_t height, size_t depth, cudaStream_t stream) {
  const size_t across = (width + TILE_WIDTH - 1) / TILE_WIDTH,
               down = (height + TILE_HEIGHT - 1) / TILE_HEIGHT,
               deep = (depth + COLUMN_DEPTH - 1) / COLUMN_DEPTH;
  // Coordinates and numbers of blocks are int32.
  if (across > INT32_MAX / TILE_WIDTH || down > INT32_MAX / TILE_HEIGHT || deep > INT32_MAX / COLUMN_DEPTH ||
      across * down > INT32_MAX / deep)
    return cudaErrorInvalidValue;
  const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 static_cast<int>(shared_bytes));
  if (error != cudaSuccess) return error;
  kernel<<<static_cast<uint32_t>(across * down * deep), threads, shared_bytes, stream>>>(
      in_map, out_map,
      {static_cast<uint32_t>(width), static_cast<uint32_t>(height), static_cast<uint32_t>(depth)});
  return cudaGetLastError();
}

#endif
