// The block sets its sums to zero with ordinary stores, fences, and adds to them by reducing bulk copies.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[2][64];
  int *const sums = out + blockIdx.x * 64;
  sums[threadIdx.x] = 0;
  for (uint32_t half = 0; half < 2; half++)
    tile[half][threadIdx.x] = in[(blockIdx.x * 2 + half) * 64 + threadIdx.x];
  async_proxy_fence_all();
  __syncthreads();
  if (threadIdx.x == 0) {
    for (uint32_t half = 0; half < 2; half++)
      cp_reduce_async_bulk_shared_to_global_add(sums, tile[half], sizeof tile[half]);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      4 * 64, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t block = i / 64, place = i % 64;
        return block < 2 ? in[block * 128 + place] + in[block * 128 + 64 + place] : 0;
      });
}
