// A warp reads a tile and gives it back by a flag: a fence, and a relaxed write behind it. The fence that
// made the barrier known to others, long before, says nothing of these reads.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  __shared__ int given_back;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    given_back = 0;
  }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  for (uint32_t round = 0; round < 3; round++) {
    if (threadIdx.x == 0) {
      while (*static_cast<volatile int *>(&given_back) != static_cast<int>(round))
        ;
      __threadfence_block();
      expect_bytes_and_arrive(&bar, sizeof tile);
      cp_async_bulk_global_to_shared(tile, in + round * CORPUS_TILE, sizeof tile, &bar);
    }
    if (threadIdx.x < 32) continue;
    wait(&bar, round & 1);
    for (uint32_t i = threadIdx.x - 32; i < CORPUS_TILE; i += 32)
      out[round * CORPUS_TILE + i] = tile[i] + 1;
    __syncwarp();
    if (threadIdx.x == 32) {
      __threadfence_block();
      *static_cast<volatile int *>(&given_back) = static_cast<int>(round) + 1;
    }
  }
}

int main() {
  return corpus_check(
      3 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<1, 64>>>(out, in); }, corpus_plus_one);
}
