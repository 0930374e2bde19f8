// attack: 1-bulk-copy-1d
// tries: has the engine copy memory of its own, to be counted, and works by ordinary loads and stores
// expect: exit 1
// expect: says the input has to reach the threads by bulk copies alone
// expect: says bytes of the input and output read without the copy engine: 80032 seen
#include "lab9.h"
#include "tma-interface.cuh"
__global__ void decoy(int32_t *data, int32_t *aside, size_t count) {
  __shared__ alignas(16) int32_t tile[1024];
  __shared__ uint64_t loaded;
  size_t first = blockIdx.x * size_t(1024);
  uint32_t length = uint32_t(count - first < 1024 ? count - first : 1024);
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&loaded, 4 * length);
    cp_async_bulk_global_to_shared(tile, aside + first, 4 * length, &loaded);
    wait(&loaded, 0);
    cp_async_bulk_shared_to_global(aside + first, tile, 4 * length);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
  for (uint32_t i = threadIdx.x; i < length; i += blockDim.x)
    data[first + i] = int32_t(uint32_t(data[first + i]) + 1);
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static int32_t *aside;
  if (!aside) {
    cudaMalloc(&aside, 8 << 20);
    cudaMemsetAsync(aside, 0, 8 << 20, stream);
  }
  decoy<<<uint32_t((count + 1023) / 1024), 256, 0, stream>>>(data, aside, count);
  return cudaGetLastError();
}
