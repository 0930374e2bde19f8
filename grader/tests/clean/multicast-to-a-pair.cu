// A cluster of two: the first block multicasts one tile to both, once the barriers of both are there.
#include "corpus.h"

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&full, sizeof tile);
    if (cluster_block_rank() == 0)
      cp_async_bulk_global_to_shared_multicast(tile, in + blockIdx.x * 64, sizeof tile, &full, 3);
  }
  wait(&full, 0);
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
}

int main() {
  return corpus_check(
      4 * 64, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i / 128 * 128 + i % 64]; });
}
