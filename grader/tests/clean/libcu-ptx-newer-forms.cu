// The forms that newer toolkits emit: copies into shared::cta, waits with semantics and scope, fences with
// sync_restrict, and relaxed arrivals.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr uint32_t TILES = 4;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[2][CORPUS_TILE];
  __shared__ uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < 2; s++) {
      ptx::mbarrier_init(&full[s], 1);
      ptx::mbarrier_init(&empty[s], 64);
    }
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  if (threadIdx.x == 64) {
    for (uint32_t t = 0; t < TILES; t++) {
      const uint32_t s = t % 2;
      while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &empty[s], (t / 2 & 1) ^ 1,
                                            1000)) {
      }
      ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &full[s],
                              sizeof stages[0]);
      ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, stages[s], in + first + t * CORPUS_TILE,
                         sizeof stages[0], &full[s]);
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], 1);
    }
  } else if (threadIdx.x < 64) {
    for (uint32_t t = 0; t < TILES; t++) {
      const uint32_t s = t % 2;
      while (!ptx::mbarrier_test_wait_parity(ptx::sem_acquire, ptx::scope_cta, &full[s], t / 2 & 1))
        __nanosleep(20);
      for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += 64)
        out[first + t * CORPUS_TILE + i] = stages[s][i] + 1;
      asm volatile(
          "mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], 1;" ::"r"(tma_shared_address(&empty[s]))
          : "memory");
    }
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 96>>>(out, in); }, corpus_plus_one);
}
