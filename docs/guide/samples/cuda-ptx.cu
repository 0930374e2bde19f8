// In: an array. Out: each element one more: bulk-copy.cu, written with cuda::ptx.
#include "sample.h"

#include <cuda/ptx>

constexpr unsigned TILE = 1024;

// [kernel]
namespace ptx = cuda::ptx;

__global__ void add_one(int *data) {
  __shared__ alignas(16) int tile[TILE];
  __shared__ uint64_t loaded;
  int *mine = data + blockIdx.x * TILE;

  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&loaded, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                   &loaded, sizeof tile);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, mine, sizeof tile,
                       &loaded);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &loaded, 0)) {
  }

  for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x)
    tile[i] += 1;

  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, mine, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
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
