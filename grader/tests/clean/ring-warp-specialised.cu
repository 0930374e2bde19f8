// A ring with full and empty barriers: one producer thread, and consumer warps that release each stage.
#include "corpus.h"

constexpr uint32_t STAGES = 3, CONSUMERS = 64, TILES = 8;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], CONSUMERS / 32);
    }
    async_proxy_fence();
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  if (threadIdx.x >= CONSUMERS) {
    if (threadIdx.x != CONSUMERS) return;
    for (uint32_t t = 0; t < TILES; t++) {
      const uint32_t s = t % STAGES, parity = t / STAGES & 1;
      wait(&empty[s], parity ^ 1); // a fresh barrier answers at once: every stage begins empty
      expect_bytes_and_arrive(&full[s], sizeof stages[s]);
      cp_async_bulk_global_to_shared(stages[s], in + first + t * CORPUS_TILE, sizeof stages[s], &full[s]);
    }
    return;
  }
  for (uint32_t t = 0; t < TILES; t++) {
    const uint32_t s = t % STAGES, parity = t / STAGES & 1;
    wait(&full[s], parity);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += CONSUMERS)
      out[first + t * CORPUS_TILE + i] = stages[s][i] + 1;
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&empty[s]);
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, CONSUMERS + 32>>>(out, in); },
      corpus_plus_one);
}
