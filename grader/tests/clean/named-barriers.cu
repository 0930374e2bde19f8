// A producer warp and a consumer warp synchronise at named barriers: bar.arrive on one side, bar.sync on the
// other.
#include "corpus.h"

constexpr uint32_t ROUNDS = 4;

__global__ void kernel(int *out, const int *in) {
  __shared__ int buffer[32];
  const uint32_t lane = threadIdx.x % 32;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const size_t at = (size_t{blockIdx.x} * ROUNDS + round) * 32 + lane;
    if (threadIdx.x < 32) {
      if (round > 0) asm volatile("bar.sync 2, 64;" ::: "memory"); // the buffer is free
      buffer[lane] = in[at] + 1;
      asm volatile("bar.arrive 1, 64;" ::: "memory"); // the buffer is full
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      out[at] = buffer[lane ^ 1];
      if (round + 1 < ROUNDS) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}

int main() {
  return corpus_check(
      2 * ROUNDS * 32, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i ^ 1] + 1; });
}
