// A flag in shared memory: release on one side, acquire on the other, and no barrier at all.
#include "corpus.h"
#include <cuda/atomic>

__global__ void kernel(int *out, const int *in) {
  __shared__ int data[32];
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
  if (threadIdx.x < 32) {
    data[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    ready.fetch_add(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) != 32) {
    }
    out[blockIdx.x * 32 + threadIdx.x - 32] = data[63 - threadIdx.x];
  }
}

int main() {
  return corpus_check(
      2 * 32, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i / 32 * 32 + 31 - i % 32]; });
}
