// Three warps take turns at one buffer: each waits at its own barrier, and arrives at the next warp's. The
// first one gives itself its first turn: it arrives at its own barrier, and is counted there twice.
#include "corpus.h"

constexpr uint32_t TURNS = 3, WARPS = 3;

__global__ void kernel(int *out, const int *in) {
  __shared__ int buffer[32];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) asm volatile("bar.arrive 1, 64;" ::: "memory"); // the first turn
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    const size_t at = ((size_t{blockIdx.x} * TURNS + turn) * WARPS + warp) * 32;
    asm volatile("bar.sync %0, 64;" ::"r"(1 + warp) : "memory"); // our turn
    buffer[lane] = in[at + lane];
    __syncwarp();
    out[at + 31 - lane] = buffer[31 - lane] + 1;
    if (warp + 1 < WARPS || turn + 1 < TURNS)
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + (warp + 1) % WARPS) : "memory");
  }
}

int main() {
  return corpus_check(
      2 * TURNS * WARPS * 32, [](int *out, const int *in) { kernel<<<2, 32 * WARPS>>>(out, in); },
      corpus_plus_one);
}
