// Each warp has two stages of its own. Its lanes read one, fence, meet, and lane 0 loads the tile after the
// next into it.
#include "corpus.h"

constexpr uint32_t WARPS = 3, TILES = 6, TILE = 64;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[WARPS][2][TILE];
  __shared__ uint64_t bars[WARPS][2];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const size_t first = (size_t{blockIdx.x} * WARPS + warp) * TILES * TILE;
  const auto load = [&](uint32_t t) {
    expect_bytes_and_arrive(&bars[warp][t % 2], sizeof stages[0][0]);
    cp_async_bulk_global_to_shared(stages[warp][t % 2], in + first + t * TILE, sizeof stages[0][0],
                                   &bars[warp][t % 2]);
  };
  if (lane == 0) {
    init_barrier(&bars[warp][0], 1);
    init_barrier(&bars[warp][1], 1);
    load(0);
    load(1);
  }
  __syncwarp();
  for (uint32_t t = 0; t < TILES; t++) {
    wait(&bars[warp][t % 2], t / 2 & 1);
    const int one = stages[warp][t % 2][lane], two = stages[warp][t % 2][lane + 32];
    out[first + t * TILE + lane] = one + 1;
    out[first + t * TILE + lane + 32] = two + 1;
    async_proxy_fence(); // the reads, before the next load
    __syncwarp();
    if (lane == 0 && t + 2 < TILES) load(t + 2);
  }
}

int main() {
  return corpus_check(
      2 * WARPS * TILES * TILE, [](int *out, const int *in) { kernel<<<2, WARPS * 32>>>(out, in); },
      corpus_plus_one);
}
