// The empty barrier counts every consumer thread. The phases are kept as one bit for each stage.
#include "corpus.h"

constexpr uint32_t STAGES = 2, CONSUMERS = 96, TILES = 7;

__global__ void kernel(int *out, const int *in) {
  extern __shared__ __align__(128) int stages[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], CONSUMERS);
    }
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  uint32_t phases = 0;
  if (threadIdx.x < 32) { // the first warp produces
    for (uint32_t t = 0; t < TILES; t++) {
      const uint32_t s = t % STAGES;
      if (threadIdx.x == 0) {
        wait(&empty[s], (phases >> s & 1) ^ 1);
        cp_async_bulk_global_to_shared(stages + s * CORPUS_TILE, in + first + t * CORPUS_TILE,
                                       CORPUS_TILE * sizeof(int), &full[s]);
        expect_bytes_and_arrive(&full[s], CORPUS_TILE * sizeof(int));
      }
      phases ^= 1u << s;
    }
  } else {
    for (uint32_t t = 0; t < TILES; t++) {
      const uint32_t s = t % STAGES;
      while (!try_wait(&full[s], phases >> s & 1)) {
      }
      phases ^= 1u << s;
      for (uint32_t i = threadIdx.x - 32; i < CORPUS_TILE; i += CONSUMERS)
        out[first + t * CORPUS_TILE + i] = stages[s * CORPUS_TILE + i] + 1;
      arrive(&empty[s]);
    }
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE,
      [](int *out, const int *in) {
        kernel<<<2, CONSUMERS + 32, STAGES * CORPUS_TILE * sizeof(int)>>>(out, in);
      },
      corpus_plus_one);
}
