// nvcc: -Xptxas -O1
// In: nothing. Out: `ok`. Blocks hand values to the next one by a flag that they poll by plain loads, and
// nothing else. At this level ptxas leaves such a loop alone, so the blocks wait.
#include "self-check.h"
#include <cuda_runtime.h>

constexpr uint32_t THREADS = 64, BLOCKS = 4;

struct mailbox {
  int values[BLOCKS * THREADS], flag[BLOCKS], got[BLOCKS * THREADS];
};

__global__ void hand_over(mailbox *box) {
  const uint32_t i = threadIdx.x, block = blockIdx.x, next = (block + 1) % BLOCKS;
  box->values[block * THREADS + i] = static_cast<int>(block * THREADS + i);
  __threadfence();
  __syncthreads();
  if (i == 0) {
    __stcg(&box->flag[block], 1);
    while (__ldcg(&box->flag[next]) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  box->got[block * THREADS + i] = box->values[next * THREADS + i];
}

int main() {
  guarded<int> memory(sizeof(mailbox) / sizeof(int));
  CUDA_CHECK(cudaMemset(memory.data(), 0, memory.bytes()));
  hand_over<<<BLOCKS, THREADS>>>(reinterpret_cast<mailbox *>(memory.data()));
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int> all = memory.get();
  for (uint32_t i = 0; i < BLOCKS * THREADS; i++) {
    const int got = all[BLOCKS * THREADS + BLOCKS + i];
    const int right = static_cast<int>((i + THREADS) % (BLOCKS * THREADS));
    if (!check_that(got == right, "[%u] is %d, not %d", i, got, right)) break;
  }
  return self_check_result();
}
