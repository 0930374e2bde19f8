// In: a matrix of int32, rows without gaps. Out: the sum of each column.
// The idea: tiles stream through a ring of stages. One thread fills the stages, and many drain them. Each
// stage has a barrier "full" and a barrier "empty", which are reused. Every thread keeps count of the phase
// that each is in. What has nothing to do with the ring is given, in phase-reuse.cuh.
#include "lab9.h"
#include "phase-reuse.cuh"
#include "tma-interface.cuh"

// Few stages: more bytes in flight than the memory needs only disturb each other.
constexpr uint32_t STAGES = 2;
// Large stages: three of 32 KiB would be 3 % slower on an H200.
constexpr uint32_t STAGE_BYTES = 48 * 1024;
constexpr uint32_t STAGE_QUADS = STAGE_BYTES / sizeof(int4);
constexpr uint32_t CONSUMER_WARPS = 8;
constexpr uint32_t CONSUMERS = 32 * CONSUMER_WARPS;
constexpr uint32_t THREADS = CONSUMERS + 32; // the last warp is the producer's

// One thread. Fills the stages with tiles of its panel, one after another. rows_of[stage] is the number of
// rows of the stage's tile, or 0 when there are no more tiles.
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
    const uint32_t rows = rows_from(matrix, first_row);
    rows_of[stage] = rows; // the consumers see it once the phase of full is over

    // TODO(3): announce the tile's bytes on the stage's full barrier, and load the tile with load_tile. It
    // begins at panel + first_row * matrix.quads, the stage at stages + stage * STAGE_QUADS. (3 lines)
  }
}

// All consumers. Returns the sums of this thread's quad over its share of the block's rows.
__device__ static uint4 consume(const int4 *stages, const uint32_t *rows_of, uint64_t *full, uint64_t *empty,
                                uint32_t quads) {
  const share mine = share_of(quads, CONSUMERS);
  uint4 sum = make_uint4(0, 0, 0, 0); // unsigned: sums wrap around
  for (uint32_t turn = 0;; turn++) {
    const uint32_t stage = turn % STAGES;

    // TODO(4): wait until the stage is full. Its barrier's phases are 0, 1, 2, .. Which one is this turn's?
    // (2 lines)

    const uint32_t rows = rows_of[stage];
    if (rows == 0) return sum;
    add_tile(sum, stages + stage * STAGE_QUADS, rows, quads, mine);

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
  const uint4 sum = consume(stages, rows_of, full, empty, quads);
  add_to_sums(sums, first_quad, quads, parts, sum, CONSUMERS);
}

extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  const ring ring = {STAGES, STAGE_BYTES, CONSUMERS, THREADS};
  return launch_column_sums(column_sums, ring, sums, matrix, rows, columns, stream);
}
