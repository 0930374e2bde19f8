// A ring in which one lane waits for its warp, and __syncwarp() tells the others: in the warp that loads and
// in those that read. Each warp that reads also hands its results to a last warp, by a second ring.
#include "corpus.h"

constexpr int STAGES = 2, READERS = 3, WARPS = READERS + 2, PART = 32 * READERS; // ints of a tile

__global__ void kernel(int *out, const int *in, int tiles) {
  __shared__ alignas(128) int tile[STAGES][PART];
  __shared__ int result[STAGES][PART];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  __shared__ uint64_t done[STAGES], taken[STAGES];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], READERS);
      init_barrier(&done[s], PART);
      init_barrier(&taken[s], 1);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  for (int i = 0; i < tiles; i++) {
    const int s = i % STAGES, round = i / STAGES;
    const int t = blockIdx.x * tiles + i;
    if (warp == 0) {
      if (lane == 0) wait(&empty[s], (round & 1) ^ 1);
      __syncwarp();
      if (lane == 0) {
        expect_bytes_and_arrive(&full[s], sizeof tile[0]);
        cp_async_bulk_global_to_shared(tile[s], in + t * PART, sizeof tile[0], &full[s]);
      }
    } else if (warp <= READERS) {
      const int at = threadIdx.x - 32;
      if (lane == 0) {
        wait(&full[s], round & 1);
        wait(&taken[s], (round & 1) ^ 1);
      }
      __syncwarp();
      result[s][at] = tile[s][at] + 1;
      arrive(&done[s]);
      __syncwarp();
      if (lane == 0) arrive(&empty[s]);
    } else {
      if (lane == 0) wait(&done[s], round & 1);
      __syncwarp();
      for (int at = lane; at < PART; at += 32)
        out[t * PART + at] = result[s][at];
      __syncwarp();
      if (lane == 0) arrive(&taken[s]);
    }
  }
}

int main() {
  constexpr int tiles = 6;
  return corpus_check(
      CORPUS_BLOCKS * tiles * PART,
      [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, 32 * WARPS>>>(out, in, tiles); },
      corpus_plus_one);
}
