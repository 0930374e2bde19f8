// The next kernel reads what one kernel stores by bulk copies, and a memset comes before both. Kernel
// boundaries order everything.
#include "corpus.h"

__global__ void first_kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] = in[first + i] + 1;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out + first, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

__global__ void second_kernel(int *out) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, out + first, sizeof tile, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = tile[i] * 2;
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE,
      [](int *out, const int *in) {
        first_kernel<<<2, 64>>>(out, in);
        second_kernel<<<2, 64>>>(out);
      },
      [](const std::vector<int> &in, size_t i) { return (in[i] + 1) * 2; });
}
