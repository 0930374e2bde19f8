// Two groups of consumers take turns: barriers between them order their epilogues, so that one group stores
// while the other computes. One producer fills for both.
#include "corpus.h"

constexpr uint32_t STAGES = 4, TURNS = 4, SLICES = 2;

__global__ void __launch_bounds__(192) kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE], result[CORPUS_TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES], order[2][2];
  const uint32_t group = threadIdx.x / 64, thread = threadIdx.x % 64;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], 2);
    }
    for (uint32_t g = 0; g < 2; g++)
      for (uint32_t step = 0; step < 2; step++)
        init_barrier(&order[g][step], 64);
    async_proxy_fence();
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TURNS * SLICES * CORPUS_TILE;
  if (group == 2) {
    if (thread == 0)
      for (uint32_t n = 0; n < TURNS * SLICES; n++) {
        wait(&empty[n % STAGES], (n / STAGES & 1) ^ 1);
        expect_bytes_and_arrive(&full[n % STAGES], sizeof stages[0]);
        cp_async_bulk_global_to_shared(stages[n % STAGES], in + first + n * CORPUS_TILE, sizeof stages[0],
                                       &full[n % STAGES]);
      }
    return;
  }
  if (group == 0) { // it has its turn first, in both steps
    arrive(&order[0][0]);
    arrive(&order[0][1]);
  }
  for (uint32_t turn = group, mine = 0; turn < TURNS; turn += 2, mine++) {
    int sum[CORPUS_TILE / 64] = {};
    wait(&order[group][0], mine & 1);
    for (uint32_t slice = 0; slice < SLICES; slice++) {
      const uint32_t n = turn * SLICES + slice, s = n % STAGES;
      wait(&full[s], n / STAGES & 1);
      for (uint32_t i = 0; i < CORPUS_TILE / 64; i++)
        sum[i] += stages[s][i * 64 + thread];
      __syncwarp();
      if (thread % 32 == 0) arrive(&empty[s]);
    }
    arrive(&order[group ^ 1][0]);
    wait(&order[group][1], mine & 1);
    for (uint32_t i = 0; i < CORPUS_TILE / 64; i++)
      result[i * 64 + thread] = sum[i];
    async_proxy_fence();
    asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
    if (thread == 0) {
      cp_async_bulk_shared_to_global(out + (size_t{blockIdx.x} * TURNS + turn) * CORPUS_TILE, result,
                                     sizeof result);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
    }
    asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
    arrive(&order[group ^ 1][1]);
  }
}

int main() {
  return corpus_check(
      2 * TURNS * SLICES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 192>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        if (i >= 2 * TURNS * CORPUS_TILE) return 0;
        int sum = 0;
        for (uint32_t slice = 0; slice < SLICES; slice++)
          sum += in[(i / CORPUS_TILE * SLICES + slice) * CORPUS_TILE + i % CORPUS_TILE];
        return sum;
      });
}
