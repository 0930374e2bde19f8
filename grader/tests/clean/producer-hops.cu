// In each turn another thread fills the stage, and waits for an empty barrier on which it has never waited
// before. In each turn another lane of each warp arrives.
#include "corpus.h"

constexpr uint32_t STAGES = 2, TILES = 9;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], 4);
    }
    async_proxy_fence();
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  const auto load = [&](uint32_t t) {
    if (t >= TILES || threadIdx.x != t * 37 % 128) return;
    wait(&empty[t % STAGES], (t / STAGES & 1) ^ 1);
    expect_bytes_and_arrive(&full[t % STAGES], sizeof stages[0]);
    cp_async_bulk_global_to_shared(stages[t % STAGES], in + first + t * CORPUS_TILE, sizeof stages[0],
                                   &full[t % STAGES]);
  };
  load(0);
  for (uint32_t t = 0; t < TILES; t++) {
    load(t + 1);
    wait(&full[t % STAGES], t / STAGES & 1);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + t * CORPUS_TILE + i] = stages[t % STAGES][i] + 1;
    __syncwarp();
    if (threadIdx.x % 32 == t % 32) arrive(&empty[t % STAGES]);
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 128>>>(out, in); }, corpus_plus_one);
}
