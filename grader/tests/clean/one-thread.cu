// A single thread does everything. It needs no barrier of the block, only the phase, the fence and the group.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  if (threadIdx.x != 0) return;
  init_barrier(&bar, 1);
  for (uint32_t round = 0; round < 3; round++) {
    const size_t first = (size_t{blockIdx.x} * 3 + round) * CORPUS_TILE;
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &bar);
    wait(&bar, round & 1);
    for (uint32_t i = 0; i < CORPUS_TILE; i++)
      tile[i] += 1;
    async_proxy_fence();
    cp_async_bulk_shared_to_global(out + first, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      2 * 3 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 32>>>(out, in); }, corpus_plus_one);
}
