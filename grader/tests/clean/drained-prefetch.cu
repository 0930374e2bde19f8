// A ring filled ahead of need: the consumers stop at the first tile that begins with the mark, and the loads
// that are under way then are waited for before anybody leaves.
#include "corpus.h"

constexpr uint32_t STAGES = 3, TILES = 8;

__global__ void kernel(int *out, const int *in, int mark) {
  __shared__ alignas(128) int stages[STAGES][CORPUS_TILE];
  __shared__ uint64_t full[STAGES];
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  const auto load = [&](uint32_t t) {
    expect_bytes_and_arrive(&full[t % STAGES], sizeof stages[0]);
    cp_async_bulk_global_to_shared(stages[t % STAGES], in + first + t * CORPUS_TILE, sizeof stages[0],
                                   &full[t % STAGES]);
  };
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++)
      init_barrier(&full[s], 1);
    for (uint32_t s = 0; s < STAGES; s++)
      load(s);
  }
  __syncthreads();
  uint32_t issued = STAGES, t = 0;
  for (;; t++) {
    wait(&full[t % STAGES], t / STAGES & 1);
    const int value = stages[t % STAGES][threadIdx.x];
    if (stages[t % STAGES][0] >= mark || t + 1 == TILES) break;
    out[first + t * CORPUS_TILE + threadIdx.x] = value;
    __syncthreads();
    if (issued == TILES) continue;
    if (threadIdx.x == 0) load(issued);
    issued++;
  }
  for (uint32_t rest = t + 1; rest < issued; rest++)
    if (threadIdx.x == 0) wait(&full[rest % STAGES], rest / STAGES & 1);
}

int main() {
  const int mark = 4 * CORPUS_TILE * 7 + 3; // of the fifth tile of the first block
  return corpus_check(
      TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<1, CORPUS_TILE>>>(out, in, mark); },
      [](const std::vector<int> &in, size_t i) { return i / CORPUS_TILE < 4 ? in[i] : 0; });
}
