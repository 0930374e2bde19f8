// libcu++: cuda::barrier with cuda::device::memcpy_async_tx and barrier_arrive_tx, as in its documentation.
#include "corpus.h"
#include <cuda/barrier>
#include <cuda/ptx>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  block_barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, in + first, cuda::aligned_size_t<16>(sizeof tile), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
  } else {
    token = bar.arrive();
  }
  bar.wait(cuda::std::move(token));
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] += 1;
  cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out + first, tile,
                             sizeof tile);
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
  }
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
