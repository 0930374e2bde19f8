// A cluster: each block writes into the other's memory by ordinary stores, reads what it was sent, and then a
// multicast fills the same bytes in both. Writers and readers fence, in the words of cuda::ptx.
#include "corpus.h"
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ alignas(128) int memory[64];
  __shared__ uint64_t bar;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const uint32_t rank = cluster.block_rank();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    expect_bytes_and_arrive(&bar, sizeof memory);
  }
  cluster.sync();
  cluster.map_shared_rank(memory, rank ^ 1)[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  ptx::fence_proxy_async(ptx::space_cluster); // what this thread wrote in the other block
  cluster.sync();
  const int sent = memory[threadIdx.x];
  cluster.sync();
  if (rank == 0 && threadIdx.x == 0)
    cp_async_bulk_global_to_shared_multicast(memory, in + blockIdx.x * 64, sizeof memory, &bar, 3);
  wait_cluster(&bar, 0);
  out[blockIdx.x * 64 + threadIdx.x] = sent + memory[threadIdx.x];
  cluster.sync();
}

int main() {
  return corpus_check(
      4 * 64, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i ^ 64] + in[i / 128 * 128 + i % 64]; });
}
