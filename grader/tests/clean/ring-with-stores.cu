// Loads, changes in place, stores. A stage is loaded again as soon as its own store has read it, two stores
// later.
#include "corpus.h"

constexpr uint32_t STAGES = 4, UNREAD = 2, TILES = 11;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES];
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  const auto load = [&](uint32_t t) {
    if (t >= TILES) return;
    expect_bytes_and_arrive(&full[t % STAGES], sizeof stages[0]);
    cp_async_bulk_global_to_shared(stages[t % STAGES], in + first + t * CORPUS_TILE, sizeof stages[0],
                                   &full[t % STAGES]);
  };
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t t = 0; t < STAGES; t++)
      load(t);
  }
  __syncthreads();
  for (uint32_t t = 0; t < TILES; t++) {
    int *stage = stages[t % STAGES];
    wait(&full[t % STAGES], t / STAGES & 1);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      stage[i] += 1;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + first + t * CORPUS_TILE, stage, sizeof stages[0]);
      tma_commit_group();
      if (t >= UNREAD) {
        tma_wait_until_read_pending<UNREAD>();
        load(t - UNREAD + STAGES);
      }
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
