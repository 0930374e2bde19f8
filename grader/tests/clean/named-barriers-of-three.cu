// One producer warp and three consumer warps. The consumers meet among themselves at a barrier of 96 threads;
// barriers of 128 hand the buffer over and back; all threads of the block meet at the end.
#include "corpus.h"

constexpr uint32_t ROUNDS = 3, CONSUMERS = 96;

__global__ void kernel(int *out, const int *in) {
  __shared__ int buffer[CONSUMERS], turned[CONSUMERS], sum;
  const uint32_t base = blockIdx.x * ROUNDS * CONSUMERS;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x >= CONSUMERS) {
    for (uint32_t round = 0; round < ROUNDS; round++) {
      if (round > 0) asm volatile("bar.sync 2, 128;" ::: "memory"); // the buffer is free
      for (uint32_t i = threadIdx.x - CONSUMERS; i < CONSUMERS; i += 32)
        buffer[i] = in[base + round * CONSUMERS + i];
      asm volatile("bar.arrive 1, 128;" ::: "memory"); // the buffer is full
    }
  } else {
    for (uint32_t round = 0; round < ROUNDS; round++) {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      turned[threadIdx.x] = buffer[CONSUMERS - 1 - threadIdx.x];
      if (round + 1 < ROUNDS) asm volatile("bar.arrive 2, 128;" ::: "memory");
      asm volatile("bar.sync 3, 96;" ::: "memory"); // all have turned
      out[base + round * CONSUMERS + threadIdx.x] = turned[CONSUMERS - 1 - threadIdx.x] + 1;
      asm volatile("bar.sync 3, 96;" ::: "memory"); // all have read
    }
    atomicAdd(&sum, 1);
  }
  __syncthreads();
  if (sum != static_cast<int>(CONSUMERS)) out[base + threadIdx.x] = -1;
}

int main() {
  return corpus_check(
      2 * ROUNDS * CONSUMERS, [](int *out, const int *in) { kernel<<<2, CONSUMERS + 32>>>(out, in); },
      corpus_plus_one);
}
