// A cluster of 2 by 2 blocks: each loads half of its row's A and half of its column's B by multicast, for
// both blocks that need it. The consumers release the stages to every block that writes into them.
#include "corpus.h"

constexpr uint32_t STAGES = 2, TURNS = 5, HALF = 64, TILE = 2 * HALF;

__global__ void __cluster_dims__(2, 2) kernel(int *out, const int *in) {
  __shared__ alignas(128) int a[STAGES][TILE], b[STAGES][TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t rank = cluster_block_rank(), x = rank % 2, y = rank / 2;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], 3 * 2); // both warps of itself, its row's other block and its column's
    }
    fence_mbarrier_init();
  }
  cluster_arrive_relaxed();
  cluster_wait();
  const uint16_t row = static_cast<uint16_t>(3u << (2 * y)), column = static_cast<uint16_t>(5u << x);
  if (threadIdx.x >= 64) {
    if (threadIdx.x == 64)
      for (uint32_t t = 0; t < TURNS; t++) {
        const uint32_t s = t % STAGES;
        wait_cluster(&empty[s], (t / STAGES & 1) ^ 1);
        expect_bytes_and_arrive(&full[s], 2 * TILE * sizeof(int));
        cp_async_bulk_global_to_shared_multicast(a[s] + x * HALF, in + (t * 2 + y) * TILE + x * HALF,
                                                 HALF * sizeof(int), &full[s], row);
        cp_async_bulk_global_to_shared_multicast(b[s] + y * HALF,
                                                 in + ((TURNS + t) * 2 + x) * TILE + y * HALF,
                                                 HALF * sizeof(int), &full[s], column);
      }
  } else {
    int sum[2] = {};
    for (uint32_t t = 0; t < TURNS; t++) {
      const uint32_t s = t % STAGES;
      wait_cluster(&full[s], t / STAGES & 1);
      for (uint32_t i = 0; i < 2; i++)
        sum[i] += a[s][i * 64 + threadIdx.x] * 3 + b[s][i * 64 + threadIdx.x];
      __syncwarp();
      const uint32_t lane = threadIdx.x % 32, target = lane == 0 ? rank : lane == 1 ? rank ^ 1 : rank ^ 2;
      if (lane < 3) arrive_remote(map_to_block(&empty[s], target));
    }
    for (uint32_t i = 0; i < 2; i++)
      out[rank * TILE + i * 64 + threadIdx.x] = sum[i];
  }
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      4 * TURNS * TILE, [](int *out, const int *in) { kernel<<<dim3(2, 2), 96>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        if (i >= 4 * TILE) return 0;
        const size_t rank = i / TILE, x = rank % 2, y = rank / 2, at = i % TILE;
        int sum = 0;
        for (size_t t = 0; t < TURNS; t++)
          sum += in[(t * 2 + y) * TILE + at] * 3 + in[((TURNS + t) * 2 + x) * TILE + at];
        return sum;
      });
}
