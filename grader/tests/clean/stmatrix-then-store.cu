// Each warp writes its part of a tile by stmatrix, fences, and stores it.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[4][32];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t row = static_cast<uint32_t>(__cvta_generic_to_shared(&tile[warp][lane % 8 * 4]));
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(in[threadIdx.x] + 1)
               : "memory");
  async_proxy_fence();
  __syncwarp();
  if (lane == 0) {
    cp_async_bulk_shared_to_global(out + warp * 32, tile[warp], sizeof tile[warp]);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      128, [](int *out, const int *in) { kernel<<<1, 128>>>(out, in); }, corpus_plus_one);
}
