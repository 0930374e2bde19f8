// Warps that load for themselves, in the words of cuda::ptx: all lanes arrive on the warp's empty barrier,
// and lane 0 waits for it before it loads. No proxy fence: the arrivals release, the wait acquires.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr uint32_t WARPS = 2, TILES = 5, TILE = 64;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tiles[WARPS][TILE];
  __shared__ uint64_t full[WARPS], empty[WARPS];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) {
    ptx::mbarrier_init(&full[warp], 1);
    ptx::mbarrier_init(&empty[warp], 32);
  }
  __syncwarp();
  const size_t first = (size_t{blockIdx.x} * WARPS + warp) * TILES * TILE;
  for (uint32_t t = 0; t < TILES; t++) {
    if (lane == 0) {
      while (t > 0 && !ptx::mbarrier_try_wait_parity(&empty[warp], (t - 1) & 1)) {
      }
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[warp],
                                     sizeof tiles[0]);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tiles[warp], in + first + t * TILE,
                         sizeof tiles[0], &full[warp]);
    }
    while (!ptx::mbarrier_try_wait_parity(&full[warp], t & 1)) {
    }
    const int one = tiles[warp][lane], two = tiles[warp][lane + 32];
    if (t + 1 < TILES) ptx::mbarrier_arrive(&empty[warp]);
    out[first + t * TILE + lane] = one + 1;
    out[first + t * TILE + lane + 32] = two + 1;
  }
}

int main() {
  return corpus_check(
      2 * WARPS * TILES * TILE, [](int *out, const int *in) { kernel<<<2, WARPS * 32>>>(out, in); },
      corpus_plus_one);
}
