// Each warp has a tile and a barrier of its own and never synchronises with the others. __syncwarp() is the
// only order.
#include "corpus.h"

constexpr uint32_t WARPS = 4, ROUNDS = 3;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tiles[WARPS][64];
  __shared__ uint64_t bars[WARPS];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int *tile = tiles[warp];
  if (lane == 0) init_barrier(&bars[warp], 1);
  __syncwarp();
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const size_t first = ((size_t{blockIdx.x} * WARPS + warp) * ROUNDS + round) * 64;
    if (lane == 0) {
      expect_bytes_and_arrive(&bars[warp], sizeof tiles[0]);
      cp_async_bulk_global_to_shared(tile, in + first, sizeof tiles[0], &bars[warp]);
    }
    wait(&bars[warp], round & 1);
    tile[lane] += 1;
    tile[lane + 32] += 1;
    async_proxy_fence();
    __syncwarp();
    if (lane == 0) {
      cp_async_bulk_shared_to_global(out + first, tile, sizeof tiles[0]);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
    }
    __syncwarp();
  }
}

int main() {
  return corpus_check(
      2 * WARPS * ROUNDS * 64, [](int *out, const int *in) { kernel<<<2, WARPS * 32>>>(out, in); },
      corpus_plus_one);
}
