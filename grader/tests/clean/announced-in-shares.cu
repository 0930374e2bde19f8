// Four lanes share a stage: each announces and loads its own quarter without arriving, and then arrives like
// the other lanes of its warp. The waits use the tokens of those arrivals: in turn by polling with test_wait,
// and by try_wait with a time limit.
#include "corpus.h"

constexpr uint32_t ROUNDS = 5, QUARTER = CORPUS_TILE / 4;

__device__ static uint64_t arrive_for_token(uint64_t *bar) {
  uint64_t token;
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1];"
               : "=l"(token)
               : "r"(tma_shared_address(bar))
               : "memory");
  return token;
}

__device__ static bool look(uint64_t *bar, uint64_t token) {
  uint32_t done;
  asm volatile(
      "{ .reg .pred p; mbarrier.test_wait.acquire.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(tma_shared_address(bar)), "l"(token)
      : "memory");
  return done;
}

__device__ static bool wait_a_while(uint64_t *bar, uint64_t token, uint32_t nanoseconds) {
  uint32_t done;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.acquire.cta.shared::cta.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(tma_shared_address(bar)), "l"(token), "r"(nanoseconds)
      : "memory");
  return done;
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[2][CORPUS_TILE];
  __shared__ uint64_t full[2];
  const uint32_t lane = threadIdx.x % 32;
  if (threadIdx.x < 2) init_barrier(&full[threadIdx.x], blockDim.x);
  fence_mbarrier_init();
  __syncthreads();
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const size_t first = (size_t{blockIdx.x} * ROUNDS + round) * CORPUS_TILE;
    uint64_t *bar = &full[round % 2];
    int *to = tile[round % 2];
    if (threadIdx.x < 32 && lane % 8 == 0) {
      const uint32_t quarter = lane / 8;
      expect_bytes(bar, QUARTER * sizeof(int));
      cp_async_bulk_global_to_shared(to + quarter * QUARTER, in + first + quarter * QUARTER,
                                     QUARTER * sizeof(int), bar);
    }
    const uint64_t token = arrive_for_token(bar);
    if (round % 2 == 0) {
      while (!look(bar, token)) {
      }
    } else {
      while (!wait_a_while(bar, token, 500)) {
      }
    }
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + i] = to[CORPUS_TILE - 1 - i] + 1;
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      2 * ROUNDS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return in[i / CORPUS_TILE * CORPUS_TILE + CORPUS_TILE - 1 - i % CORPUS_TILE] + 1;
      });
}
