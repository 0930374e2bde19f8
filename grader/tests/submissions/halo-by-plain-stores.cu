// submission: lab10/3-halo-3d
// expect: exit 1
// expect: says every number has to be written by a copy of the engine
// The threads store their results themselves.
#include "halo-3d.cuh"
#include "lab10.h"
#include "tma-interface.cuh"

constexpr uint32_t STAGES = 5;
constexpr uint32_t ROWS_AT_ONCE = 2;
constexpr uint32_t THREADS = TILE_WIDTH * ROWS_AT_ONCE;
constexpr uint32_t MARGIN = 8; // columns on each side, so that boxes begin where sectors begin
constexpr uint32_t BOX_WIDTH = TILE_WIDTH + 2 * MARGIN;
constexpr uint32_t BOX_HEIGHT = TILE_HEIGHT + 2;

using box = float[BOX_HEIGHT][BOX_WIDTH];
struct storage {
  alignas(128) box stages[STAGES];
  alignas(128) float results[2][TILE_HEIGHT][TILE_WIDTH];
  uint64_t loaded[STAGES];
};
struct volume {
  float *out;
  size_t width, height, pitch;
};
__device__ volume given;

// One thread. Starts the load of plane number n of a column into its stage. Plane 0 lies above the column's
// first plane of results, so it has z - 1.
__device__ static void load_plane(box *stages, uint64_t *loaded, const CUtensorMap &in_map,
                                  const column &mine, uint32_t n) {
  const uint32_t stage = n % STAGES;
  expect_bytes_and_arrive(&loaded[stage], sizeof(box));
  cp_async_bulk_tensor_3d_global_to_shared(stages[stage], &in_map, mine.x - static_cast<int32_t>(MARGIN),
                                           mine.y - 1, mine.z + static_cast<int32_t>(n) - 1, &loaded[stage]);
}

__global__ void __launch_bounds__(THREADS) halo(const __grid_constant__ CUtensorMap in_map,
                                                const __grid_constant__ CUtensorMap out_map, shape whole) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto &[stages, results, loaded] = *reinterpret_cast<storage *>(memory);

  const column mine = column_of_block(whole);
  if (threadIdx.x == 0) {
    for (uint64_t &barrier : loaded)
      init_barrier(&barrier, 1);
    for (uint32_t n = 0; n < min(STAGES, mine.planes + 2); n++)
      load_plane(stages, loaded, in_map, mine, n);
  }
  __syncthreads();

  const uint32_t x = threadIdx.x % TILE_WIDTH;
  for (uint32_t n = 0; n < mine.planes; n++) { // results from planes n, n + 1 and n + 2

    for (uint32_t plane = n == 0 ? 0 : n + 2; plane <= n + 2; plane++)
      wait(&loaded[plane % STAGES], plane / STAGES % 2);

    const box &above = stages[n % STAGES], &middle = stages[(n + 1) % STAGES],
              &below = stages[(n + 2) % STAGES];
    for (uint32_t y = threadIdx.x / TILE_WIDTH; y < TILE_HEIGHT; y += ROWS_AT_ONCE) {
      const uint32_t row = y + 1, at = x + MARGIN;
      const float in_plane =
          middle[row - 1][at] + middle[row + 1][at] + middle[row][at - 1] + middle[row][at + 1];
      const float value = 0.125f * (in_plane + above[row][at] + below[row][at]) - middle[row][at];
      if (mine.x + x < given.width && mine.y + y < given.height)
        given.out[((mine.z + n) * given.height + mine.y + y) * given.pitch + mine.x + x] = value;
    }

    async_proxy_fence();
    if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
    __syncthreads();
    if (threadIdx.x == 0) {
      tma_commit_group();
      if (n + STAGES < mine.planes + 2) load_plane(stages, loaded, in_map, mine, n + STAGES);
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

// Encodes a map of a volume, whose boxes are parts of one plane.
static cudaError_t encode_planes(CUtensorMap *map, const float *volume, size_t width, size_t height,
                                 size_t depth, size_t pitch_bytes, uint32_t box_width, uint32_t box_height) {
  tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
  options.data_type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  options.global_address = volume;
  options.l2_promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  options.rank = 3;
  options.global_dim[0] = width, options.global_dim[1] = height, options.global_dim[2] = depth;
  options.global_strides[0] = pitch_bytes;
  options.global_strides[1] = pitch_bytes * height;
  options.box_dim[0] = box_width, options.box_dim[1] = box_height, options.box_dim[2] = 1;
  return tensor_map_encode(map, &options);
}

extern "C" cudaError_t launch_halo_3d(float *out, const float *in, size_t width, size_t height, size_t depth,
                                      size_t pitch_bytes, cudaStream_t stream) {
  const volume v = {out, width, height, pitch_bytes / 4};
  cudaMemcpyToSymbolAsync(given, &v, sizeof v, 0, cudaMemcpyHostToDevice, stream);
  CUtensorMap in_map = {}, out_map = {};
  cudaError_t error = encode_planes(&in_map, in, width, height, depth, pitch_bytes, BOX_WIDTH, BOX_HEIGHT);
  if (error == cudaSuccess)
    error = encode_planes(&out_map, out, width, height, depth, pitch_bytes, TILE_WIDTH, TILE_HEIGHT);
  if (error != cudaSuccess) return error;
  return launch_columns(halo, THREADS, sizeof(storage), in_map, out_map, width, height, depth, stream);
}
