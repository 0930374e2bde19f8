// submission: 1-bulk-copy-1d
// expect: exit 0
// expect: says The exercise passes
// Each warp asks a counter for its next tile, and most of them in vain: what they ask costs more bytes than
// some cases have. Each warp has its own tile, barrier and groups.
#include "lab9.h"
#include "tma-interface.cuh"

constexpr uint32_t THREADS = 256, TILE = 256;

__device__ size_t next_tile;

__global__ void start_again() {
  next_tile = 0;
}

__device__ static size_t ask() {
  return atomicAdd(reinterpret_cast<unsigned long long *>(&next_tile), 1ull);
}

__global__ void __launch_bounds__(THREADS) add_one(uint32_t *data, size_t count) {
  __shared__ alignas(128) uint32_t tiles[THREADS / 32][TILE];
  __shared__ uint64_t bars[THREADS / 32];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  uint32_t *tile = tiles[warp];
  if (lane == 0) init_barrier(&bars[warp], 1);
  __syncwarp();
  for (uint32_t parity = 0;; parity ^= 1) {
    const size_t first = __shfl_sync(~0u, lane == 0 ? ask() : 0, 0) * TILE;
    if (first >= count) break;
    const uint32_t length = static_cast<uint32_t>(min(size_t{TILE}, count - first));
    if (lane == 0) {
      tma_wait_until_read_pending<0>();
      expect_bytes_and_arrive(&bars[warp], length * sizeof *tile);
      cp_async_bulk_global_to_shared(tile, data + first, length * sizeof *tile, &bars[warp]);
    }
    wait(&bars[warp], parity);
    for (uint32_t i = lane; i < length; i += 32)
      tile[i]++;
    async_proxy_fence();
    __syncwarp();
    if (lane == 0) {
      cp_async_bulk_shared_to_global(data + first, tile, length * sizeof *tile);
      tma_commit_group();
    }
    __syncwarp();
  }
  if (lane == 0) tma_wait_until_read_pending<0>();
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  start_again<<<1, 1, 0, stream>>>();
  const uint32_t blocks = count < 10000 ? 8 : 700;
  add_one<<<blocks, THREADS, 0, stream>>>(reinterpret_cast<uint32_t *>(data), count);
  return cudaGetLastError();
}
