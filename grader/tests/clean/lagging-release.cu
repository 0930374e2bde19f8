// A stage is released one turn late, as by a consumer whose last product may still be reading it. The last
// stage is never released. The phases are bits of one word, and the other lanes of the producer's warp have
// exited long before.
#include "corpus.h"

constexpr uint32_t STAGES = 4, TILES = 11, CONSUMERS = 96;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x < STAGES) {
    init_barrier(&full[threadIdx.x], 1);
    init_barrier(&empty[threadIdx.x], CONSUMERS);
    fence_mbarrier_init();
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  if (threadIdx.x >= CONSUMERS) {
    if (threadIdx.x != CONSUMERS) return;
    uint32_t phases = (1u << STAGES) - 1;
    for (uint32_t t = 0; t < TILES; t++) {
      const uint32_t stage = t % STAGES;
      wait(&empty[stage], phases >> stage & 1);
      phases ^= 1u << stage;
      expect_bytes(&full[stage], sizeof tile[0]);
      cp_async_bulk_global_to_shared(tile[stage], in + first + t * CORPUS_TILE, sizeof tile[0] / 2,
                                     &full[stage]);
      cp_async_bulk_global_to_shared(tile[stage] + CORPUS_TILE / 2,
                                     in + first + t * CORPUS_TILE + CORPUS_TILE / 2, sizeof tile[0] / 2,
                                     &full[stage]);
      arrive(&full[stage]);
    }
    return;
  }
  uint32_t phases = 0;
  for (uint32_t t = 0; t < TILES; t++) {
    const uint32_t stage = t % STAGES;
    while (!test_wait(&full[stage], phases >> stage & 1)) {
    }
    phases ^= 1u << stage;
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += CONSUMERS)
      out[first + t * CORPUS_TILE + i] = tile[stage][i] + 1;
    if (t > 0) arrive(&empty[(t - 1) % STAGES]);
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, CONSUMERS + 32>>>(out, in); },
      corpus_plus_one);
}
