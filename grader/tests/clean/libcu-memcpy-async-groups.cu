// cuda::memcpy_async of a whole block and of one thread, on the cuda::barriers of two stages. The waits use
// tokens that are kept over a turn.
#include "corpus.h"
#include <cooperative_groups.h>
#include <cuda/barrier>

constexpr uint32_t TILES = 5;

__global__ void kernel(int *out, const int *in) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(128) int stages[2][CORPUS_TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier ready[2];
  const auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) {
    init(&ready[0], block.size());
    init(&ready[1], block.size());
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  block.sync();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  const auto load = [&](uint32_t t) {
    if (t % 2)
      cuda::memcpy_async(block, stages[1], in + first + t * CORPUS_TILE,
                         cuda::aligned_size_t<16>(sizeof stages[1]), ready[1]);
    else if (block.thread_rank() == 7)
      cuda::memcpy_async(stages[0], in + first + t * CORPUS_TILE, cuda::aligned_size_t<16>(sizeof stages[0]),
                         ready[0]);
    return ready[t % 2].arrive();
  };
  barrier::arrival_token tokens[2] = {load(0), load(1)};
  for (uint32_t t = 0; t < TILES; t++) {
    ready[t % 2].wait(cuda::std::move(tokens[t % 2]));
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + t * CORPUS_TILE + i] = stages[t % 2][i] + 1;
    block.sync();
    if (t + 2 < TILES) tokens[t % 2] = load(t + 2);
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 96>>>(out, in); }, corpus_plus_one);
}
