// One dynamic array holds tiles, barriers and scratch values, at offsets computed by hand.
#include "corpus.h"

struct layout {
  alignas(128) int tile[2][CORPUS_TILE];
  uint64_t bars[2];
  int sums[2];
};

__global__ void kernel(int *out, const int *in) {
  extern __shared__ __align__(128) unsigned char memory[];
  layout &shared = *reinterpret_cast<layout *>(memory);
  const size_t first = size_t{blockIdx.x} * 2 * CORPUS_TILE;
  if (threadIdx.x < 2) {
    init_barrier(&shared.bars[threadIdx.x], 1);
    shared.sums[threadIdx.x] = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (uint32_t t = 0; t < 2; t++) {
      expect_bytes_and_arrive(&shared.bars[t], sizeof shared.tile[t]);
      cp_async_bulk_global_to_shared(shared.tile[t], in + first + t * CORPUS_TILE, sizeof shared.tile[t],
                                     &shared.bars[t]);
    }
  }
  const uint32_t t = threadIdx.x / 32; // one warp for each tile
  wait(&shared.bars[t], 0);
  for (uint32_t i = threadIdx.x % 32; i < CORPUS_TILE; i += 32)
    atomicAdd(&shared.sums[t], shared.tile[t][i]);
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < 2 * CORPUS_TILE; i += blockDim.x)
    out[first + i] = shared.sums[i / CORPUS_TILE];
}

int main() {
  return corpus_check(
      2 * 2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64, sizeof(layout)>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (size_t j = 0; j < CORPUS_TILE; j++)
          sum += in[i / CORPUS_TILE * CORPUS_TILE + j];
        return sum;
      });
}
