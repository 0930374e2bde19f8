// A ring that 64 threads fill with cp.async: their copies arrive for them, and 64 others give stages back. An
// arrival comes after its thread's wait for the empty stage, though it tells nobody of that wait.
#include "corpus.h"

constexpr uint32_t STAGES = 2, FILLERS = 64, READERS = 64, TILES = 7;

__device__ static void fill(int (*stages)[CORPUS_TILE], uint64_t *full, uint64_t *empty, const int *in) {
  for (uint32_t t = 0; t < TILES; t++) {
    const uint32_t s = t % STAGES, first = threadIdx.x * 4;
    wait(&empty[s], (t / STAGES & 1) ^ 1);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(tma_shared_address(stages[s] + first)),
                 "l"(in + t * CORPUS_TILE + first)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(tma_shared_address(&full[s]))
                 : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int stages[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], FILLERS);
      init_barrier(&empty[s], READERS / 32);
    }
  }
  __syncthreads();
  const size_t base = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  if (threadIdx.x < FILLERS) {
    fill(stages, full, empty, in + base);
    return;
  }
  for (uint32_t t = 0; t < TILES; t++) {
    const uint32_t s = t % STAGES;
    wait(&full[s], t / STAGES & 1);
    for (uint32_t i = threadIdx.x - FILLERS; i < CORPUS_TILE; i += READERS)
      out[base + t * CORPUS_TILE + i] = stages[s][i] + 1;
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&empty[s]);
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, FILLERS + READERS>>>(out, in); },
      corpus_plus_one);
}
