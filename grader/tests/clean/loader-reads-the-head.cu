// The thread that issues the loads looks at each tile's head itself and fences, before it fills the stage
// again; the others hand the stage back through an empty barrier.
#include "corpus.h"

constexpr uint32_t TILES = 5;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t full, empty;
  __shared__ int heads[TILES];
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    init_barrier(&empty, 64);
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  if (threadIdx.x == 64) {
    for (uint32_t t = 0; t < TILES; t++) {
      wait(&empty, (t & 1) ^ 1);
      expect_bytes_and_arrive(&full, sizeof tile);
      cp_async_bulk_global_to_shared(tile, in + first + t * CORPUS_TILE, sizeof tile, &full);
      wait(&full, t & 1);
      heads[t] = tile[0];
      async_proxy_fence(); // its own read, before its next load
    }
  } else if (threadIdx.x < 64) {
    for (uint32_t t = 0; t < TILES; t++) {
      wait(&full, t & 1);
      for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += 64)
        out[first + t * CORPUS_TILE + i] = tile[i] + 1;
      arrive(&empty);
    }
  }
  __syncthreads();
  if (threadIdx.x < TILES && heads[threadIdx.x] + 1 != out[first + threadIdx.x * CORPUS_TILE]) __trap();
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 96>>>(out, in); }, corpus_plus_one);
}
