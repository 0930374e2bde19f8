// Two blocks store different values to the same bytes, one after the other: the first waits until its store
// is complete and raises a flag; the second stores when it has seen the flag.
#include "corpus.h"

constexpr uint32_t PAIRS = 3;
__device__ unsigned done[PAIRS];

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  const uint32_t pair = blockIdx.x / 2, turn = blockIdx.x % 2;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] = turn ? in[pair * CORPUS_TILE + i] + 1 : -1;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (turn == 1) {
    while (atomicAdd(&done[pair], 0) == 0)
      __nanosleep(100);
    __threadfence();
    async_proxy_fence_all();
  }
  cp_async_bulk_shared_to_global(out + pair * CORPUS_TILE, tile, sizeof tile);
  tma_commit_group();
  tma_wait_until_pending<0>();
  if (turn == 0) {
    async_proxy_fence_all();
    __threadfence();
    atomicExch(&done[pair], 1);
  }
}

int main() {
  return corpus_check(
      PAIRS * CORPUS_TILE,
      [](int *out, const int *in) {
        const unsigned none[PAIRS] = {};
        CUDA_CHECK(cudaMemcpyToSymbol(done, none, sizeof none));
        kernel<<<2 * PAIRS, 64>>>(out, in);
      },
      corpus_plus_one);
}
