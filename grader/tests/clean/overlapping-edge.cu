// The length is no multiple of the tile: the last tile is moved back and overlaps the one before. Both blocks
// store the same values there, so it doesn't matter which store lands last.
#include "corpus.h"

constexpr uint32_t LENGTH = 3 * CORPUS_TILE + 100, TILES = 4;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  uint32_t first = blockIdx.x * CORPUS_TILE;
  if (first + CORPUS_TILE > LENGTH) first = LENGTH - CORPUS_TILE;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] = in[first + i] + 1;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out + first, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      LENGTH, [](int *out, const int *in) { kernel<<<TILES, 64>>>(out, in); }, corpus_plus_one);
}
