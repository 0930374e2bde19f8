// Bulk copies and ordinary stores of two blocks to the same bytes, in turn: flags lead from the one to the
// other and back. Where nothing does, both leave the same values.
#include "corpus.h"
#include "tma-reduce.cuh"

__device__ unsigned turns[2];

__device__ static void tell(unsigned *flag) {
  async_proxy_fence_all();
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(flag, 1);
}

__device__ static void wait_for(unsigned *flag) {
  while (threadIdx.x == 0 && atomicAdd(flag, 0) == 0)
    __nanosleep(100);
  __threadfence();
  __syncthreads();
  async_proxy_fence_all();
}

__device__ static void write(int *out, const int *in, int more) {
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[i] = in[i] + more;
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tiles[3][CORPUS_TILE];
  if (blockIdx.x == 1) {
    write(&tiles[0][0], in, 5);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      tiles[1][i] = 5;
    write(&tiles[2][0], in + 2 * CORPUS_TILE, 1);
    async_proxy_fence();
    __syncthreads();
    wait_for(&turns[0]);
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out, tiles[0], sizeof tiles[0]);
      cp_reduce_async_bulk_shared_to_global_add(out + CORPUS_TILE, tiles[1], sizeof tiles[1]);
      cp_async_bulk_shared_to_global(out + 2 * CORPUS_TILE, tiles[2], sizeof tiles[2]);
      tma_commit_group();
      tma_wait_until_pending<0>();
    }
    tell(&turns[1]);
  } else {
    write(out, in, -4);
    write(out + CORPUS_TILE, in + CORPUS_TILE, -4);
    write(out + 2 * CORPUS_TILE, in + 2 * CORPUS_TILE, 1);
    tell(&turns[0]);
    write(out + 2 * CORPUS_TILE, in + 2 * CORPUS_TILE, 1); // whatever the other block does
    wait_for(&turns[1]);
    write(out, in, 1);
  }
}

int main() {
  return corpus_check(
      3 * CORPUS_TILE,
      [](int *out, const int *in) {
        const unsigned none[2] = {0, 0};
        CUDA_CHECK(cudaMemcpyToSymbol(turns, none, sizeof none));
        kernel<<<2, 64>>>(out, in);
      },
      corpus_plus_one);
}
