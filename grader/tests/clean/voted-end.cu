// The block votes (a barrier with a reduction) whether to go round again. The vote also synchronises the
// block, which frees the buffer.
#include "corpus.h"

constexpr uint32_t TILES = 5;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  __syncthreads();
  uint32_t t = 0;
  do {
    const size_t first = (size_t{blockIdx.x} * TILES + t) * CORPUS_TILE;
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&bar, sizeof tile);
      cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &bar);
    }
    wait(&bar, t & 1);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + i] = tile[CORPUS_TILE - 1 - i] + 1;
    t++;
  } while (__syncthreads_or(threadIdx.x == 17 && t < TILES));
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i ^ 255] + 1; });
}
