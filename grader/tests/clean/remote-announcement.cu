// One block announces the bytes on both blocks' barriers by remote arrivals, and loads for both.
#include "corpus.h"
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const uint32_t rank = cluster_block_rank();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  ptx::barrier_cluster_arrive(ptx::sem_relaxed);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
  // block 0 loads for both, and announces the bytes on both blocks' barriers
  if (rank == 0 && threadIdx.x < 2) {
    uint32_t remote = map_to_block(&bar, threadIdx.x);
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(remote),
                 "r"(uint32_t{sizeof tile})
                 : "memory");
  }
  if (rank == 0) __syncwarp();
  if (rank == 0 && threadIdx.x == 0)
    cp_async_bulk_global_to_shared_multicast(tile, in + blockIdx.x / 2 * CORPUS_TILE, sizeof tile, &bar, 3);
  wait_cluster(&bar, 0);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[blockIdx.x * CORPUS_TILE + i] = tile[i] + static_cast<int>(rank);
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

int main() {
  return corpus_check(
      4 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return in[i / (2 * CORPUS_TILE) * CORPUS_TILE + i % CORPUS_TILE] +
               static_cast<int>(i / CORPUS_TILE % 2);
      });
}
