// submission: 1-bulk-copy-1d
// expect: exit 0
// An honest solution: the arguments, and the answers of the queue, lie in global memory, where all threads
// read them. This is no detour of the data.
#include "lab9.h"
#include "tma-interface.cuh"
struct job {
  int *data;
  size_t count;
  size_t tile;
  size_t tiles;
};
__device__ job the_job;
__device__ unsigned queue;
__device__ unsigned mine[1024];
__global__ void k() {
  __shared__ alignas(16) int tile[1024];
  __shared__ uint64_t bar;
  unsigned round = 0;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
  }
  for (;;) {
    if (threadIdx.x == 0) mine[blockIdx.x] = atomicAdd(&queue, 1);
    __syncthreads();
    unsigned t = mine[blockIdx.x];
    job j = the_job;
    if (t >= j.tiles) break;
    unsigned n = (unsigned)min(j.tile, j.count - t * j.tile);
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&bar, n * 4);
      cp_async_bulk_global_to_shared(tile, j.data + t * j.tile, n * 4, &bar);
    }
    wait(&bar, round & 1);
    round++;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
      tile[i] = (int)((unsigned)tile[i] + 1);
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.data + t * j.tile, tile, n * 4);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
    }
  }
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  job j{data, count, 1024, (count + 1023) / 1024};
  unsigned zero = 0;
  cudaMemcpyToSymbolAsync(the_job, &j, sizeof j, 0, cudaMemcpyHostToDevice, stream);
  cudaMemcpyToSymbolAsync(queue, &zero, 4, 0, cudaMemcpyHostToDevice, stream);
  k<<<(unsigned)(j.tiles < 132 ? j.tiles : 132), 256, 0, stream>>>();
  return cudaGetLastError();
}
