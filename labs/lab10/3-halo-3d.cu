// In: a volume of floats, plane by plane. Out: its seven-point stencil, in a volume of the same shape.
// The idea: a block goes through the planes, and three of them are enough for a plane of results. Each plane
// is loaded once, into a ring of stages, and stays while it is the one above, the one in the middle and the
// one below. What lies outside the volume arrives as zeros, in all three directions.
#include "halo-3d.cuh"
#include "lab10.h"
#include "tma-interface.cuh"

constexpr uint32_t STAGES = 7;
constexpr uint32_t ROWS_AT_ONCE = 2;
constexpr uint32_t ROWS = TILE_HEIGHT / ROWS_AT_ONCE; // of a thread
constexpr uint32_t THREADS = TILE_WIDTH * ROWS_AT_ONCE;
constexpr uint32_t MARGIN = 8; // columns on each side, so that boxes begin where sectors begin
constexpr uint32_t BOX_WIDTH = TILE_WIDTH + 2 * MARGIN;
constexpr uint32_t BOX_HEIGHT = TILE_HEIGHT + 2;

using box = float[BOX_HEIGHT][BOX_WIDTH];

// What lies in a block's shared memory: 103 KiB, so that two blocks fit on a processor.
struct storage {
  alignas(128) box stages[STAGES];
  alignas(128) float results[2][TILE_HEIGHT][TILE_WIDTH]; // one is stored, one is filled
  uint64_t loaded[STAGES];
};

// One thread. Starts the load of plane number n of a column into its stage. Plane 0 lies above the column's
// first plane of results, so it has z - 1.
__device__ static void load_plane(storage &s, const CUtensorMap &in_map, const column &mine, uint32_t n) {
  // TODO(2): announce the bytes of a box to the stage's barrier, arrive, and load the box with
  // cp_async_bulk_tensor_3d_global_to_shared; or, faster, with .._hint and create_policy_evict_last(), since
  // other blocks need its margins. Where is its corner? (5 lines)
}

__global__ void __launch_bounds__(THREADS) halo(const __grid_constant__ CUtensorMap in_map,
                                                const __grid_constant__ CUtensorMap out_map, shape volume) {
  extern __shared__ __align__(128) unsigned char memory[];
  storage &s = *reinterpret_cast<storage *>(memory);

  const column mine = column_of_block(volume);
  if (threadIdx.x == 0) {
    for (uint64_t &barrier : s.loaded)
      init_barrier(&barrier, 1);
    for (uint32_t n = 0; n < min(STAGES, mine.planes + 2); n++)
      load_plane(s, in_map, mine, n);
  }
  __syncthreads();

  const uint32_t x = threadIdx.x % TILE_WIDTH;
  // A thread's rows lie one below the other. Beyond the volume's edge there is nothing to compute.
  const uint32_t first = threadIdx.x / TILE_WIDTH * ROWS,
                 end = x < mine.width ? min(first + ROWS, mine.height) : 0;
  for (uint32_t n = 0; n < mine.planes; n++) { // results from planes n, n + 1 and n + 2
    float(*result)[TILE_WIDTH] = s.results[n % 2];
    // TODO(3): wait for the planes that have not been waited for yet: in the first round three of them, in
    // all others one. Which phase of its barrier is that? (2 lines)

    const box &above = s.stages[n % STAGES], &middle = s.stages[(n + 1) % STAGES],
              &below = s.stages[(n + 2) % STAGES];
    // TODO(4): for rows `first` to `end` of the tile, an eighth of the sum of the six neighbours, less the
    // number itself. What is below a number is itself in the next row: it need not be read again. (9 lines)
    for (uint32_t y = first; y < end; y++)
      result[y][x] = above[y][x] + middle[y][x] + below[y][x];

    // TODO(5): hand over the results and store them. After __syncthreads(), nobody reads plane n any more:
    // let its stage be filled again, if the column has so many planes. Nobody may write to a half of
    // `results` before its last store has read it: let thread 0 wait for that one, before __syncthreads().
    // (11 lines)
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
  // TODO(1): the rank, three dimensions of the volume, the strides between rows and between planes, in bytes,
  // and three dimensions of the box. Dimension 0 is x. (5 lines)
  return tensor_map_encode(map, &options);
}

extern "C" cudaError_t launch_halo_3d(float *out, const float *in, size_t width, size_t height, size_t depth,
                                      size_t pitch_bytes, cudaStream_t stream) {
  CUtensorMap in_map = {}, out_map = {};
  cudaError_t error = encode_planes(&in_map, in, width, height, depth, pitch_bytes, BOX_WIDTH, BOX_HEIGHT);
  if (error == cudaSuccess)
    error = encode_planes(&out_map, out, width, height, depth, pitch_bytes, TILE_WIDTH, TILE_HEIGHT);
  if (error != cudaSuccess) return error;
  return launch_columns(halo, THREADS, sizeof(storage), in_map, out_map, width, height, depth, stream);
}
