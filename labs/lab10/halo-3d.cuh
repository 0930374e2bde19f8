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

constexpr uint32_t TILE_WIDTH = 128, TILE_HEIGHT = 8;
constexpr uint32_t COLUMN_DEPTH = 8;
// As many columns as run on the chip at a time.
constexpr uint32_t REGION = 512;

// How many columns there are in x and in y, and the planes of the volume.
struct cutting {
  uint32_t across, down, depth;
};

// A block's column: the place of its first number, and how many planes of results it has.
struct column {
  int32_t x, y, z;
  uint32_t planes;
};

// Two columns, one of which lies behind the other, both need the planes where they meet. So that these are
// still in the L2 cache, blocks don't go through all of x and y first. They do so for the rows of tiles of a
// region, then for what lies behind it. The next region begins when the first one is done to its last plane.
__device__ static column column_of_block(const cutting &cut) {
  const uint32_t deep = (cut.depth + COLUMN_DEPTH - 1) / COLUMN_DEPTH;
  const uint32_t most = min(cut.down, max(1u, REGION / cut.across)); // rows of tiles of a region
  const uint32_t top = blockIdx.x / (most * cut.across * deep) * most, rows = min(most, cut.down - top);
  const uint32_t inside = blockIdx.x - top * cut.across * deep;
  const uint32_t x = inside % cut.across, y = top + inside / cut.across % rows,
                 z = inside / cut.across / rows * COLUMN_DEPTH;
  return {static_cast<int32_t>(x * TILE_WIDTH), static_cast<int32_t>(y * TILE_HEIGHT),
          static_cast<int32_t>(z), min(COLUMN_DEPTH, cut.depth - z)};
}

using halo_kernel = void (*)(CUtensorMap in_map, CUtensorMap out_map, cutting cut);

// Starts a block of `threads` for each column of a volume of this size. Returns the first CUDA error.
static cudaError_t launch_columns(halo_kernel kernel, uint32_t threads, const CUtensorMap &in_map,
                                  const CUtensorMap &out_map, size_t width, size_t height, size_t depth,
                                  cudaStream_t stream) {
  const size_t across = (width + TILE_WIDTH - 1) / TILE_WIDTH,
               down = (height + TILE_HEIGHT - 1) / TILE_HEIGHT,
               deep = (depth + COLUMN_DEPTH - 1) / COLUMN_DEPTH;
  // Coordinates and numbers of blocks are int32.
  if (across > INT32_MAX / TILE_WIDTH || down > INT32_MAX / TILE_HEIGHT || deep > INT32_MAX / COLUMN_DEPTH ||
      across * down > INT32_MAX / deep)
    return cudaErrorInvalidValue;
  kernel<<<static_cast<uint32_t>(across * down * deep), threads, 0, stream>>>(
      in_map, out_map,
      {static_cast<uint32_t>(across), static_cast<uint32_t>(down), static_cast<uint32_t>(depth)});
  return cudaGetLastError();
}

#endif
