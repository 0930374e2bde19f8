// The last tile is short, and its size is no multiple of 16 bytes: a bulk load brings the first part,
// ordinary accesses of some threads the rest. The tile's barrier counts these threads, too. The tile is
// stored in the same way.
#include "corpus.h"

__global__ void kernel(int *out, const int *in, uint32_t count) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const uint32_t first = blockIdx.x * CORPUS_TILE, length = min(CORPUS_TILE, count - first),
                 bulk = length / 4 * 4;
  if (threadIdx.x == 0) {
    init_barrier(&bar, blockDim.x);
    async_proxy_fence();
  }
  __syncthreads();
  for (uint32_t i = bulk + threadIdx.x; i < length; i += blockDim.x)
    tile[i] = in[first + i];
  if (threadIdx.x == 0 && bulk) {
    cp_async_bulk_global_to_shared(tile, in + first, bulk * sizeof(int), &bar);
    expect_bytes(&bar, bulk * sizeof(int));
  }
  arrive(&bar);
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < length; i += blockDim.x)
    tile[i] += 1;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0 && bulk) {
    cp_async_bulk_shared_to_global(out + first, tile, bulk * sizeof(int));
    tma_commit_group();
  }
  for (uint32_t i = bulk + threadIdx.x; i < length; i += blockDim.x)
    out[first + i] = tile[i];
  tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE + 7, [](int *out, const int *in) { kernel<<<3, 64>>>(out, in, 2 * CORPUS_TILE + 7); },
      corpus_plus_one);
}
