// In: an array of floats and two numbers. Out: another array, a * in[i] + b.
// The idea: tiles stream through a ring of stages, each loaded, changed in place and stored. A stage can take its next tile
// as soon as its store has *read* it, long before that store has written; so several stores are under way at any time.
#include "lab9.h"
#include "tma-interface.cuh"

constexpr uint32_t THREADS = 256;
constexpr uint32_t STAGES = 6;
constexpr uint32_t UNREAD = 2; // so many of the newest stores may still be reading while we go on
constexpr uint32_t TILE_QUADS = 1024;
constexpr uint32_t TILE_BYTES = TILE_QUADS * sizeof(float4); // 16 KiB
constexpr uint32_t BLOCKS_PER_PROCESSOR = 2;

// This block's n-th tile, out of every gridDim.x-th: where it starts and how long it is, in quads (float4, 16 bytes).
struct tile {
  size_t first;
  uint32_t quads;
};

__device__ static tile nth_tile(size_t n, size_t quads, uint32_t tile_quads) {
  const size_t first = (blockIdx.x + n * gridDim.x) * tile_quads;
  if (first >= quads) return {first, 0}; // no such tile
  return {first, static_cast<uint32_t>(min(static_cast<size_t>(tile_quads), quads - first))};
}

__global__ void __launch_bounds__(THREADS)
    scale(float4 *out, const float4 *in, size_t quads, uint32_t tile_quads, float a, float b) {
  extern __shared__ __align__(128) float4 stages[];
  __shared__ uint64_t full[STAGES];

  // One thread. Starts the load of the n-th tile into its stage, if there is such a tile.
  const auto load = [&](size_t n) {
    const tile next = nth_tile(n, quads, tile_quads);
    const uint32_t stage = n % STAGES;
    if (next.quads == 0) return;
    expect_bytes_and_arrive(&full[stage], next.quads * sizeof(float4));
    cp_async_bulk_global_to_shared(stages + stage * TILE_QUADS, in + next.first, next.quads * sizeof(float4),
                                   &full[stage]);
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

  for (size_t n = 0;; n++) {
    const tile current = nth_tile(n, quads, tile_quads);
    if (current.quads == 0) break;
    float4 *stage = stages + n % STAGES * TILE_QUADS;

    // TODO(2): wait until the stage is full. Each time round the ring its barrier is one phase further. (1 line)
    // BEGIN SOLUTION
    wait(&full[n % STAGES], n / STAGES & 1);
    // END SOLUTION

    for (uint32_t i = threadIdx.x; i < current.quads; i += THREADS) {
      const float4 v = stage[i];
      stage[i] = make_float4(a * v.x + b, a * v.y + b, a * v.z + b, a * v.w + b);
    }

    // TODO(3): hand the stage to the copy engine: what must every writer do, and then all together? (2 lines)
    // BEGIN SOLUTION
    async_proxy_fence();
    __syncthreads();
    // END SOLUTION

    if (threadIdx.x == 0) {
      // TODO(4): store the stage to its place in out, as a group of its own. (2 lines)
      // BEGIN SOLUTION
      cp_async_bulk_shared_to_global(out + current.first, stage, current.quads * sizeof(float4));
      tma_commit_group();
      // END SOLUTION

      // TODO(5): let at most UNREAD stores go on reading; the store of tile n - UNREAD has then read its stage, which can
      // take the tile that comes STAGES tiles after that one. (4 lines)
      // BEGIN SOLUTION
      if (n >= UNREAD) {
        tma_wait_until_read_pending<UNREAD>();
        load(n - UNREAD + STAGES);
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
  if (count == 0 || count % 4 != 0) return cudaErrorInvalidValue;
  int device, processors;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * TILE_BYTES);
  if (error != cudaSuccess) return error;

  // A short array gets short tiles, and every block at least twice the ring: else nothing would be used twice.
  const size_t quads = count / 4;
  const size_t even_share = quads / (2 * STAGES) > 0 ? quads / (2 * STAGES) : 1;
  const uint32_t tile_quads = static_cast<uint32_t>(even_share < TILE_QUADS ? even_share : TILE_QUADS);
  const size_t tiles = (quads + tile_quads - 1) / tile_quads;
  size_t blocks = static_cast<size_t>(processors) * BLOCKS_PER_PROCESSOR;
  if (blocks > tiles / (2 * STAGES)) blocks = tiles / (2 * STAGES) > 0 ? tiles / (2 * STAGES) : 1;

  scale<<<static_cast<uint32_t>(blocks), THREADS, STAGES * TILE_BYTES, stream>>>(
      reinterpret_cast<float4 *>(out), reinterpret_cast<const float4 *>(in), quads, tile_quads, a, b);
  return cudaGetLastError();
}
