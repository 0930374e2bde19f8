// Two stages: __syncthreads() shows that a stage has been read, and thread 0 loads into it again.
#include "corpus.h"

constexpr uint32_t TILES = 6;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int stages[2][CORPUS_TILE];
  __shared__ uint64_t bars[2];
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  const auto load = [&](uint32_t t) {
    if (t >= TILES) return;
    expect_bytes_and_arrive(&bars[t % 2], sizeof stages[0]);
    cp_async_bulk_global_to_shared(stages[t % 2], in + first + t * CORPUS_TILE, sizeof stages[0],
                                   &bars[t % 2]);
  };
  if (threadIdx.x == 0) {
    init_barrier(&bars[0], 1);
    init_barrier(&bars[1], 1);
    async_proxy_fence();
    load(0);
    load(1);
  }
  __syncthreads();
  for (uint32_t t = 0; t < TILES; t++) {
    wait(&bars[t % 2], t / 2 & 1);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + t * CORPUS_TILE + i] = stages[t % 2][i] + 1;
    __syncthreads();
    if (threadIdx.x == 0) load(t + 2);
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
