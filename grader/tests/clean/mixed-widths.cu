// One tile is written as int4 and as int, in whole lines and parts of lines. Two bulk stores send it; their
// border lies inside a line.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x < 32) {
    reinterpret_cast<int4 *>(tile)[threadIdx.x] = reinterpret_cast<const int4 *>(in + first)[threadIdx.x];
  } else {
    for (uint32_t i = 128 + threadIdx.x - 32; i < CORPUS_TILE; i += 32)
      tile[i] = in[first + i];
  }
  __syncthreads();
  if (threadIdx.x < 50) { // part of a warp, across lines
    tile[threadIdx.x * 5] += 1;
    async_proxy_fence();
  }
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 63) {
    cp_async_bulk_shared_to_global(out + first, tile, 1024 - 16);
    cp_async_bulk_shared_to_global(out + first + 252, tile + 252, 16);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i] + (i % 256 % 5 == 0 && i % 256 < 250); });
}
