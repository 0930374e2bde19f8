// Persistent blocks: the producer draws tile numbers from a counter, and passes each number to the consumers
// together with the tile. It is one tile ahead of them.
#include "corpus.h"

constexpr int TILES = 13;
constexpr uint32_t STAGES = 2;
__device__ int drawn_tiles;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE];
  __shared__ int number[STAGES];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], 64);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 64) {
    for (uint32_t turn = 0;; turn++) {
      const uint32_t s = turn % STAGES;
      const int tile = atomicAdd(&drawn_tiles, 1);
      wait(&empty[s], (turn / STAGES & 1) ^ 1);
      number[s] = tile;
      if (tile >= TILES) {
        arrive(&full[s]);
        break;
      }
      expect_bytes_and_arrive(&full[s], sizeof stages[s]);
      cp_async_bulk_global_to_shared(stages[s], in + tile * CORPUS_TILE, sizeof stages[s], &full[s]);
    }
  } else if (threadIdx.x < 64) {
    for (uint32_t turn = 0;; turn++) {
      const uint32_t s = turn % STAGES;
      wait(&full[s], turn / STAGES & 1);
      const int tile = number[s];
      if (tile >= TILES) break;
      for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += 64)
        out[tile * CORPUS_TILE + i] = stages[s][i] + 1;
      arrive(&empty[s]);
    }
  }
}

int main() {
  return corpus_check(
      TILES * CORPUS_TILE,
      [](int *out, const int *in) {
        const int none = 0;
        CUDA_CHECK(cudaMemcpyToSymbol(drawn_tiles, &none, sizeof none));
        kernel<<<3, 96>>>(out, in);
      },
      corpus_plus_one);
}
