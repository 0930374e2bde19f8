// cuda::atomic_ref in shared memory: with release and acquire two warps pass a buffer to and fro, without any
// barrier.
#include "corpus.h"
#include <cuda/atomic>

constexpr int ROUNDS = 4;

__global__ void kernel(int *out, const int *in) {
  __shared__ int data[32], turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(turn);
  const uint32_t lane = threadIdx.x % 32;
  for (int r = 0; r < ROUNDS; r++) {
    const size_t at = (size_t{blockIdx.x} * ROUNDS + r) * 32 + lane;
    if (threadIdx.x < 32) {
      if (lane == 0)
        while (flag.load(cuda::memory_order_acquire) != 2 * r) {
        }
      __syncwarp();
      data[lane] = in[at] + 1;
      __syncwarp();
      if (lane == 0) flag.store(2 * r + 1, cuda::memory_order_release);
    } else {
      while (flag.load(cuda::memory_order_acquire) != 2 * r + 1) {
      }
      out[at] = data[31 - lane];
      __syncwarp();
      if (lane == 0) flag.store(2 * r + 2, cuda::memory_order_release);
    }
  }
}

int main() {
  return corpus_check(
      2 * ROUNDS * 32, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i ^ 31] + 1; });
}
