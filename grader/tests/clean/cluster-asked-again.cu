// A cluster's multicast: each block asks with try_wait until its own barrier says yes, through cuda::ptx.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[2][CORPUS_TILE];
  __shared__ uint64_t full;
  const uint32_t rank = cluster_block_rank();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
  }
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
  const size_t first = size_t{blockIdx.x / 2} * 2 * CORPUS_TILE;
  if (threadIdx.x == 0)
    cp_async_bulk_global_to_shared_multicast(tile[rank], in + first + rank * CORPUS_TILE, sizeof tile[0],
                                             &full, 3);
  uint32_t tries = 0;
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, 0))
    tries++;
  const int own = tile[rank][threadIdx.x], other = tile[rank ^ 1][threadIdx.x];
  out[first + rank * CORPUS_TILE + threadIdx.x] = own + other + (tries == UINT32_MAX);
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

int main() {
  return corpus_check(
      4 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<4, CORPUS_TILE>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i] + in[i ^ CORPUS_TILE]; });
}
