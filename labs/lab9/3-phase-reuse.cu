// In: a matrix of int32, rows without gaps. Out: the sum of each column.
// The idea: tiles stream through a ring of stages. One thread fills the stages, and many drain them. Each
// stage has a barrier "full" and a barrier "empty", which are reused. Every thread keeps count of the phase
// that each is in.
#include "lab9.h"
#include "tma-cache.cuh"
#include "tma-interface.cuh"

// Few stages: more bytes in flight than the memory needs only disturb each other.
constexpr uint32_t STAGES = 2;
// Large stages: three of 32 KiB would be 3 % slower on an H200.
constexpr uint32_t STAGE_BYTES = 48 * 1024;
constexpr uint32_t CONSUMER_WARPS = 8;
constexpr uint32_t CONSUMERS = 32 * CONSUMER_WARPS;
constexpr uint32_t THREADS = CONSUMERS + 32; // the last warp is the producer's
// If there are enough rows, a block gets at least so many tiles per stage on average.
constexpr uint32_t ROUNDS = 3;
constexpr uint32_t MOST_PANELS = 65536;

// Which tile of a panel comes next. Blocks ask this counter instead of taking every n-th tile. So a slow
// block takes fewer tiles, and at any moment all blocks read close to each other. 0 before and after each
// launch (one launch at a time).
__device__ uint32_t next_tile[MOST_PANELS];

// A quad is four columns side by side: 16 bytes, the unit of a bulk copy, and one int4 for a thread.
// Blocks divide the work into panels (blockIdx.x: some quads of each row) and into tiles of rows (for the
// next block that asks).
struct shape {
  size_t rows;
  size_t quads; // in a row of the matrix
  uint32_t panel_quads;
  uint32_t tile_rows;
};

// One thread. Starts the copies of one tile: one for all of it if the panel is the whole row, else one per
// row. Nothing is read twice, so the L2 cache may drop the tile first.
__device__ static void load_tile(int4 *stage, const int4 *tile, uint32_t rows, uint32_t quads,
                                 size_t row_quads, uint64_t *full) {
  const uint64_t policy = create_policy_evict_first();
  if (quads == row_quads) {
    cp_async_bulk_global_to_shared_hint(stage, tile, rows * quads * sizeof(int4), full, policy);
    return;
  }
  for (uint32_t row = 0; row < rows; row++) {
    cp_async_bulk_global_to_shared_hint(stage + row * quads, tile + row * row_quads, quads * sizeof(int4),
                                        full, policy);
  }
}

// One thread. Returns the number of the panel's next tile. Blocks ask once for each tile, and each block asks
// once more in vain. After the last question atomicInc starts again at 0.
__device__ static uint32_t claim_tile(uint32_t tiles) {
  return atomicInc(&next_tile[blockIdx.x], tiles + gridDim.y - 1);
}

// One thread. Fills the stages with tiles, one after another. rows_of[stage] is the number of rows of the
// stage's tile, or 0 when there are no more tiles.
__device__ static void produce(int4 *stages, uint32_t *rows_of, uint64_t *full, uint64_t *empty,
                               const int4 *panel, uint32_t quads, const shape &matrix, uint32_t tiles) {
  for (uint32_t turn = 0;; turn++) { // turn: how many tiles came before
    const uint32_t stage = turn % STAGES;
    const uint32_t tile = claim_tile(tiles);

    // TODO(2): wait until the consumers have emptied this stage. The first time nobody has filled it. For
    // which parity does a wait on a fresh barrier return at once? (2 lines)

    if (tile >= tiles) {
      rows_of[stage] = 0;
      arrive(&full[stage]);
      return;
    }
    const size_t first_row = static_cast<size_t>(tile) * matrix.tile_rows;
    const uint32_t rows =
        static_cast<uint32_t>(min(static_cast<size_t>(matrix.tile_rows), matrix.rows - first_row));
    // The consumers see it once the phase of full is over, like everything written before an arrival.
    rows_of[stage] = rows;

    // TODO(3): announce the tile's bytes on the stage's full barrier, and load the tile. (3 lines)
  }
}

// All consumers. Returns the sums of this thread's quad over its share of the block's rows.
__device__ static uint4 consume(const int4 *stages, const uint32_t *rows_of, uint64_t *full, uint64_t *empty,
                                uint32_t quads) {
  const uint32_t rows_at_once = CONSUMERS / quads; // a narrow panel is read several rows at a time
  const uint32_t quad = threadIdx.x % quads;
  uint4 sum = make_uint4(0, 0, 0, 0); // unsigned: sums wrap around
  for (uint32_t turn = 0;; turn++) {
    const uint32_t stage = turn % STAGES;

    // TODO(4): wait until the stage is full. Its barrier's phases are 0, 1, 2, .. Which one is this turn's?
    // (2 lines)

    const uint32_t rows = rows_of[stage];
    if (rows == 0) return sum;
    const int4 *tile_quads = stages + stage * (STAGE_BYTES / sizeof(int4));
    for (uint32_t row = threadIdx.x / quads; row < rows && threadIdx.x < rows_at_once * quads;
         row += rows_at_once) {
      const int4 values = tile_quads[row * quads + quad];
      sum.x += values.x;
      sum.y += values.y;
      sum.z += values.z;
      sum.w += values.w;
    }

    // TODO(5): give the stage back: one arrival for each warp, once all its lanes have read. (2 lines)
  }
}

__global__ void __launch_bounds__(THREADS)
    column_sums(uint32_t *sums, const int4 *quads_of_matrix, shape matrix, uint32_t tiles) {
  extern __shared__ __align__(128) int4 stages[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  __shared__ uint32_t rows_of[STAGES];
  __shared__ alignas(16) uint32_t parts[4 * CONSUMERS]; // what each consumer has added up

  const size_t first_quad = static_cast<size_t>(blockIdx.x) * matrix.panel_quads;
  const uint32_t quads =
      static_cast<uint32_t>(min(static_cast<size_t>(matrix.panel_quads), matrix.quads - first_quad));

  if (threadIdx.x == 0) {
    // TODO(1): for each stage: how many arrivals fill it, how many empty it? (5 lines)
  }
  __syncthreads();

  if (threadIdx.x >= CONSUMERS) {
    if (threadIdx.x == CONSUMERS)
      produce(stages, rows_of, full, empty, quads_of_matrix + first_quad, quads, matrix, tiles);
    return;
  }
  *reinterpret_cast<uint4 *>(&parts[4 * threadIdx.x]) = consume(stages, rows_of, full, empty, quads);
  __syncwarp();

  // All blocks end at about the same time and add to the same few columns. So neighbouring threads add to
  // neighbouring columns. If each thread added its own four columns, every sector would be requested four
  // times, which takes 3 us.
  const uint32_t begin = threadIdx.x / 32 * 128; // of this warp's parts
  for (uint32_t i = begin + threadIdx.x % 32; i < begin + 128; i += 32) {
    const uint32_t thread = i / 4; // whose part it is
    if (thread < CONSUMERS / quads * quads)
      atomicAdd(&sums[4 * (first_quad + thread % quads) + i % 4], parts[i]);
  }
}

// How to cut the matrix. Panels have equal width and are no wider than the consumers. Tiles fit a stage, and
// have so few rows that even a short matrix uses every stage ROUNDS times.
static shape cut(size_t rows, size_t columns) {
  shape matrix;
  matrix.rows = rows;
  matrix.quads = columns / 4;
  const size_t panels = (matrix.quads + CONSUMERS - 1) / CONSUMERS;
  matrix.panel_quads = static_cast<uint32_t>((matrix.quads + panels - 1) / panels);
  const size_t most_rows = STAGE_BYTES / sizeof(int4) / matrix.panel_quads;
  const size_t tile_rows = rows / (ROUNDS * STAGES) < most_rows ? rows / (ROUNDS * STAGES) : most_rows;
  matrix.tile_rows = static_cast<uint32_t>(tile_rows > 0 ? tile_rows : 1);
  return matrix;
}

extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  if (rows == 0 || columns == 0 || columns % 4 != 0) return cudaErrorInvalidValue;
  int device, processors;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error =
        cudaFuncSetAttribute(column_sums, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * STAGE_BYTES);
  if (error == cudaSuccess) error = cudaMemsetAsync(sums, 0, columns * sizeof *sums, stream);
  if (error != cudaSuccess) return error;

  const shape cuts = cut(rows, columns);
  const size_t panels = (cuts.quads + cuts.panel_quads - 1) / cuts.panel_quads;
  const size_t tiles = (rows + cuts.tile_rows - 1) / cuts.tile_rows;
  // One block fills a processor. With more blocks, or with few tiles per block, most of the time would go
  // into starting and stopping.
  size_t shares = processors / panels;
  if (shares > tiles / (ROUNDS * STAGES)) shares = tiles / (ROUNDS * STAGES);
  if (shares == 0) shares = 1;
  if (panels > MOST_PANELS || tiles > INT32_MAX) return cudaErrorInvalidValue;

  const dim3 grid(static_cast<uint32_t>(panels), static_cast<uint32_t>(shares));
  column_sums<<<grid, THREADS, STAGES * STAGE_BYTES, stream>>>(reinterpret_cast<uint32_t *>(sums),
                                                               reinterpret_cast<const int4 *>(matrix), cuts,
                                                               static_cast<uint32_t>(tiles));
  return cudaGetLastError();
}
