// cuda::barrier: a tile is loaded before it is known whether it is needed, and waited for in both cases.
#include "corpus.h"
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, in + first, cuda::aligned_size_t<16>(sizeof tile), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
  } else {
    token = bar.arrive();
  }
  const bool needed = in[first] / 256 % 2 != 0;
  if (needed) {
    bar.wait(cuda::std::move(token));
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + i] = tile[i] + 1;
    return;
  }
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    out[first + i] = 1;
  if (threadIdx.x == 0) bar.wait(cuda::std::move(token)); // the memory is let go only then
}

int main() {
  return corpus_check(
      4 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return in[i / CORPUS_TILE * CORPUS_TILE] / 256 % 2 != 0 ? in[i] + 1 : 1;
      });
}
