// One block of the cluster loads for all blocks: it waits until every block has released its stage to the
// leader, announces the bytes on every block's barrier by a remote arrival, and multicasts.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr uint32_t STAGES = 2, TILES = 6;

__global__ void __cluster_dims__(4) kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t rank = cluster_block_rank();
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], 4 * 2);
    }
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  const size_t first = size_t{blockIdx.x / 4} * TILES * CORPUS_TILE;
  if (threadIdx.x >= 64) {
    if (rank == 0)
      for (uint32_t t = 0; t < TILES; t++) {
        const uint32_t s = t % STAGES, lane = threadIdx.x % 32;
        if (lane < 4) {
          wait_cluster(&empty[s], (t / STAGES & 1) ^ 1);
          asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
                           map_to_block(&full[s], lane)),
                       "r"(uint32_t{sizeof stages[0]})
                       : "memory");
        }
        __syncwarp();
        if (lane == 0)
          cp_async_bulk_global_to_shared_multicast(stages[s], in + first + t * CORPUS_TILE, sizeof stages[0],
                                                   &full[s], 15);
        __syncwarp();
      }
  } else {
    for (uint32_t t = 0; t < TILES; t++) {
      const uint32_t s = t % STAGES;
      wait_cluster(&full[s], t / STAGES & 1);
      out[first + t * CORPUS_TILE + rank * 64 + threadIdx.x] = stages[s][rank * 64 + threadIdx.x] + 1;
      __syncwarp();
      if (elect_one()) arrive_remote(map_to_block(&empty[s], 0));
    }
  }
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<8, 96>>>(out, in); }, corpus_plus_one);
}
