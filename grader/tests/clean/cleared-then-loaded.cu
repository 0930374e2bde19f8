// The threads clear a whole buffer, then a load fills its first part: the rest stays zero. Each writer fences
// before the block meets.
#include "corpus.h"

constexpr uint32_t FILLED = 192;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] = 0;
  async_proxy_fence(); // the zeros, before the load
  __syncthreads();
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&bar, FILLED * sizeof *tile);
    cp_async_bulk_global_to_shared(tile, in + first, FILLED * sizeof *tile, &bar);
  }
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = tile[i];
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return i % CORPUS_TILE < FILLED ? in[i] : 0; });
}
