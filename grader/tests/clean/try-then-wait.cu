// The consumers ask for the next tile early with try_wait, do something else, and wait only if the answer was
// no.
#include "corpus.h"

constexpr uint32_t STAGES = 2, TILES = 6;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], 64);
    }
    async_proxy_fence();
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  if (threadIdx.x == 64) {
    for (uint32_t t = 0; t < TILES; t++) {
      const uint32_t s = t % STAGES, parity = t / STAGES & 1;
      const bool is_empty = try_wait(&empty[s], parity ^ 1);
      const int *source = in + first + t * CORPUS_TILE;
      if (!is_empty) wait(&empty[s], parity ^ 1);
      expect_bytes_and_arrive(&full[s], sizeof stages[s]);
      cp_async_bulk_global_to_shared(stages[s], source, sizeof stages[s], &full[s]);
    }
  } else if (threadIdx.x < 64) {
    bool ready = try_wait(&full[0], 0);
    for (uint32_t t = 0; t < TILES; t++) {
      const uint32_t s = t % STAGES, next = t + 1;
      if (!ready) wait(&full[s], t / STAGES & 1);
      for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += 64)
        out[first + t * CORPUS_TILE + i] = stages[s][i] + 1;
      arrive(&empty[s]);
      ready = next < TILES && try_wait(&full[next % STAGES], next / STAGES & 1);
    }
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 96>>>(out, in); }, corpus_plus_one);
}
