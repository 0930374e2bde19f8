// Two groups fill two buffers in turn, and one warp stores them. Each writer arrives on a barrier after its
// proxy fence. The storing thread waits for this barrier, and releases the buffer on another one when the
// store has read it. After the start there is no __syncthreads().
#include "corpus.h"

constexpr uint32_t BUFFERS = 2, ROUNDS = 6, WRITERS = 64;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int buffer[BUFFERS][CORPUS_TILE];
  __shared__ uint64_t written[BUFFERS], stored[BUFFERS];
  if (threadIdx.x == 0) {
    for (uint32_t b = 0; b < BUFFERS; b++) {
      init_barrier(&written[b], WRITERS);
      init_barrier(&stored[b], 1);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * BUFFERS * ROUNDS * CORPUS_TILE;
  const uint32_t group = threadIdx.x / WRITERS;
  if (group < BUFFERS) {
    for (uint32_t round = 0; round < ROUNDS; round++) {
      wait(&stored[group], (round & 1) ^ 1);
      for (uint32_t i = threadIdx.x % WRITERS; i < CORPUS_TILE; i += WRITERS)
        buffer[group][i] = in[first + (round * BUFFERS + group) * CORPUS_TILE + i] + 1;
      async_proxy_fence();
      arrive(&written[group]);
    }
  } else if (threadIdx.x == BUFFERS * WRITERS) {
    for (uint32_t n = 0; n < BUFFERS * ROUNDS; n++) {
      wait(&written[n % BUFFERS], n / BUFFERS & 1);
      cp_async_bulk_shared_to_global(out + first + n * CORPUS_TILE, buffer[n % BUFFERS], sizeof buffer[0]);
      tma_commit_group();
      if (n == 0) continue;
      tma_wait_until_read_pending<1>();
      arrive(&stored[(n - 1) % BUFFERS]);
    }
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      2 * BUFFERS * ROUNDS * CORPUS_TILE,
      [](int *out, const int *in) { kernel<<<2, BUFFERS * WRITERS + 32>>>(out, in); }, corpus_plus_one);
}
