// One block of the cluster produces for both: consumers of the other block release stages by remote arrivals
// on its barrier.
#include "corpus.h"

constexpr uint32_t TILES = 6, STAGES = 2;

__global__ __cluster_dims__(2) void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t rank = cluster_block_rank();
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], 2 * 64);
    }
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  const size_t first = size_t{blockIdx.x / 2} * TILES * CORPUS_TILE;
  for (uint32_t t = 0; t < TILES; t++) {
    const uint32_t s = t % STAGES, parity = t / STAGES & 1;
    if (threadIdx.x == 0) expect_bytes_and_arrive(&full[s], sizeof stages[s]);
    if (rank == 0 && threadIdx.x == 0) {
      wait_cluster(&empty[s], parity ^ 1);
      cp_async_bulk_global_to_shared_multicast(stages[s], in + first + t * CORPUS_TILE, sizeof stages[s],
                                               &full[s], 3);
    }
    wait_cluster(&full[s], parity);
    for (uint32_t i = rank * 128 + threadIdx.x; i < rank * 128 + 128; i += 64)
      out[first + t * CORPUS_TILE + i] = stages[s][i] + 1;
    arrive_remote(map_to_block(&empty[s], 0));
  }
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); }, corpus_plus_one);
}
