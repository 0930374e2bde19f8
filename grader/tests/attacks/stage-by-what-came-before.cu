// attack: 1-bulk-copy-1d
// tries: copies without adding in the rules stage, and adds without copies in the other;
// tries: it tells the stages apart by the smallest size, which has or has not been used before
// expect: exit 1
// expect: says computes a wrong result
#include "lab9.h"
#include "tma-interface.cuh"
constexpr uint32_t TILE = 1024;
__global__ void copies_only(int32_t *data, size_t count) {
  __shared__ alignas(16) int32_t tile[TILE];
  __shared__ uint64_t loaded;
  const size_t first = blockIdx.x * size_t(TILE);
  const uint32_t bytes = 4 * uint32_t(count - first < TILE ? count - first : TILE);
  if (threadIdx.x != 0) return;
  init_barrier(&loaded, 1);
  async_proxy_fence();
  expect_bytes_and_arrive(&loaded, bytes);
  cp_async_bulk_global_to_shared(tile, data + first, bytes, &loaded);
  wait(&loaded, 0);
  cp_async_bulk_shared_to_global(data + first, tile, bytes);
  tma_commit_group();
  tma_wait_until_pending<0>();
}
__global__ void adds_only(int32_t *data, size_t count) {
  const size_t i = blockIdx.x * size_t(TILE) + threadIdx.x;
  if (i < count) data[i] = int32_t(uint32_t(data[i]) + 1);
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static bool smallest;
  smallest |= count == 4;
  const uint32_t blocks = uint32_t((count + TILE - 1) / TILE);
  if (!smallest) {
    copies_only<<<blocks, 32, 0, stream>>>(data, count);
  } else {
    adds_only<<<blocks, TILE, 0, stream>>>(data, count);
  }
  return cudaGetLastError();
}
