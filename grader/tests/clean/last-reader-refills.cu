// There is no empty barrier: a counter tells which warp was the last to read a stage, and this warp starts
// the next load into it. The phases of all stages are bits of one register. The block is two-dimensional, and
// its size is no multiple of a warp.
#include "corpus.h"

constexpr uint32_t STAGES = 3, TILES = 8, THREADS = 80, WARPS = 3;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES];
  __shared__ uint32_t readers[STAGES];
  const uint32_t thread = threadIdx.y * blockDim.x + threadIdx.x;
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  const auto load = [&](uint32_t t) {
    expect_bytes_and_arrive(&full[t % STAGES], sizeof stages[0]);
    cp_async_bulk_global_to_shared(stages[t % STAGES], in + first + t * CORPUS_TILE, sizeof stages[0],
                                   &full[t % STAGES]);
  };
  if (thread < STAGES) {
    init_barrier(&full[thread], 1);
    readers[thread] = 0;
    async_proxy_fence();
    load(thread); // each of them its own stage
  }
  __syncthreads();
  uint32_t phases = 0;
  for (uint32_t t = 0; t < TILES; t++) {
    const uint32_t s = t % STAGES;
    wait(&full[s], phases >> s & 1);
    phases ^= 1u << s;
    for (uint32_t i = thread; i < CORPUS_TILE; i += THREADS)
      out[first + t * CORPUS_TILE + i] = stages[s][i] + 1;
    __syncwarp(thread < 64 ? 0xffffffff : 0xffff);
    if (thread % 32 != 0) continue;
    __threadfence_block();
    const bool last = atomicInc(&readers[s], WARPS - 1) == WARPS - 1;
    __threadfence_block();
    if (last && t + STAGES < TILES) load(t + STAGES);
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, dim3(16, 5)>>>(out, in); },
      corpus_plus_one);
}
