// The main loop of a library: in a cluster of 2 by 2 blocks each block multicasts its part of a row to its
// row, and its part of a column to its column. A stage is free when the consumers of all blocks that share a
// tile have arrived, each thread on the barrier of another block. The producer waits for its last stages, so
// that no thread arrives in a block that has exited.
#include "corpus.h"

constexpr uint32_t STAGES = 3, STEPS = 7, PART = 32,
                   WARPS = 4; // blocks of four consumer warps, one producer warp

struct stage {
  alignas(128) int row[2][PART];
  alignas(128) int column[2][PART];
};

__global__ void __cluster_dims__(4) kernel(int *out, const int *in) {
  __shared__ stage stages[STAGES];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t rank = cluster_block_rank(), x = rank % 2, y = rank / 2;
  const uint32_t row_mask = 0b0011 << 2 * y, column_mask = 0b0101 << x, all = row_mask | column_mask;
  const uint32_t warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], 3); // a warp of each block that is sent something from here
    }
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  if (warp == WARPS) {
    if (elect_one()) {
      for (uint32_t step = 0; step < STEPS + STAGES; step++) {
        const uint32_t s = step % STAGES;
        wait_cluster(&empty[s], (step / STAGES & 1) ^ 1);
        if (step >= STEPS) continue; // the last stages: waited for, not filled
        const int *from = in + step * 4 * PART;
        expect_bytes_and_arrive(&full[s], sizeof stages[0]);
        cp_async_bulk_global_to_shared_multicast(stages[s].row[x], from + rank * PART, PART * sizeof(int),
                                                 &full[s], static_cast<uint16_t>(row_mask));
        cp_async_bulk_global_to_shared_multicast(stages[s].column[y], from + rank * PART, PART * sizeof(int),
                                                 &full[s], static_cast<uint16_t>(column_mask));
      }
    }
  } else {
    int sum = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
      const uint32_t s = step % STAGES, lane = threadIdx.x % 32;
      wait_cluster(&full[s], step / STAGES & 1);
      sum += warp < 2 ? stages[s].row[warp][lane] : stages[s].column[warp - 2][lane];
      asm volatile("bar.sync 1, %0;" ::"r"(WARPS * 32) : "memory");
      if (threadIdx.x < 4 && (all >> threadIdx.x & 1)) arrive_remote(map_to_block(&empty[s], threadIdx.x));
    }
    out[(blockIdx.x * WARPS + warp) * 32 + threadIdx.x % 32] = sum;
  }
  cluster_arrive_relaxed();
  cluster_wait();
}

int main() {
  return corpus_check(
      8 * WARPS * 32, [](int *out, const int *in) { kernel<<<8, (WARPS + 1) * 32>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t rank = i / (WARPS * 32) % 4, warp = i / 32 % WARPS, lane = i % 32;
        const size_t from = warp < 2 ? rank / 2 * 2 + warp : rank % 2 + 2 * (warp - 2);
        int sum = 0;
        for (uint32_t step = 0; step < STEPS; step++)
          sum += in[step * 4 * PART + from * PART + lane];
        return sum;
      });
}
