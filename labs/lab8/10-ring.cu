// In: numbers. Out: each tile of 128 of them, turned round. Each block turns four tiles.
// The idea: with two stages, the next tile is on its way while this one is worked on.
#include "lab8.h"
#include "tma-interface.cuh"

constexpr uint32_t TILE = 128; // numbers, and threads of a block
constexpr uint32_t TILES = 4;  // of a block
constexpr uint32_t STAGES = 2; // of the ring

// One thread: starts the load of a tile into a stage, and announces it to the stage's barrier.
__device__ static void load(uint32_t *stage, const uint32_t *tile, uint64_t *full) {
  expect_bytes_and_arrive(full, TILE * sizeof *tile);
  cp_async_bulk_global_to_shared(stage, tile, TILE * sizeof *tile, full);
}

__global__ void __launch_bounds__(TILE) turn_round(uint32_t *out, const uint32_t *in) {
  __shared__ alignas(16) uint32_t ring[STAGES][TILE];
  __shared__ uint64_t full[STAGES]; // full[k]: the tile in ring[k] has landed

  const uint32_t first = blockIdx.x * TILES * TILE, me = threadIdx.x;
  if (me == 0) {
    for (uint32_t stage = 0; stage < STAGES; stage++) {
      init_barrier(&full[stage], 1);
      load(ring[stage], in + first + stage * TILE, &full[stage]);
    }
  }
  __syncthreads();

  for (uint32_t turn = 0; turn < TILES; turn++) {
    // TODO(1): which stage holds the tile of this turn, and which parity has its phase? (2 lines instead of
    // these)
    const uint32_t stage = 0;
    const uint32_t parity = 0;
    wait(&full[stage], parity);
    out[first + turn * TILE + me] = ring[stage][TILE - 1 - me];
    __syncthreads(); // all have read the stage, so it may be filled again
    if (me == 0 && turn + STAGES < TILES)
      load(ring[stage], in + first + (turn + STAGES) * TILE, &full[stage]);
  }
}

extern "C" cudaError_t launch_ring(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream) {
  turn_round<<<static_cast<uint32_t>(count / (TILES * TILE)), TILE, 0, stream>>>(out, in);
  return cudaGetLastError();
}
