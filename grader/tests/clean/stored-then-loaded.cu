// A tile is stored by a tensor copy and loaded again by its thread, once the store is known to be complete.
#include "corpus.h"

__global__ void kernel(const __grid_constant__ CUtensorMap map, const int *in) {
  __shared__ alignas(128) int tile[8][8], again[8][8];
  __shared__ uint64_t loaded;
  const uint32_t x = threadIdx.x % 8, y = threadIdx.x / 8;
  if (threadIdx.x == 0) init_barrier(&loaded, 1);
  tile[y][x] = in[threadIdx.x];
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor_2d_shared_to_global(&map, 0, 0, tile);
    tma_commit_group();
    tma_wait_until_pending<0>();
    expect_bytes_and_arrive(&loaded, sizeof again);
    cp_async_bulk_tensor_2d_global_to_shared(again, &map, 0, 0, &loaded);
  }
  wait(&loaded, 0);
  again[y][x] += 1;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor_2d_shared_to_global(&map, 0, 0, again);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      8 * 8, [](int *out, const int *in) { kernel<<<1, 64>>>(corpus_map(out, 8, 8, 8, 8), in); },
      corpus_plus_one);
}
