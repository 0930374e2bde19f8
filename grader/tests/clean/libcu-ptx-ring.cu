// A ring written with cuda::ptx: mbarrier_init, arrive_expect_tx with a state, try_wait by state, and by
// parity in the other threads.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr uint32_t TILES = 4;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[2][CORPUS_TILE];
  __shared__ uint64_t bars[2];
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bars[0], blockDim.x);
    ptx::mbarrier_init(&bars[1], blockDim.x);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  for (uint32_t t = 0; t < TILES; t++) {
    uint64_t *bar = &bars[t % 2];
    uint64_t state;
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stages[t % 2], in + first + t * CORPUS_TILE,
                         sizeof stages[0], bar);
      state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar,
                                             sizeof stages[0]);
    } else {
      state = ptx::mbarrier_arrive(bar);
    }
    while (!ptx::mbarrier_try_wait(bar, state)) {
    }
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + t * CORPUS_TILE + i] = stages[t % 2][i] + 1;
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
