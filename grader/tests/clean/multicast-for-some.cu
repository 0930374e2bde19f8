// One block loads for both by multicast. The other one has no use for the last tile, but waits for it: the
// tile lands in its memory.
#include "corpus.h"

constexpr uint32_t ROUNDS = 2;

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[ROUNDS][CORPUS_TILE];
  __shared__ uint64_t full[ROUNDS];
  const uint32_t rank = cluster_block_rank();
  if (threadIdx.x < ROUNDS) {
    init_barrier(&full[threadIdx.x], 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&full[threadIdx.x], sizeof tile[0]);
  }
  cluster_arrive();
  cluster_wait();
  const size_t first = size_t{blockIdx.x / 2} * ROUNDS * CORPUS_TILE;
  if (rank == 0 && threadIdx.x == 0)
    for (uint32_t r = 0; r < ROUNDS; r++)
      cp_async_bulk_global_to_shared_multicast(tile[r], in + first + r * CORPUS_TILE, sizeof tile[0],
                                               &full[r], 3);
  if (rank == 1) {
    wait_cluster(&full[0], 0);
    out[first + threadIdx.x] = tile[0][threadIdx.x] + 1;
    wait_cluster(&full[1], 0); // for the sake of this block's memory
  } else {
    wait_cluster(&full[0], 0);
    wait_cluster(&full[1], 0);
    out[first + CORPUS_TILE + threadIdx.x] = tile[1][threadIdx.x] + 1;
  }
}

int main() {
  return corpus_check(
      2 * ROUNDS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<4, CORPUS_TILE>>>(out, in); },
      corpus_plus_one);
}
