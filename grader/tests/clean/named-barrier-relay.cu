// A relay of three warps: each hands a buffer to the next one by a named barrier of its own, at which the
// giver only arrives. The last warp lets the first one go on.
#include "corpus.h"

constexpr uint32_t LANES = 32, ROUNDS = 4;

__device__ static void give(int barrier) {
  asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
}

__device__ static void take(int barrier) {
  asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
}

__global__ void kernel(int *out, const int *in) {
  __shared__ int first[LANES], second[LANES];
  const uint32_t warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const uint32_t i = (blockIdx.x * ROUNDS + round) * LANES + lane;
    if (warp == 0) {
      if (round > 0) take(3);
      first[lane] = in[i];
      give(1);
    } else if (warp == 1) {
      take(1);
      second[LANES - 1 - lane] = first[lane] * 2;
      give(2);
    } else {
      take(2);
      out[i] = second[lane];
      if (round + 1 < ROUNDS) give(3);
    }
  }
}

int main() {
  return corpus_check(
      2 * ROUNDS * LANES, [](int *out, const int *in) { kernel<<<2, 3 * LANES>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i / LANES * LANES + LANES - 1 - i % LANES] * 2; });
}
