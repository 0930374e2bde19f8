// libcu++: a wait with a limit of time may end without an answer. Each thread asks again until the phase is
// complete; one of them looks after other work in between.
#include "corpus.h"
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda/std/chrono>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr uint32_t TILES = 3;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier bar;
  __shared__ int spare;
  if (threadIdx.x == 0) spare = 0;
  const cuda::std::chrono::microseconds limit(2);
  if (threadIdx.x == 0) {
    init(&bar, 1);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  for (uint32_t t = 0; t < TILES; t++) {
    const size_t first = (size_t{blockIdx.x} * TILES + t) * CORPUS_TILE;
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(tile, in + first, cuda::aligned_size_t<16>(sizeof tile), bar);
      (void)cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    }
    while (!bar.try_wait_parity_for(t & 1, limit))
      if (threadIdx.x == 0) spare = static_cast<int>(t);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + i] = tile[i] + 1;
    __syncthreads();
  }
  if (threadIdx.x == 0 && spare > static_cast<int>(TILES)) out[0] = -1;
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
