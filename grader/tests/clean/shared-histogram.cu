// Atomics on shared counters, then a reducing bulk store of the whole histogram.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[in[blockIdx.x * 128 + threadIdx.x] % 16], 1);
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_reduce_async_bulk_shared_to_global_add(out, counts, sizeof counts);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      4 * 128, [](int *out, const int *in) { kernel<<<4, 128>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int count = 0;
        for (size_t j = 0; i < 16 && j < in.size(); j++)
          count += in[j] % 16 == static_cast<int>(i);
        return count;
      });
}
