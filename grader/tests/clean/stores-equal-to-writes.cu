// Bulk copies and ordinary stores of many pairs of blocks leave the same values in the same places, and
// nothing orders them.
#include "corpus.h"

constexpr uint32_t PAIRS = 256, TILES = 3; // tiles of a pair

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tiles[TILES][CORPUS_TILE];
  const size_t first = blockIdx.x / 2 * TILES * CORPUS_TILE;
  for (uint32_t i = threadIdx.x; i < TILES * CORPUS_TILE; i += blockDim.x) {
    const int value = in[first + i] + 1;
    if (blockIdx.x % 2 == 0)
      out[first + i] = value;
    else
      tiles[i / CORPUS_TILE][i % CORPUS_TILE] = value;
  }
  if (blockIdx.x % 2 == 0) return;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    for (uint32_t t = 0; t < TILES; t++)
      cp_async_bulk_shared_to_global(out + first + t * CORPUS_TILE, tiles[t], sizeof tiles[t]);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
}

int main() {
  return corpus_check(
      PAIRS * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2 * PAIRS, 64>>>(out, in); },
      corpus_plus_one);
}
