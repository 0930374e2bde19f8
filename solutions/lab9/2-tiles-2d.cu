// In: a matrix of floats whose rows are pitch_bytes apart. Out: its five-point stencil, in a matrix of the
// same shape.
// The idea: a load's box may hang over the edge; zeros arrive for what lies outside. A store's box may hang
// over, too, and is cut off. So no tile is special, and no `if` is about edges.
#include "lab9.h"
#include "tensor-map.h"
#include "tma-cache.cuh"
#include "tma-interface.cuh"

constexpr uint32_t THREADS = 480; // two rows of a tile at once
constexpr uint32_t TILE_WIDTH = 240;
constexpr uint32_t TILE_HEIGHT = 20;
// Columns on each side. One is needed. A box must start at a multiple of 16 bytes, so 4 would do. But memory
// is read in sectors of 32 bytes, and a box that starts in the middle of a sector is 4 % slower.
constexpr uint32_t MARGIN = 8;
constexpr uint32_t BOX_WIDTH = TILE_WIDTH + 2 * MARGIN;
constexpr uint32_t BOX_HEIGHT = TILE_HEIGHT + 2;

__global__ void __launch_bounds__(THREADS)
    stencil(const __grid_constant__ CUtensorMap in_map, const __grid_constant__ CUtensorMap out_map,
            uint32_t tiles_per_row) {
  __shared__ alignas(128) float box[BOX_HEIGHT][BOX_WIDTH];
  __shared__ alignas(128) float result[TILE_HEIGHT][TILE_WIDTH];
  __shared__ uint64_t loaded;

  const int32_t tile_x = static_cast<int32_t>(blockIdx.x % tiles_per_row * TILE_WIDTH);
  const int32_t tile_y = static_cast<int32_t>(blockIdx.x / tiles_per_row * TILE_HEIGHT);

  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();

    // TODO(2): announce the bytes of the box, arrive, and load the box. Its corner lies MARGIN columns to the
    // left of the tile and one row above it. The whole box arrives, even where it lies outside the matrix.
    // (2 lines)
    // BEGIN SOLUTION
    expect_bytes_and_arrive(&loaded, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared_hint(box, &in_map, tile_x - static_cast<int32_t>(MARGIN),
                                                  tile_y - 1, &loaded, create_policy_evict_last());
    // END SOLUTION
  }
  __syncthreads();

  // TODO(3): wait for the box. (1 line)
  // BEGIN SOLUTION
  wait(&loaded, 0);
  // END SOLUTION

  const uint32_t x = threadIdx.x % TILE_WIDTH;
  for (uint32_t y = threadIdx.x / TILE_WIDTH; y < TILE_HEIGHT; y += THREADS / TILE_WIDTH) {
    // TODO(4): where in the box is the tile's element (x, y)? Compute its stencil. (4 lines)
    // BEGIN SOLUTION
    // INSTEAD: result[y][x] = box[y][x];
    const float *row = box[y + 1];
    const uint32_t column = x + MARGIN;
    const float neighbours = box[y][column] + box[y + 2][column] + row[column - 1] + row[column + 1];
    result[y][x] = 0.25f * neighbours - row[column];
    // END SOLUTION
  }

  // TODO(5): hand the result to the copy engine, as in the first exercise, and store it at the tile's place.
  // (7 lines)
  // BEGIN SOLUTION
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor_2d_shared_to_global(&out_map, tile_x, tile_y, result);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
  // END SOLUTION
}

extern "C" cudaError_t launch_tiles_2d(float *out, const float *in, size_t width, size_t height,
                                       size_t pitch_bytes, cudaStream_t stream) {
  // Coordinates are int32, and the last tile's far corner must still be one.
  if (width == 0 || height == 0 || width > INT32_MAX - TILE_WIDTH || height > INT32_MAX - TILE_HEIGHT)
    return cudaErrorInvalidValue;

  // TODO(1): encode two maps of this matrix. The boxes of the first hold a tile and its neighbours, for
  // loads. The boxes of the second hold a tile, for stores. tensor_map_encode_2d says on stderr which
  // argument is wrong. (4 lines)
  CUtensorMap in_map = {}, out_map = {};
  cudaError_t error = cudaSuccess;
  // BEGIN SOLUTION
  error = tensor_map_encode_2d(&in_map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, in, width, height, pitch_bytes,
                               BOX_WIDTH, BOX_HEIGHT);
  if (error == cudaSuccess)
    error = tensor_map_encode_2d(&out_map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, out, width, height, pitch_bytes,
                                 TILE_WIDTH, TILE_HEIGHT);
  // END SOLUTION
  if (error != cudaSuccess) return error;

  const size_t tiles_per_row = (width + TILE_WIDTH - 1) / TILE_WIDTH;
  const size_t tiles = tiles_per_row * ((height + TILE_HEIGHT - 1) / TILE_HEIGHT);
  if (tiles > INT32_MAX) return cudaErrorInvalidValue;
  stencil<<<static_cast<uint32_t>(tiles), THREADS, 0, stream>>>(in_map, out_map,
                                                                static_cast<uint32_t>(tiles_per_row));
  return cudaGetLastError();
}
