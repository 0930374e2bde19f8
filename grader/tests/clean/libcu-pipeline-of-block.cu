// cuda::pipeline of the block, in which all threads copy and all use the tiles.
#include "corpus.h"
#include <cooperative_groups.h>
#include <cuda/pipeline>

constexpr uint32_t TILES = 6;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[2][CORPUS_TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  for (uint32_t next = 0, t = 0; t < TILES; t++) {
    for (; next < TILES && next < t + 2; next++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stages[next % 2], in + first + next * CORPUS_TILE,
                         cuda::aligned_size_t<16>(sizeof stages[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + t * CORPUS_TILE + i] = stages[t % 2][CORPUS_TILE - 1 - i];
    pipe.consumer_release();
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 128>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return in[i / CORPUS_TILE * CORPUS_TILE + CORPUS_TILE - 1 - i % CORPUS_TILE];
      });
}
