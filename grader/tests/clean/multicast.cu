// A cluster of two: each block multicasts its half of the tile to both blocks, and a remote arrival shows
// that both have read it.
#include "corpus.h"

constexpr uint32_t HALF = CORPUS_TILE / 2, ROUNDS = 3;

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[2][HALF];
  __shared__ uint64_t full, empty;
  const uint32_t rank = cluster_block_rank();
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    init_barrier(&empty, 2); // one arrival from each block
    fence_mbarrier_init();
  }
  cluster_arrive_relaxed();
  cluster_wait();
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const size_t first = (size_t{blockIdx.x / 2} * ROUNDS + round) * CORPUS_TILE;
    if (threadIdx.x == 0) {
      wait_cluster(&empty, (round & 1) ^ 1);
      expect_bytes_and_arrive(&full, sizeof tile);
      cp_async_bulk_global_to_shared_multicast(tile[rank], in + first + rank * HALF, sizeof tile[0], &full,
                                               3);
    }
    wait_cluster(&full, round & 1);
    for (uint32_t i = threadIdx.x; i < HALF; i += blockDim.x)
      out[first + rank * HALF + i] = tile[rank][i] + tile[rank ^ 1][i];
    __syncthreads();
    if (threadIdx.x < 2) arrive_remote(map_to_block(&empty, threadIdx.x));
  }
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      2 * ROUNDS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i] + in[i ^ HALF]; });
}
