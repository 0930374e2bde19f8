// Ordinary reads and atomics of another block's shared memory, ordered by the cluster's barrier.
#include "corpus.h"
#include <cooperative_groups.h>

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ int mine[64], hits;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) hits = 0;
  mine[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  cluster.sync();
  int *theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  atomicAdd(cluster.map_shared_rank(&hits, cluster.block_rank() ^ 1), 1);
  const int value = theirs[63 - threadIdx.x];
  cluster.sync();
  out[blockIdx.x * 64 + threadIdx.x] = value + hits;
}

int main() {
  return corpus_check(
      4 * 64, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[(i / 64 ^ 1) * 64 + 63 - i % 64] + 64; });
}
