// In place without a bulk load: threads read global memory, the block meets, and one thread stores the tile
// over what was read. Then each warp does the same with 32 elements of its own.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ alignas(128) int own[2][32];
  const uint32_t first = blockIdx.x * CORPUS_TILE, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = in[first + i];
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] = out[first + CORPUS_TILE - 1 - i];
  async_proxy_fence_all();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out + first, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
  __syncthreads();
  own[warp][lane] = out[first + warp * 32 + lane] + 1;
  async_proxy_fence_all();
  __syncwarp();
  if (lane == 0) {
    cp_async_bulk_shared_to_global(out + first + warp * 32, own[warp], sizeof own[warp]);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t tile = i / CORPUS_TILE * CORPUS_TILE, place = i % CORPUS_TILE;
        return in[tile + CORPUS_TILE - 1 - place] + (place < 64 ? 1 : 0);
      });
}
