// One buffer is loaded turn after turn. Every thread waits with the token that its arrival of this turn has
// returned.
#include "corpus.h"

constexpr uint32_t TURNS = 3, TILE = 64;

__device__ static uint64_t arrive_token(uint64_t *bar) {
  uint64_t token;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
               : "=l"(token)
               : "r"(tma_shared_address(bar))
               : "memory");
  return token;
}

__device__ static uint64_t load_token(int *tile, const int *from, uint64_t *bar) {
  uint64_t token;
  cp_async_bulk_global_to_shared(tile, from, TILE * sizeof(int), bar);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(tma_shared_address(bar)), "r"(static_cast<uint32_t>(TILE * sizeof(int)))
               : "memory");
  return token;
}

__device__ static bool token_is_over(uint64_t *bar, uint64_t token) {
  uint32_t over;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(over)
               : "r"(tma_shared_address(bar)), "l"(token)
               : "memory");
  return over;
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[TILE];
  __shared__ uint64_t bar;
  uint64_t token = 0;
  if (threadIdx.x == 0) init_barrier(&bar, TILE);
  __syncthreads();
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    const size_t first = (size_t{blockIdx.x} * TURNS + turn) * TILE;
    const uint64_t fresh = threadIdx.x == 0 ? load_token(tile, in + first, &bar) : arrive_token(&bar);
    token = fresh;
    while (!token_is_over(&bar, token)) {
    }
    out[first + threadIdx.x] = tile[threadIdx.x] + 1;
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      2 * TURNS * TILE, [](int *out, const int *in) { kernel<<<2, TILE>>>(out, in); }, corpus_plus_one);
}
