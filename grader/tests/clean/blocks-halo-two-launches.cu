// Each block loads its own tile and the next block's, and stores the sum over its own; the launches alternate
// between two arrays, so nobody reads what another block writes.
#include "corpus.h"

constexpr uint32_t BLOCKS = 4;

__global__ void kernel(int *to, const int *from) {
  __shared__ alignas(128) int tile[2][CORPUS_TILE];
  __shared__ uint64_t loaded;
  const uint32_t next = (blockIdx.x + 1) % BLOCKS;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&loaded, sizeof tile);
    cp_async_bulk_global_to_shared(tile[0], from + blockIdx.x * CORPUS_TILE, sizeof tile[0], &loaded);
    cp_async_bulk_global_to_shared(tile[1], from + next * CORPUS_TILE, sizeof tile[1], &loaded);
  }
  __syncthreads();
  wait(&loaded, 0);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[0][i] += tile[1][i];
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(to + blockIdx.x * CORPUS_TILE, tile[0], sizeof tile[0]);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
}

static void launch(int *out, const int *in) {
  int *middle;
  CUDA_CHECK(cudaMalloc(&middle, BLOCKS * CORPUS_TILE * sizeof *middle));
  kernel<<<BLOCKS, 64>>>(middle, in);
  kernel<<<BLOCKS, 64>>>(out, middle);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(middle));
}

int main() {
  return corpus_check(BLOCKS * CORPUS_TILE, launch, [](const std::vector<int> &in, size_t i) {
    const size_t count = BLOCKS * CORPUS_TILE;
    return in[i] + 2 * in[(i + CORPUS_TILE) % count] + in[(i + 2 * CORPUS_TILE) % count];
  });
}
