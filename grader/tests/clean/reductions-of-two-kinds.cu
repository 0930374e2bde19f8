// All blocks add to one row by reducing bulk copies, and keep the greatest of their values in another.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[64];
  int *const sums = out, *const greatest = out + 64;
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (blockIdx.x % 2 == 0)
      cp_reduce_async_bulk_shared_to_global_add(sums, tile, sizeof tile);
    else
      cp_reduce_async_bulk_shared_to_global_max(greatest, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      4 * 64, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return i < 64 ? in[i] + in[i + 128] : i < 128 ? in[i + 128] : 0;
      });
}
