// Four warps fill two buffers in turn, and a fifth one stores them. Two barriers tell that a buffer is full,
// two that it is free again.
#include "corpus.h"

constexpr uint32_t ROUNDS = 4, FILLERS = 128;

__device__ static void arrive_at(uint32_t barrier) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(FILLERS + 32) : "memory");
}

__device__ static void meet_at(uint32_t barrier) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(FILLERS + 32) : "memory");
}

__global__ void kernel(int *out, const int *in) {
  __shared__ int buffers[2][FILLERS];
  const uint32_t base = blockIdx.x * ROUNDS * FILLERS;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const uint32_t full = 1 + round % 2, is_free = 3 + round % 2;
    if (threadIdx.x < FILLERS) {
      if (round > 1) meet_at(is_free);
      buffers[round % 2][threadIdx.x] = in[base + round * FILLERS + threadIdx.x];
      arrive_at(full);
    } else {
      meet_at(full);
      for (uint32_t i = threadIdx.x - FILLERS; i < FILLERS; i += 32)
        out[base + round * FILLERS + i] = buffers[round % 2][i] + 1;
      if (round + 2 < ROUNDS) arrive_at(is_free);
    }
  }
}

int main() {
  return corpus_check(
      2 * ROUNDS * FILLERS, [](int *out, const int *in) { kernel<<<2, FILLERS + 32>>>(out, in); },
      corpus_plus_one);
}
