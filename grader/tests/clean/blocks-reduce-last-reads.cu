// All blocks add their tiles up in global memory by reducing stores, and store them side by side as well. The
// block with the last ticket reads both: each block waits for its copies in full before its ticket.
#include "corpus.h"
#include "tma-reduce.cuh"

constexpr uint32_t BLOCKS = 5;
__device__ alignas(128) int sums[CORPUS_TILE], tiles[BLOCKS][CORPUS_TILE];
__device__ unsigned int tickets;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ bool last;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] = in[blockIdx.x * CORPUS_TILE + i];
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_reduce_async_bulk_shared_to_global_add(sums, tile, sizeof tile);
    tma_commit_group();
    cp_async_bulk_shared_to_global(tiles[blockIdx.x], tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_pending<0>();
    async_proxy_fence_all();
    __threadfence();
    last = atomicAdd(&tickets, 1) == gridDim.x - 1;
    tma_wait_until_pending<0>();
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  async_proxy_fence_all();
  for (uint32_t b = 0; b < BLOCKS; b++)
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[b * CORPUS_TILE + i] = sums[i] + tiles[b][i];
}

int main() {
  return corpus_check(
      BLOCKS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<BLOCKS, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = in[i];
        for (size_t b = 0; b < BLOCKS; b++)
          sum += in[b * CORPUS_TILE + i % CORPUS_TILE];
        return sum;
      });
}
