// In: an array. Out: each element one more: bulk-copy.cu, written with libcu++.
#include "sample.h"

#include <cuda/barrier>

constexpr unsigned TILE = 1024;

// [kernel]
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
namespace experimental = cuda::device::experimental;

__global__ void add_one(int *data) {
  __shared__ alignas(16) int tile[TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier loaded;
  int *mine = data + blockIdx.x * TILE;

  if (threadIdx.x == 0) {
    init(&loaded, blockDim.x); // every thread arrives
    experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  block_barrier::arrival_token token; // it remembers the phase: no parity to keep
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, mine, cuda::aligned_size_t<16>(sizeof tile),
                                  loaded);
    token = cuda::device::barrier_arrive_tx(loaded, 1, sizeof tile);
  } else {
    token = loaded.arrive();
  }
  loaded.wait(cuda::std::move(token));

  for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x)
    tile[i] += 1;

  experimental::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    experimental::cp_async_bulk_shared_to_global(mine, tile, sizeof tile);
    experimental::cp_async_bulk_commit_group();
    experimental::cp_async_bulk_wait_group_read<0>();
  }
}
// [/kernel]

int main() {
  constexpr unsigned blocks = 8;
  int *data = managed_array<int>(blocks * TILE);
  for (unsigned i = 0; i < blocks * TILE; i++)
    data[i] = static_cast<int>(3 * i);
  add_one<<<blocks, 128>>>(data);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (unsigned i = 0; i < blocks * TILE; i++)
    EXPECT_EQUAL(data[i], 3 * i + 1, i);
  puts("ok");
}
