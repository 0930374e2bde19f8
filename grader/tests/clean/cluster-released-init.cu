// The initialisation of a cluster's barriers is made visible by fence.mbarrier_init and a relaxed arrival.
// Tiles are multicast. The cluster synchronises before any block exits.
#include "corpus.h"

__global__ __cluster_dims__(4) void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[4][64];
  __shared__ uint64_t full;
  const uint32_t rank = cluster_block_rank();
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    expect_bytes_and_arrive(&full, sizeof tile);
  }
  cluster_arrive();
  cluster_wait();
  const size_t first = size_t{blockIdx.x / 4} * 256;
  if (threadIdx.x == 32)
    cp_async_bulk_global_to_shared_multicast(tile[rank], in + first + rank * 64, sizeof tile[0], &full, 0xf);
  wait(&full, 0);
  cluster_arrive(); // nobody writes into a block that has left
  int sum = 0;
  for (uint32_t r = 0; r < 4; r++)
    sum += tile[r][threadIdx.x];
  out[first + rank * 64 + threadIdx.x] = sum;
  cluster_wait();
}

int main() {
  return corpus_check(
      2 * 256, [](int *out, const int *in) { kernel<<<8, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t at = i / 256 * 256 + i % 64;
        return in[at] + in[at + 64] + in[at + 128] + in[at + 192];
      });
}
