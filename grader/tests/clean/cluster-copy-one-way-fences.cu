// Each block copies its tile into its neighbour's shared memory. The writers' fence and the issuer's fence
// are the two halves of one order, from ordinary writes to copies.
#include "corpus.h"

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ alignas(16) int mine[64], theirs[64];
  __shared__ uint64_t bar;
  const uint32_t other = cluster_block_rank() ^ 1;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&bar, sizeof theirs);
  }
  mine[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] + 1;
  async_proxy_fence_release_cluster();
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0) {
    async_proxy_fence_acquire_cluster();
    cp_async_bulk_shared_to_remote(map_to_block(theirs, other), mine, sizeof mine, map_to_block(&bar, other));
  }
  wait_cluster(&bar, 0);
  out[(blockIdx.x ^ 1) * 64 + threadIdx.x] = theirs[threadIdx.x];
  cluster_arrive();
  cluster_wait(); // nobody leaves while its memory is still read or written
}

int main() {
  return corpus_check(
      4 * 64, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); }, corpus_plus_one);
}
