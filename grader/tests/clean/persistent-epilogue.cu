// Persistent blocks over tiles of different depths: stage and phase are counted on from tile to tile. Results
// leave through two buffers. A buffer is free when one thread has waited until all stores but the last have
// been read, and its group has synchronised. Meanwhile the producer is a tile ahead.
#include "corpus.h"

constexpr uint32_t STAGES = 3, TILES = 7, WIDTH = 128, CONSUMERS = 128;

__host__ __device__ static uint32_t depth_of(uint32_t tile) {
  return 1 + tile * 5 % 4;
}

__device__ static void meet_consumers() {
  asm volatile("bar.sync 1, %0;" ::"r"(CONSUMERS) : "memory");
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][WIDTH], results[2][WIDTH];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == CONSUMERS) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], CONSUMERS / 32);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  uint32_t turn = 0, done = 0;
  for (uint32_t tile = blockIdx.x; tile < TILES; tile += gridDim.x, done++) {
    if (threadIdx.x >= CONSUMERS) {
      for (uint32_t k = 0; k < depth_of(tile); k++, turn++) {
        if (threadIdx.x != CONSUMERS) continue;
        wait(&empty[turn % STAGES], (turn / STAGES & 1) ^ 1);
        expect_bytes_and_arrive(&full[turn % STAGES], sizeof stages[0]);
        cp_async_bulk_global_to_shared(stages[turn % STAGES], in + (tile + k) % TILES * WIDTH,
                                       sizeof stages[0], &full[turn % STAGES]);
      }
      continue;
    }
    int sum = 0;
    for (uint32_t k = 0; k < depth_of(tile); k++, turn++) {
      wait(&full[turn % STAGES], turn / STAGES & 1);
      sum += stages[turn % STAGES][threadIdx.x];
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(&empty[turn % STAGES]);
    }
    if (threadIdx.x == 0) tma_wait_until_read_pending<1>();
    meet_consumers();
    results[done % 2][threadIdx.x] = sum;
    async_proxy_fence();
    meet_consumers();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + tile * WIDTH, results[done % 2], sizeof results[0]);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_pending<0>();
}

int main() {
  return corpus_check(
      TILES * WIDTH, [](int *out, const int *in) { kernel<<<2, CONSUMERS + 32>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const uint32_t tile = static_cast<uint32_t>(i / WIDTH);
        int sum = 0;
        for (uint32_t k = 0; k < depth_of(tile); k++)
          sum += in[(tile + k) % TILES * WIDTH + i % WIDTH];
        return sum;
      });
}
