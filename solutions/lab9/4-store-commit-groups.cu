// In: an array of floats and two numbers. Out: another array, a * in[i] + b.
// The idea: tiles stream through a ring of stages. Each tile is loaded, changed in place and stored. A stage
// can take its next tile as soon as its store has *read* it, long before that store has written. So several
// stores are in flight at any time. What has nothing to do with that is given, in
// store-commit-groups.cuh.
#include "lab9.h"
#include "store-commit-groups.cuh"
#include "tma-interface.cuh"

constexpr uint32_t THREADS = 128;
constexpr uint32_t STAGES = 3;
constexpr uint32_t UNREAD = 1; // so many of the newest stores may still be reading while we go on
constexpr uint32_t TILE_QUADS = 7 * THREADS; // a quad is a float4, 16 bytes: the unit of a bulk copy
// Two blocks have 84 KiB of stages on each processor. More stages make the kernel slower: the memory changes
// between reading and writing more often.
constexpr uint32_t BLOCKS_PER_PROCESSOR = 2;

__global__ void __launch_bounds__(THREADS)
    scale(float4 *out, const float4 *in, tiling array, float a, float b) {
  __shared__ alignas(128) float4 stages[STAGES][TILE_QUADS];
  __shared__ uint64_t full[STAGES];
  __shared__ uint32_t tile_of[STAGES]; // which tile is in the stage

  // One thread. Asks for the next tile and starts its load into the stage. If there is none, the stage gets
  // NO_TILE.
  bool more = true;
  const auto load = [&](uint32_t stage) {
    load_next_tile(more, stage, stages[stage], tile_of, full, in, array);
  };

  if (threadIdx.x == 0) {
    for (uint32_t stage = 0; stage < STAGES; stage++)
      init_barrier(&full[stage], 1);
    async_proxy_fence();
    // TODO(1): fill the ring: start the first load into each stage. (1 line)
    // BEGIN SOLUTION
    for (uint32_t stage = 0; stage < STAGES; stage++)
      load(stage);
    // END SOLUTION
  }
  __syncthreads();

  for (uint32_t n = 0;; n++) { // this block's n-th tile
    const uint32_t stage = n % STAGES;

    // TODO(2): wait until the stage is full. In each round its barrier is one phase further. (1 line)
    // BEGIN SOLUTION
    wait(&full[stage], n / STAGES & 1);
    // END SOLUTION

    const uint32_t tile = tile_of[stage];
    if (tile == NO_TILE) break;
    for (uint32_t i = threadIdx.x; i < array.quads_in(tile); i += THREADS) {
      const float4 v = stages[stage][i];
      stages[stage][i] = make_float4(a * v.x + b, a * v.y + b, a * v.z + b, a * v.w + b);
    }

    // TODO(3): hand the stage to the copy engine: what must every writer do, and then all together? (2 lines)
    // BEGIN SOLUTION
    async_proxy_fence();
    __syncthreads();
    // END SOLUTION

    if (threadIdx.x == 0) {
      // TODO(4): store the stage to its place in out, as a group of its own. (2 lines)
      // BEGIN SOLUTION
      cp_async_bulk_shared_to_global(out + array.first_quad(tile), stages[stage],
                                     array.quads_in(tile) * sizeof(float4));
      tma_commit_group();
      // END SOLUTION

      // TODO(5): let at most UNREAD stores go on reading. The store of tile n - UNREAD has then read its
      // stage, and the stage can take another tile. (4 lines)
      // BEGIN SOLUTION
      if (n >= UNREAD) {
        tma_wait_until_read_pending<UNREAD>();
        load((n - UNREAD) % STAGES);
      }
      // END SOLUTION
    }
  }

  // TODO(6): the block's shared memory must outlive the last reads. Whose groups are they? (1 line)
  // BEGIN SOLUTION
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
  // END SOLUTION
}

extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  const ring ring = {STAGES, TILE_QUADS, THREADS, BLOCKS_PER_PROCESSOR};
  return launch_scale(scale, ring, out, in, count, a, b, stream);
}
