// Threads write what a bulk load brings back; once it is known to be complete, they write over its source.
#include "corpus.h"

constexpr uint32_t TURNS = 2;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  int *const source = out + size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  source[threadIdx.x] = in[size_t{blockIdx.x} * CORPUS_TILE + threadIdx.x] - 1;
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    async_proxy_fence_global();
    __syncthreads();
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&bar, sizeof tile);
      cp_async_bulk_global_to_shared(tile, source, sizeof tile, &bar);
      wait(&bar, turn & 1);
    }
    __syncthreads();
    source[threadIdx.x] = tile[threadIdx.x] + 1;
  }
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE,
      [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, CORPUS_TILE>>>(out, in); }, corpus_plus_one);
}
