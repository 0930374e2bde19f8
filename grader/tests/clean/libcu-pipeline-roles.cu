// cuda::pipeline of the block with a state in shared memory: one warp produces, and the others consume.
#include "corpus.h"
#include <cooperative_groups.h>
#include <cuda/pipeline>

constexpr uint32_t TILES = 6;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[2][CORPUS_TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cooperative_groups::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(block, &state,
                                  produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  if (produces) {
    const auto warp = cooperative_groups::tiled_partition<32>(block);
    for (uint32_t t = 0; t < TILES; t++) {
      pipe.producer_acquire();
      cuda::memcpy_async(warp, stages[t % 2], in + first + t * CORPUS_TILE,
                         cuda::aligned_size_t<16>(sizeof stages[0]), pipe);
      pipe.producer_commit();
    }
  } else {
    for (uint32_t t = 0; t < TILES; t++) {
      pipe.consumer_wait();
      for (uint32_t i = threadIdx.x - 32; i < CORPUS_TILE; i += blockDim.x - 32)
        out[first + t * CORPUS_TILE + i] = stages[t % 2][CORPUS_TILE - 1 - i];
      pipe.consumer_release();
    }
  }
  pipe.quit();
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 96>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return in[i / CORPUS_TILE * CORPUS_TILE + CORPUS_TILE - 1 - i % CORPUS_TILE];
      });
}
