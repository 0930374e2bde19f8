// One warp of each block of a pair works on a stage. The first block's loads the next tile for both, by
// multicast, when the other warp has arrived; its own reads, of its stage and of the peer's, it has fenced.
#include "corpus.h"
#include <cooperative_groups.h>

constexpr uint32_t TILES = 4, TILE = 64;

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ alignas(128) int stage[TILE];
  __shared__ uint64_t full, empty;
  const uint32_t rank = cluster_block_rank(), lane = threadIdx.x;
  const int *peers = cooperative_groups::this_cluster().map_shared_rank(stage, rank ^ 1);
  const size_t first = size_t{blockIdx.x / 2} * TILES * TILE;
  if (lane == 0) {
    init_barrier(&full, 1);
    init_barrier(&empty, 1);
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  for (uint32_t t = 0; t < TILES; t++) {
    if (lane == 0) expect_bytes_and_arrive(&full, sizeof stage);
    if (lane == 0 && rank == 0) {
      if (t > 0) wait_cluster(&empty, (t - 1) & 1);
      cp_async_bulk_global_to_shared_multicast(stage, in + first + t * TILE, sizeof stage, &full, 3);
    }
    __syncwarp();
    wait_cluster(&full, t & 1);
    if (rank == 0) {
      const int own = stage[lane];
      int other = 0;
      if (t == TILES - 1) {
        cluster_arrive();
        cluster_wait(); // the peer's tile is complete, too
        other = peers[lane + 32];
      }
      out[first + t * TILE + lane] = own + 1;
      if (t == TILES - 1 && other != stage[lane + 32]) out[first] = -1;
      async_proxy_fence(); // the reads, before the next load
    } else {
      out[first + t * TILE + 32 + lane] = stage[lane + 32] + 1;
      if (t == TILES - 1) {
        cluster_arrive();
        cluster_wait();
      }
      __syncwarp();
      if (lane == 0 && t + 1 < TILES) arrive_remote(map_to_block(&empty, 0));
    }
    __syncwarp();
  }
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      2 * TILES * TILE, [](int *out, const int *in) { kernel<<<4, 32>>>(out, in); }, corpus_plus_one);
}
