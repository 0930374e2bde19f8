// Given for exercise 3, 3-phase-reuse.cu: how the matrix is cut into tiles, which block takes which tile, how
// one tile is loaded, how the sums of all threads are added up, and the host's side of the launch.
// You need not change anything here. Read `load_tile` and `claim_tile`, which you call.
//
//                  panel 0         panel 1            A panel is some columns, of all rows. blockIdx.x is its
//              +--------------+--------------+        number. Blocks of one blockIdx.x share its tiles.
//      tile 0  |              |              |
//              +--------------+--------------+        A tile is some rows of a panel, as many as fit a stage.
//      tile 1  |              |              |
//              +--------------+--------------+        A quad is four columns side by side: 16 bytes, the unit
//      ..                                             of a bulk copy, and one int4 for a thread.
#ifndef TMA_LAB_PHASE_REUSE_CUH
#define TMA_LAB_PHASE_REUSE_CUH

#include "tma-cache.cuh"
#include "tma-interface.cuh"

// If there are enough rows, a block gets at least so many tiles per stage on average.
constexpr uint32_t ROUNDS = 3;
constexpr uint32_t MOST_PANELS = 65536;

// How the matrix is cut.
struct shape {
  size_t rows;
  size_t quads; // in a row of the matrix
  uint32_t panel_quads;
  uint32_t tile_rows;
};

// What a kernel needs besides the matrix: the stages of its ring, and the threads that add up.
struct ring {
  uint32_t stages, stage_bytes, consumers, threads;
};

// ---- for the producer ------------------------------------------------------------------------------------

// Which tile of a panel comes next. Blocks ask this counter instead of taking every n-th tile. So a slow
// block takes fewer tiles, and at any moment all blocks read close to each other. 0 before and after each
// launch (one launch at a time).
__device__ uint32_t next_tile[MOST_PANELS];

// One thread. Returns the number of the panel's next tile; `tiles` or more: there is none left. Blocks ask
// once for each tile, and each block asks once more in vain. After the last question atomicInc starts again
// at 0.
__device__ static uint32_t claim_tile(uint32_t tiles) {
  return atomicInc(&next_tile[blockIdx.x], tiles + gridDim.y - 1);
}

// The rows of the tile that begins with this row: the last tile is shorter.
__device__ static uint32_t rows_from(const shape &matrix, size_t first_row) {
  return static_cast<uint32_t>(min(static_cast<size_t>(matrix.tile_rows), matrix.rows - first_row));
}

// One thread. Starts the copies of a tile whose first quad is `tile`, and returns at once: `rows` rows of
// `quads` quads, which lie `row_quads` quads apart. Their bytes, rows * quads * 16, are reported to `full`.
// It is one copy if the panel is the whole row, else one per row. Nothing is read twice, so the L2 cache may
// drop the tile first.
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

// ---- for the consumers -----------------------------------------------------------------------------------

// A consumer's share of each tile. A narrow panel is read several rows at a time.
struct share {
  uint32_t quad, rows_at_once;
  bool any; // whether there is one: threads beyond the last whole row have none
};

__device__ static share share_of(uint32_t quads, uint32_t consumers) {
  const uint32_t rows_at_once = consumers / quads;
  return {threadIdx.x % quads, rows_at_once, threadIdx.x < rows_at_once * quads};
}

// Adds this thread's share of a tile to its sums.
__device__ static void add_tile(uint4 &sum, const int4 *tile, uint32_t rows, uint32_t quads,
                                const share &mine) {
  for (uint32_t row = threadIdx.x / quads; row < rows && mine.any; row += mine.rows_at_once) {
    const int4 values = tile[row * quads + mine.quad];
    sum.x += values.x;
    sum.y += values.y;
    sum.z += values.z;
    sum.w += values.w;
  }
}

// All lanes of a consumer warp. Adds each thread's sum to those of the matrix; `parts` has room for the sums
// of all consumers. All blocks end at about the same time and add to the same few columns. So neighbouring
// threads add to neighbouring columns. If each thread added its own four columns, every sector would be
// requested four times, which takes 3 us.
__device__ static void add_to_sums(uint32_t *sums, size_t first_quad, uint32_t quads, uint32_t *parts,
                                   uint4 sum, uint32_t consumers) {
  *reinterpret_cast<uint4 *>(&parts[4 * threadIdx.x]) = sum;
  __syncwarp();
  const uint32_t begin = threadIdx.x / 32 * 128; // of this warp's parts
  for (uint32_t i = begin + threadIdx.x % 32; i < begin + 128; i += 32) {
    const uint32_t thread = i / 4; // whose part it is
    if (thread < consumers / quads * quads)
      atomicAdd(&sums[4 * (first_quad + thread % quads) + i % 4], parts[i]);
  }
}

// ---- for the launcher ------------------------------------------------------------------------------------

using column_sums_kernel = void (*)(uint32_t *sums, const int4 *quads_of_matrix, shape matrix,
                                    uint32_t tiles);

// Panels have equal width and are no wider than the consumers. Tiles fit a stage, and have so few rows that
// even a short matrix uses every stage ROUNDS times.
static shape cut_matrix(const ring &ring, size_t rows, size_t columns) {
  shape matrix;
  matrix.rows = rows;
  matrix.quads = columns / 4;
  const size_t panels = (matrix.quads + ring.consumers - 1) / ring.consumers;
  matrix.panel_quads = static_cast<uint32_t>((matrix.quads + panels - 1) / panels);
  const size_t most_rows = ring.stage_bytes / sizeof(int4) / matrix.panel_quads;
  const size_t few_rows = rows / (ROUNDS * ring.stages);
  const size_t tile_rows = few_rows < most_rows ? few_rows : most_rows;
  matrix.tile_rows = static_cast<uint32_t>(tile_rows > 0 ? tile_rows : 1);
  return matrix;
}

// Starts the kernel on a matrix as lab9.h describes it, with `ring` in dynamic shared memory. Returns the
// first CUDA error.
static cudaError_t launch_column_sums(column_sums_kernel kernel, const ring &ring, int32_t *sums,
                                      const int32_t *matrix, size_t rows, size_t columns,
                                      cudaStream_t stream) {
  if (rows == 0 || columns == 0 || columns % 4 != 0) return cudaErrorInvalidValue;
  const uint32_t bytes = ring.stages * ring.stage_bytes;
  int device, processors;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (error == cudaSuccess) error = cudaMemsetAsync(sums, 0, columns * sizeof *sums, stream);
  if (error != cudaSuccess) return error;

  const shape cuts = cut_matrix(ring, rows, columns);
  const size_t panels = (cuts.quads + cuts.panel_quads - 1) / cuts.panel_quads;
  const size_t tiles = (rows + cuts.tile_rows - 1) / cuts.tile_rows;
  // One block fills a processor. With more blocks, or with few tiles per block, most of the time would go
  // into starting and stopping.
  size_t shares = processors / panels;
  if (shares > tiles / (ROUNDS * ring.stages)) shares = tiles / (ROUNDS * ring.stages);
  if (shares == 0) shares = 1;
  if (panels > MOST_PANELS || tiles > INT32_MAX) return cudaErrorInvalidValue;

  const dim3 grid(static_cast<uint32_t>(panels), static_cast<uint32_t>(shares));
  kernel<<<grid, ring.threads, bytes, stream>>>(reinterpret_cast<uint32_t *>(sums),
                                                reinterpret_cast<const int4 *>(matrix), cuts,
                                                static_cast<uint32_t>(tiles));
  return cudaGetLastError();
}

#endif
