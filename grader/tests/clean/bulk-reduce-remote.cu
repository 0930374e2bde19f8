// Partial sums are added into another block's shared memory by a reducing bulk copy. That block's barrier
// completes when they have landed.
#include "corpus.h"

__global__ __cluster_dims__(2) void kernel(int *out, const int *in) {
  __shared__ alignas(128) int sums[64], mine[64];
  __shared__ uint64_t bar;
  const uint32_t rank = cluster_block_rank();
  sums[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  mine[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] * 2;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&bar, sizeof sums);
  }
  async_proxy_fence();
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0)
    cp_reduce_async_bulk_shared_to_remote_add(map_to_block(sums, rank ^ 1), mine, sizeof mine,
                                              map_to_block(&bar, rank ^ 1));
  wait_cluster(&bar, 0);
  out[blockIdx.x * 64 + threadIdx.x] = sums[threadIdx.x];
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      4 * 64, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i] + 2 * in[i ^ 64]; });
}
