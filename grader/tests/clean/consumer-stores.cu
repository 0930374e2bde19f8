// Three roles, a producer, consumers and a thread that stores, with four kinds of barrier.
#include "corpus.h"

constexpr uint32_t STAGES = 2, TILES = 6, CONSUMERS = 64;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES], done[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&done[s], CONSUMERS);
      init_barrier(&empty[s], 1);
    }
    async_proxy_fence();
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  for (uint32_t t = 0; t < TILES; t++) {
    const uint32_t s = t % STAGES, parity = t / STAGES & 1;
    if (threadIdx.x == CONSUMERS) { // loads
      wait(&empty[s], parity ^ 1);
      expect_bytes_and_arrive(&full[s], sizeof stages[s]);
      cp_async_bulk_global_to_shared(stages[s], in + first + t * CORPUS_TILE, sizeof stages[s], &full[s]);
    } else if (threadIdx.x < CONSUMERS) { // computes
      wait(&full[s], parity);
      for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += CONSUMERS)
        stages[s][i] += 1;
      async_proxy_fence();
      arrive(&done[s]);
    } else if (threadIdx.x == CONSUMERS + 32) { // stores
      wait(&done[s], parity);
      cp_async_bulk_shared_to_global(out + first + t * CORPUS_TILE, stages[s], sizeof stages[s]);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
      arrive(&empty[s]);
    }
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, CONSUMERS + 64>>>(out, in); },
      corpus_plus_one);
}
