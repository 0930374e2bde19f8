// cuda::memcpy_async over a thread group and a cuda::barrier, two phases.
#include "corpus.h"
#include <cooperative_groups.h>
#include <cuda/barrier>

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  for (uint32_t round = 0; round < 2; round++) {
    const size_t first = (size_t{blockIdx.x} * 2 + round) * CORPUS_TILE;
    cuda::memcpy_async(block, tile, in + first, cuda::aligned_size_t<16>(sizeof tile), bar);
    bar.arrive_and_wait();
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + i] = tile[i] + 1;
    block.sync();
  }
}

int main() {
  return corpus_check(
      2 * 2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
