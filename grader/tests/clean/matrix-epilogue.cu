// A tile goes through fragments, as before and after a tensor core: it is loaded in bulk, read by ldmatrix,
// changed, written by stmatrix, and stored in bulk.
#include "corpus.h"

constexpr uint32_t ROW_INTS = 4,
                   WARP_ROWS = 32; // a row of an 8x8 matrix is 16 bytes; four matrices to a warp

__device__ static void add_one_to_rows(int *row) {
  const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  uint32_t r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at)
               : "memory");
  for (int m = 0; m < 4; m++)
    r[m] += 1;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]),
               "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &bar);
  }
  wait(&bar, 0);
  add_one_to_rows(tile + (threadIdx.x / 32 * WARP_ROWS + threadIdx.x % 32) * ROW_INTS);
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out + first, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, 64>>>(out, in); },
      corpus_plus_one);
}
