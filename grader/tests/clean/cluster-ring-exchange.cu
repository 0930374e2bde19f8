// Tiles go round a ring of four blocks: each block copies its tile into its neighbour's memory by a bulk
// copy. The receiver arrives when the source has been read, and each block arrives on the barrier of the
// block before it when its own buffer may be written.
#include "corpus.h"

constexpr uint32_t BLOCKS = 4, TILE = 128;

__global__ void __cluster_dims__(BLOCKS) kernel(int *out, const int *in) {
  __shared__ alignas(128) int buffer[2][TILE];
  __shared__ uint64_t full[2], sent[2], empty[2];
  const uint32_t rank = cluster_block_rank(), next = (rank + 1) % BLOCKS,
                 before = (rank + BLOCKS - 1) % BLOCKS;
  if (threadIdx.x < 2) {
    init_barrier(&full[threadIdx.x], 1);
    init_barrier(&sent[threadIdx.x], 1);  // by the next block, which has what was sent
    init_barrier(&empty[threadIdx.x], 1); // by the next block, whose buffer it is
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&full[0], sizeof buffer[0]);
    cp_async_bulk_global_to_shared(buffer[0], in + blockIdx.x * TILE, sizeof buffer[0], &full[0]);
  }
  int sum = 0;
  for (uint32_t turn = 0; turn < BLOCKS; turn++) {
    const uint32_t s = turn % 2, parity = turn / 2 & 1;
    const bool last = turn + 1 == BLOCKS;
    if (threadIdx.x == 0 && !last) expect_bytes_and_arrive(&full[s ^ 1], sizeof buffer[0]);
    wait_cluster(&full[s], parity);
    if (threadIdx.x == 0 && turn > 0) arrive_remote(map_to_block(&sent[s ^ 1], before));
    sum = sum * 3 + buffer[s][threadIdx.x];
    __syncthreads();
    if (threadIdx.x != 0 || last) continue;
    if (turn > 0) {
      wait_cluster(&sent[s ^ 1], (turn - 1) / 2 & 1);
      arrive_remote(map_to_block(&empty[s ^ 1], before));
      wait_cluster(&empty[s ^ 1], (turn - 1) / 2 & 1);
    }
    cp_async_bulk_shared_to_remote(map_to_block(buffer[s ^ 1], next), buffer[s], sizeof buffer[0],
                                   map_to_block(&full[s ^ 1], next));
  }
  out[blockIdx.x * TILE + threadIdx.x] = sum;
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      2 * BLOCKS * TILE, [](int *out, const int *in) { kernel<<<2 * BLOCKS, TILE>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t cluster = i / (BLOCKS * TILE), rank = i / TILE % BLOCKS;
        int sum = 0;
        for (size_t t = 0; t < BLOCKS; t++)
          sum = sum * 3 + in[(cluster * BLOCKS + (rank + BLOCKS - t) % BLOCKS) * TILE + i % TILE];
        return sum;
      });
}
