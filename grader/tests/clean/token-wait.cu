// Waits with the state that the arrival returned, not with a parity: the form that libraries use.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) init_barrier(&bar, blockDim.x);
  __syncthreads();
  uint64_t state;
  if (threadIdx.x == 0) {
    cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &bar);
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(state)
                 : "r"(tma_shared_address(&bar)), "r"(static_cast<uint32_t>(sizeof tile))
                 : "memory");
  } else {
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(tma_shared_address(&bar))
                 : "memory");
  }
  uint32_t done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(tma_shared_address(&bar)), "l"(state)
                 : "memory");
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = tile[i] + 1;
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, 64>>>(out, in); },
      corpus_plus_one);
}
