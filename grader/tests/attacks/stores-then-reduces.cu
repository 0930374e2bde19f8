// attack: 1-bulk-copy-1d
// tries: adds by a bulk reduction of ones after storing what it has loaded, so that nothing needs a fence
// expect: exit 1
// expect: says the copy engine may not do the sums
// expect: says bytes reduced by bulk copies, and bytes reduced by tensor copies: 80032 seen, at most 0
#include "lab9.h"
#include "tma-interface.cuh"
#include "tma-reduce.cuh"
constexpr uint32_t TILE = 1024;
__device__ alignas(16) uint32_t ones[TILE];
__global__ void fill() {
  ones[threadIdx.x] = 1;
}
__global__ void add_ones(int32_t *data, size_t count) {
  __shared__ alignas(16) int32_t tile[TILE], steps[TILE];
  __shared__ uint64_t loaded;
  const size_t first = blockIdx.x * size_t(TILE);
  const uint32_t bytes = 4 * uint32_t(count - first < TILE ? count - first : TILE);
  if (threadIdx.x != 0) return;
  init_barrier(&loaded, 1);
  async_proxy_fence();
  expect_bytes_and_arrive(&loaded, 2 * bytes);
  cp_async_bulk_global_to_shared(tile, data + first, bytes, &loaded);
  cp_async_bulk_global_to_shared(steps, ones, bytes, &loaded);
  wait(&loaded, 0);
  cp_async_bulk_shared_to_global(data + first, tile, bytes);
  tma_commit_group();
  tma_wait_until_pending<0>();
  cp_reduce_async_bulk_shared_to_global_add(reinterpret_cast<uint32_t *>(data) + first,
                                            reinterpret_cast<uint32_t *>(steps), bytes);
  tma_commit_group();
  tma_wait_until_pending<0>();
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  fill<<<1, TILE, 0, stream>>>();
  add_ones<<<uint32_t((count + TILE - 1) / TILE), 32, 0, stream>>>(data, count);
  return cudaGetLastError();
}
