// In: a matrix of int32, rows without gaps. Out: the sum of each column.
// The idea: tiles stream through a ring of stages. One thread fills stages and many drain them; each stage has a barrier
// "full" and a barrier "empty", used again and again, and everybody keeps count of the phase that each is in.
#include "lab9.h"
#include "tma-interface.cuh"

constexpr uint32_t STAGES = 6;
constexpr uint32_t STAGE_BYTES = 32 * 1024;
constexpr uint32_t CONSUMER_WARPS = 8;
constexpr uint32_t CONSUMERS = 32 * CONSUMER_WARPS;
constexpr uint32_t THREADS = CONSUMERS + 32; // the last warp is the producer's
constexpr uint32_t ROUNDS = 3; // a block gets at least so many tiles per stage, where there are enough rows

// A quad is four columns side by side: 16 bytes, the grain of a bulk copy, and one int4 for a thread.
// Blocks share the work by panels (blockIdx.x: some quads of each row) and by tiles of rows (blockIdx.y and every
// gridDim.y-th after it).
struct shape {
  size_t rows;
  size_t quads; // in a row of the matrix
  uint32_t panel_quads;
  uint32_t tile_rows;
};

// One thread. Starts the copies of one tile: one for all of it if the panel is the whole row, else one per row.
__device__ static void load_tile(int4 *stage, const int4 *tile, uint32_t rows, uint32_t quads,
                                 size_t row_quads, uint64_t *full) {
  if (quads == row_quads) {
    cp_async_bulk_global_to_shared(stage, tile, rows * quads * sizeof(int4), full);
    return;
  }
  for (uint32_t row = 0; row < rows; row++) {
    cp_async_bulk_global_to_shared(stage + row * quads, tile + row * row_quads, quads * sizeof(int4), full);
  }
}

// One thread. Fills the stages with this block's tiles, one after another.
__device__ static void produce(int4 *stages, uint64_t *full, uint64_t *empty, const int4 *panel,
                               uint32_t quads, const shape &matrix, size_t tiles) {
  uint32_t turn = 0; // how many tiles came before
  for (size_t tile = blockIdx.y; tile < tiles; tile += gridDim.y, turn++) {
    const uint32_t stage = turn % STAGES;
    const size_t first_row = tile * matrix.tile_rows;
    const uint32_t rows =
        static_cast<uint32_t>(min(static_cast<size_t>(matrix.tile_rows), matrix.rows - first_row));

    // TODO(2): wait until the consumers have emptied this stage. The first time round nobody has filled it: which parity
    // does a fresh barrier answer at once? (2 lines)
    // BEGIN SOLUTION
    const uint32_t parity = turn / STAGES & 1; // of the phase that this turn is, for full and for empty
    wait(&empty[stage], parity ^ 1); // empty is one phase behind: the phase *before* this turn's must be over
    // END SOLUTION

    // TODO(3): announce the tile's bytes on the stage's full barrier, and load the tile. (3 lines)
    // BEGIN SOLUTION
    expect_bytes_and_arrive(&full[stage], rows * quads * sizeof(int4));
    load_tile(stages + stage * (STAGE_BYTES / sizeof(int4)), panel + first_row * matrix.quads, rows, quads,
              matrix.quads, &full[stage]);
    // END SOLUTION
  }
}

// All consumers. Returns the sums of this thread's quad over its share of the block's rows.
__device__ static uint4 consume(const int4 *stages, uint64_t *full, uint64_t *empty, uint32_t quads,
                                const shape &matrix, size_t tiles) {
  const uint32_t rows_at_once = CONSUMERS / quads; // a narrow panel is read several rows at a time
  const uint32_t quad = threadIdx.x % quads;
  uint4 sum = make_uint4(0, 0, 0, 0); // unsigned: sums wrap around
  uint32_t turn = 0;
  for (size_t tile = blockIdx.y; tile < tiles; tile += gridDim.y, turn++) {
    const uint32_t stage = turn % STAGES;
    const size_t first_row = tile * matrix.tile_rows;
    const uint32_t rows =
        static_cast<uint32_t>(min(static_cast<size_t>(matrix.tile_rows), matrix.rows - first_row));

    // TODO(4): wait until the stage is full. Its barrier's phases are 0, 1, 2, ..: which one is this turn's? (2 lines)
    // BEGIN SOLUTION
    const uint32_t parity = turn / STAGES & 1;
    wait(&full[stage], parity);
    // END SOLUTION

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
    // BEGIN SOLUTION
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&empty[stage]);
    // END SOLUTION
  }
  return sum;
}

__global__ void __launch_bounds__(THREADS)
    column_sums(uint32_t *sums, const int4 *quads_of_matrix, shape matrix) {
  extern __shared__ __align__(128) int4 stages[];
  __shared__ uint64_t full[STAGES], empty[STAGES];

  const size_t first_quad = static_cast<size_t>(blockIdx.x) * matrix.panel_quads;
  const uint32_t quads =
      static_cast<uint32_t>(min(static_cast<size_t>(matrix.panel_quads), matrix.quads - first_quad));
  const size_t tiles = (matrix.rows + matrix.tile_rows - 1) / matrix.tile_rows;

  if (threadIdx.x == 0) {
    // TODO(1): for each stage: how many arrivals fill it, how many empty it? (5 lines)
    // BEGIN SOLUTION
    for (uint32_t stage = 0; stage < STAGES; stage++) {
      init_barrier(&full[stage], 1);               // the producer's; the bytes count beside it
      init_barrier(&empty[stage], CONSUMER_WARPS); // one lane of each warp
    }
    async_proxy_fence();
    // END SOLUTION
  }
  __syncthreads();

  if (threadIdx.x >= CONSUMERS) {
    if (threadIdx.x == CONSUMERS)
      produce(stages, full, empty, quads_of_matrix + first_quad, quads, matrix, tiles);
    return;
  }
  const uint4 sum = consume(stages, full, empty, quads, matrix, tiles);
  if (threadIdx.x >= CONSUMERS / quads * quads) return; // a thread without a quad

  uint32_t *columns = sums + 4 * (first_quad + threadIdx.x % quads);
  atomicAdd(&columns[0], sum.x);
  atomicAdd(&columns[1], sum.y);
  atomicAdd(&columns[2], sum.z);
  atomicAdd(&columns[3], sum.w);
}

// How to cut the matrix: panels no wider than the consumers, of equal width; tiles that fit a stage, and so low that a
// short matrix, too, sends every stage round ROUNDS times.
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
  // One block fills a processor. More blocks than that, or blocks with few tiles, would only start and stop.
  size_t shares = processors / panels;
  if (shares > tiles / (ROUNDS * STAGES)) shares = tiles / (ROUNDS * STAGES);
  if (shares == 0) shares = 1;
  if (panels > INT32_MAX) return cudaErrorInvalidValue;

  const dim3 grid(static_cast<uint32_t>(panels), static_cast<uint32_t>(shares));
  column_sums<<<grid, THREADS, STAGES * STAGE_BYTES, stream>>>(reinterpret_cast<uint32_t *>(sums),
                                                               reinterpret_cast<const int4 *>(matrix), cuts);
  return cudaGetLastError();
}
