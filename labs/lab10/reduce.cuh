// Given for exercise 1, 1-reduce.cu: how the matrix is cut, which block takes which part of it, how a tile is
// loaded, and the host's side of the launch. You need not change anything here. Read `share`, whose members
// you use.
//
//                strip 0        strip 1         A strip is at most WIDTH columns, of all rows.
//            +--------------+--------------+
//   share 0  | tile         | tile         |    A share is a part of a strip's rows, that of one block. The
//            | tile         | tile         |    block goes through it tile by tile.
//            +--------------+--------------+
//   share 1  | tile         | tile         |    A tile is some rows of a share, as many as TILE_WORDS hold.
//            | ..           | ..           |
#ifndef TMA_LAB_REDUCE_CUH
#define TMA_LAB_REDUCE_CUH

#include "tma-cache.cuh"
#include "tma-interface.cuh"

constexpr uint32_t WIDTH = 512;             // columns of a strip, at most, and threads of a block
constexpr uint32_t TILE_WORDS = 22 * WIDTH; // 48 KiB have room for no more
// There are TURNS blocks for each place on the chip where one can run, so that no processor has much to do
// when the others are done. There are fewer if a strip would have more than MOST_SHARES: each costs a
// reduction to the same sums, and the memory does those one after the other.
constexpr size_t TURNS = 8, MOST_SHARES = 512;

// How the matrix is cut. The last strip and the last tile of each strip may be smaller.
struct cutting {
  size_t rows, columns;
  uint32_t width, height; // of a tile
  uint32_t across;        // strips
  uint32_t shares;        // of each strip
};

// What a block adds up, and what of it this thread does: column x of each tile, of its rows first, first +
// step, .. If the columns are few, each has several threads.
struct share {
  size_t row, end, column; // the first row and the one behind the last, the first column
  uint32_t width, tiles;
  uint32_t x, first, step;
};

// Blocks that start one after the other have neighbouring strips. So blocks that run at the same time read
// long parts of rows, and few of them add to the same sums.
__device__ static share share_of_block(const cutting &cut) {
  const size_t tiles = (cut.rows + cut.height - 1) / cut.height;
  const uint32_t strip = blockIdx.x % cut.across, number = blockIdx.x / cut.across;
  const size_t begin = tiles * number / cut.shares, end = tiles * (number + 1) / cut.shares;
  share mine;
  mine.row = begin * cut.height, mine.end = min(end * cut.height, cut.rows);
  mine.column = static_cast<size_t>(strip) * cut.width;
  mine.width = static_cast<uint32_t>(min(static_cast<size_t>(cut.width), cut.columns - mine.column));
  mine.tiles = static_cast<uint32_t>(end - begin);
  mine.x = threadIdx.x % mine.width;
  mine.step = WIDTH / mine.width;
  mine.first = threadIdx.x / mine.width;
  if (mine.first >= mine.step) mine.first = cut.height; // a thread that is left over
  return mine;
}

// The rows of tile number n of a share.
__device__ static uint32_t rows_of_tile(const cutting &cut, const share &mine, uint32_t n) {
  const size_t row = mine.row + static_cast<size_t>(n) * cut.height;
  return static_cast<uint32_t>(min(static_cast<size_t>(cut.height), mine.end - row));
}

// The first warp. Starts the copies of tile number n of a share, and returns at once: one copy for each row,
// or a single one if a tile's rows lie side by side. `loaded` gets one arrival and the tile's bytes. Nothing
// is read twice, so the L2 cache may drop the tile first.
__device__ static void load_tile(uint32_t *tile, const uint32_t *matrix, const cutting &cut,
                                 const share &mine, uint32_t n, uint64_t *loaded) {
  const uint32_t rows = rows_of_tile(cut, mine, n), lane = threadIdx.x;
  const uint32_t row_bytes = mine.width * sizeof *tile;
  const uint32_t *from =
      matrix + (mine.row + static_cast<size_t>(n) * cut.height) * cut.columns + mine.column;
  const uint64_t policy = create_policy_evict_first();
  const bool whole = mine.width == cut.columns;
  if (lane == 0) expect_bytes_and_arrive(loaded, rows * row_bytes);
  __syncwarp();
  if (whole && lane == 0) cp_async_bulk_global_to_shared_hint(tile, from, rows * row_bytes, loaded, policy);
  for (uint32_t row = lane; row < rows && !whole; row += 32)
    cp_async_bulk_global_to_shared_hint(tile + row * mine.width, from + row * cut.columns, row_bytes, loaded,
                                        policy);
}

// All threads, once they have read the last tile. Adds up the sums of the threads that share a column, in the
// memory of the tile. The first mine.width threads return the sums of the columns.
__device__ static uint32_t sum_of_column(uint32_t sum, uint32_t *tile, const share &mine) {
  if (mine.step == 1) return sum;
  tile[threadIdx.x] = sum;
  __syncthreads();
  uint32_t total = 0;
  for (uint32_t group = 0; group < mine.step && threadIdx.x < mine.width; group++)
    total += tile[group * mine.width + threadIdx.x];
  return total;
}

// ---- the host's side --------------------------------------------------------------------------------------

using column_sums_kernel = void (*)(uint32_t *sums, const uint32_t *matrix, cutting cut);

// How many blocks of this kernel the device can run at a time.
static cudaError_t count_places(column_sums_kernel kernel, size_t *places) {
  int device, processors, blocks;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, WIDTH, 0);
  if (error == cudaSuccess && blocks == 0) error = cudaErrorInvalidConfiguration;
  if (error == cudaSuccess) *places = static_cast<size_t>(processors) * blocks;
  return error;
}

// Starts the kernel on a matrix as lab10.h describes it. Returns the first CUDA error.
static cudaError_t launch_shares(column_sums_kernel kernel, uint32_t *sums, const uint32_t *matrix,
                                 size_t rows, size_t columns, cudaStream_t stream) {
  size_t places = 0;
  const cudaError_t error = count_places(kernel, &places);
  if (error != cudaSuccess) return error;
  const size_t quads = columns / 4, across = (columns + WIDTH - 1) / WIDTH;
  const size_t width = (quads + across - 1) / across * 4; // strips of equal width
  const size_t height = TILE_WORDS / width, tiles = (rows + height - 1) / height;
  // Whole turns: else some places would be empty in the last one.
  size_t turns = MOST_SHARES * across / places;
  if (turns > TURNS) turns = TURNS;
  if (turns == 0) turns = 1;
  size_t shares = turns * places / across;
  if (shares > tiles) shares = tiles;
  if (shares == 0) shares = 1;
  if (tiles / shares >= UINT32_MAX || across * shares > INT32_MAX) return cudaErrorInvalidValue;
  const cutting cut = {rows,
                       columns,
                       static_cast<uint32_t>(width),
                       static_cast<uint32_t>(height),
                       static_cast<uint32_t>(across),
                       static_cast<uint32_t>(shares)};
  kernel<<<static_cast<uint32_t>(across * shares), WIDTH, 0, stream>>>(sums, matrix, cut);
  return cudaGetLastError();
}

#endif
