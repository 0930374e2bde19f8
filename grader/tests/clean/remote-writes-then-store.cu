// Each block writes half of its neighbour's tile by ordinary remote stores, fences, and synchronises with it.
// The neighbour stores the tile, and exits only when no block needs its memory.
#include "corpus.h"
#include <cooperative_groups.h>

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[128];
  const auto cluster = cooperative_groups::this_cluster();
  const uint32_t rank = cluster.block_rank();
  int *const theirs = cluster.map_shared_rank(tile, rank ^ 1);
  cluster.sync(); // the neighbour has begun
  const int value = in[blockIdx.x * 128 + threadIdx.x], other = in[blockIdx.x * 128 + 64 + threadIdx.x];
  tile[threadIdx.x] = value + 1;
  theirs[64 + threadIdx.x] = other + 1;
  async_proxy_fence();
  cluster.barrier_arrive();
  cluster.barrier_wait();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out + blockIdx.x * 128, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      4 * 128, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return i % 128 < 64 ? in[i] + 1 : in[i ^ 128] + 1; });
}
