// Two groups of two warps take turns at one buffer: each waits at its own barrier, and arrives at the other
// group's when it is done. At the end the groups use the same barrier one after the other, for themselves.
#include "corpus.h"

constexpr uint32_t TURNS = 3, GROUP = 64;

__device__ static void meet(uint32_t barrier, uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ static void arrive_at(uint32_t barrier, uint32_t threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__global__ void kernel(int *out, const int *in) {
  __shared__ int buffer[GROUP];
  const uint32_t group = threadIdx.x / GROUP, i = threadIdx.x % GROUP;
  int got = 0;
  if (group == 1) arrive_at(1, 2 * GROUP); // the first turn is the other group's
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    const size_t at = ((size_t{blockIdx.x} * TURNS + turn) * 2 + group) * GROUP;
    meet(1 + group, 2 * GROUP); // our turn
    buffer[i] = in[at + i];
    meet(3 + group, GROUP);
    got = buffer[GROUP - 1 - i];
    meet(3 + group, GROUP);
    if (group == 0 || turn + 1 < TURNS) arrive_at(2 - group, 2 * GROUP); // the other group's turn
    out[at + GROUP - 1 - i] = got + 1;
  }
  if (group == 0) meet(5, GROUP);
  __syncthreads();
  if (group == 1) meet(5, GROUP);
}

int main() {
  return corpus_check(
      2 * TURNS * 2 * GROUP, [](int *out, const int *in) { kernel<<<2, 2 * GROUP>>>(out, in); },
      corpus_plus_one);
}
