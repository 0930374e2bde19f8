// attack: 4-store-commit-groups
// tries: no ring: one stage, and a group of its last 16 bytes, which stays pending
// expect: exit 1
// expect: says tiles have to be loaded while stores of others are under way
// expect: says bytes loaded while stores were under way: 0 seen
#include "lab9.h"
#include "tma-interface.cuh"
constexpr uint32_t TILE = 3072, THREADS = 256;
__global__ void one_stage(float *out, const float *in, size_t count, float a, float b) {
  __shared__ alignas(16) float tile[TILE];
  __shared__ alignas(16) float crumbs[2][4];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
  }
  __syncthreads();
  uint32_t turn = 0;
  for (size_t first = blockIdx.x * size_t(TILE); first < count; first += gridDim.x * size_t(TILE), turn++) {
    const uint32_t length = uint32_t(count - first < TILE ? count - first : TILE);
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&loaded, 4 * length);
      cp_async_bulk_global_to_shared(tile, in + first, 4 * length, &loaded);
    }
    wait(&loaded, turn & 1);
    for (uint32_t i = threadIdx.x; i < length; i += THREADS)
      tile[i] = a * tile[i] + b;
    if (threadIdx.x == 0) tma_wait_until_read_pending<1>();
    __syncthreads();
    if (threadIdx.x < 4) crumbs[turn % 2][threadIdx.x] = tile[length - 4 + threadIdx.x];
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      if (length > 4) cp_async_bulk_shared_to_global(out + first, tile, 4 * (length - 4));
      tma_commit_group();
      cp_async_bulk_shared_to_global(out + first + length - 4, crumbs[turn % 2], 16);
      tma_commit_group();
      tma_wait_until_read_pending<1>();
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) tma_wait_until_pending<0>();
}
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  const size_t tiles = (count + TILE - 1) / TILE;
  one_stage<<<uint32_t(tiles < 132 ? tiles : 132), THREADS, 0, stream>>>(out, in, count, a, b);
  return cudaGetLastError();
}
