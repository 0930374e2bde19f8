// Lane 0 produces while the other lanes of its own warp already spin: lanes make progress independently.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  __syncwarp();
  for (uint32_t round = 0; round < 2; round++) {
    const size_t first = (size_t{blockIdx.x} * 2 + round) * CORPUS_TILE;
    if (threadIdx.x != 0) {
      wait(&bar, round);
    } else {
      expect_bytes_and_arrive(&bar, sizeof tile);
      cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &bar);
      wait(&bar, round);
    }
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += 32)
      out[first + i] = tile[i] + 1;
    async_proxy_fence(); // the reads, before the next load
    __syncwarp();
  }
}

int main() {
  return corpus_check(
      2 * 2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 32>>>(out, in); }, corpus_plus_one);
}
