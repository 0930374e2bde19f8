// Only mbarriers, no __syncthreads(). Writers hand a tile to the thread that stores it by arriving: one lane
// arrives for its whole warp, with a count of 32. The storing thread fences for all writers after its wait,
// and releases the buffer by an arrival after the store has read it.
#include "corpus.h"

constexpr uint32_t TILES = 5, WRITERS = 96;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[2][CORPUS_TILE];
  __shared__ uint64_t written[2], read[2];
  if (threadIdx.x == 0)
    for (uint32_t s = 0; s < 2; s++) {
      init_barrier(&written[s], WRITERS);
      init_barrier(&read[s], 1);
    }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  if (threadIdx.x == WRITERS) {
    for (uint32_t t = 0; t < TILES; t++) {
      wait(&written[t % 2], t / 2 & 1);
      async_proxy_fence();
      cp_async_bulk_shared_to_global(out + first + t * CORPUS_TILE, tile[t % 2], sizeof tile[0]);
      tma_commit_group();
      if (t == 0) continue;
      tma_wait_until_read_pending<1>();
      arrive(&read[(t - 1) % 2]);
    }
    tma_wait_until_read_pending<0>();
  } else if (threadIdx.x < WRITERS) {
    for (uint32_t t = 0; t < TILES; t++) {
      if (t >= 2) wait(&read[t % 2], (t / 2 - 1) & 1);
      for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += WRITERS)
        tile[t % 2][i] = in[first + t * CORPUS_TILE + i] + 1;
      __syncwarp();
      if (threadIdx.x % 32 == t % 32) arrive(&written[t % 2], 32);
    }
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, WRITERS + 32>>>(out, in); },
      corpus_plus_one);
}
