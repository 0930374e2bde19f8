// cuda::atomic_ref between blocks: one releases, the other acquires, and the data is plain memory. Then it
// goes back the other way, into the same words.
#include "corpus.h"
#include <cuda/atomic>

constexpr uint32_t PAIRS = 3, PART = 64, ROUNDS = 3;
__device__ int mail[PAIRS * PART];
__device__ unsigned int turn[PAIRS];

__global__ void kernel(int *out, const int *in) {
  const uint32_t pair = blockIdx.x / 2, side = blockIdx.x % 2, at = pair * PART + threadIdx.x;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(turn[pair]);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    if (threadIdx.x == 0)
      while (flag.load(cuda::memory_order_acquire) != 2 * round + side) {
      }
    __syncthreads();
    if (side == 0)
      mail[at] = (round == 0 ? in[at] : mail[at]) + 1;
    else
      mail[at] = mail[at] * 2;
    __syncthreads();
    if (threadIdx.x == 0) flag.store(2 * round + side + 1, cuda::memory_order_release);
  }
  if (side == 1) out[at] = mail[at];
}

int main() {
  return corpus_check(
      PAIRS * PART, [](int *out, const int *in) { kernel<<<2 * PAIRS, PART>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return 8 * in[i] + 14; });
}
