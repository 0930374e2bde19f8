// In: an array of floats and two numbers. Out: another array, a * in[i] + b.
// The idea: tiles stream through a ring of stages. Each tile is loaded, changed in place and stored. A stage
// can take its next tile as soon as its store has *read* it, long before that store has written. So several
// stores are in flight at any time.
#include "lab9.h"
#include "tma-cache.cuh"
#include "tma-interface.cuh"

constexpr uint32_t THREADS = 128;
constexpr uint32_t STAGES = 3;
constexpr uint32_t UNREAD = 1; // so many of the newest stores may still be reading while we go on
constexpr uint32_t TILE_QUADS = 7 * THREADS; // a quad is a float4, 16 bytes: the unit of a bulk copy
// Two blocks have 84 KiB of stages on each processor. More stages make the kernel slower: the memory changes
// between reading and writing more often.
constexpr uint32_t BLOCKS_PER_PROCESSOR = 2;
constexpr uint32_t NO_TILE = UINT32_MAX;

// Which tile comes next. Blocks ask this counter instead of taking every n-th tile. So a slow block takes
// fewer tiles, and at any moment all blocks work close to each other. 0 before and after each launch (one
// launch at a time).
__device__ uint32_t next_tile;

__global__ void __launch_bounds__(THREADS) scale(float4 *out, const float4 *in, size_t quads,
                                                 uint32_t tile_quads, uint32_t tiles, float a, float b) {
  __shared__ alignas(128) float4 stages[STAGES][TILE_QUADS];
  __shared__ uint64_t full[STAGES];
  __shared__ uint32_t tile_of[STAGES]; // which tile is in the stage

  const auto first_quad = [&](uint32_t tile) { return static_cast<size_t>(tile) * tile_quads; };
  const auto quads_in = [&](uint32_t tile) {
    return static_cast<uint32_t>(min(static_cast<size_t>(tile_quads), quads - first_quad(tile)));
  };

  // One thread. Asks for the next tile and starts its load into the stage. If there is none, the stage gets
  // NO_TILE.
  bool more = true;
  const auto load = [&](uint32_t stage) {
    if (!more) return;
    // Blocks ask once for each tile, and each block asks once more in vain. The last question sets the
    // counter to 0.
    const uint32_t tile = atomicInc(&next_tile, tiles + gridDim.x - 1);
    more = tile < tiles;
    // A thread that waits for the phase sees it, like everything written before an arrival.
    tile_of[stage] = more ? tile : NO_TILE;
    if (more) {
      expect_bytes_and_arrive(&full[stage], quads_in(tile) * sizeof(float4));
      // The hint to the L2 cache makes it 0.6 % faster on an H100, 1.8 % on an H200.
      cp_async_bulk_global_to_shared_hint(stages[stage], in + first_quad(tile),
                                          quads_in(tile) * sizeof(float4), &full[stage],
                                          create_policy_evict_last());
    } else {
      arrive(&full[stage]);
    }
  };

  if (threadIdx.x == 0) {
    for (uint32_t stage = 0; stage < STAGES; stage++)
      init_barrier(&full[stage], 1);
    async_proxy_fence();
    // TODO(1): fill the ring: start the first load into each stage. (1 line)
  }
  __syncthreads();

  for (uint32_t n = 0;; n++) { // this block's n-th tile
    const uint32_t stage = n % STAGES;

    // TODO(2): wait until the stage is full. In each round its barrier is one phase further. (1 line)

    const uint32_t tile = tile_of[stage];
    if (tile == NO_TILE) break;
    for (uint32_t i = threadIdx.x; i < quads_in(tile); i += THREADS) {
      const float4 v = stages[stage][i];
      stages[stage][i] = make_float4(a * v.x + b, a * v.y + b, a * v.z + b, a * v.w + b);
    }

    // TODO(3): hand the stage to the copy engine: what must every writer do, and then all together? (2 lines)

    if (threadIdx.x == 0) {
      // TODO(4): store the stage to its place in out, as a group of its own. (2 lines)

      // TODO(5): let at most UNREAD stores go on reading. The store of tile n - UNREAD has then read its
      // stage, and the stage can take another tile. (4 lines)
    }
  }

  // TODO(6): the block's shared memory must outlive the last reads. Whose groups are they? (1 line)
}

extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  if (count == 0 || count % 4 != 0) return cudaErrorInvalidValue;
  int device, processors;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;

  // A short array gets short tiles, and every block gets tiles for at least two rounds. Else no stage would
  // be reused.
  const size_t quads = count / 4;
  const size_t even_share = quads / (2 * STAGES) > 0 ? quads / (2 * STAGES) : 1;
  const uint32_t tile_quads = static_cast<uint32_t>(even_share < TILE_QUADS ? even_share : TILE_QUADS);
  const size_t tiles = (quads + tile_quads - 1) / tile_quads;
  size_t blocks = static_cast<size_t>(processors) * BLOCKS_PER_PROCESSOR;
  if (blocks > tiles / (2 * STAGES)) blocks = tiles / (2 * STAGES) > 0 ? tiles / (2 * STAGES) : 1;

  if (tiles > INT32_MAX) return cudaErrorInvalidValue;
  scale<<<static_cast<uint32_t>(blocks), THREADS, 0, stream>>>(
      reinterpret_cast<float4 *>(out), reinterpret_cast<const float4 *>(in), quads, tile_quads,
      static_cast<uint32_t>(tiles), a, b);
  return cudaGetLastError();
}
