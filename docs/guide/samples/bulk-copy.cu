// In: an array. Out: each element one more. One tile per block: load, wait, change, fence, store, wait.
#include "sample.h"
#include "tma-interface.cuh"

constexpr uint32_t TILE = 1024;

__global__ void add_one(int *data) {
  // [shared]
  __shared__ alignas(16) int tile[TILE];
  __shared__ uint64_t loaded;
  // [/shared]
  int *mine = data + blockIdx.x * TILE;

  // [load]
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&loaded, sizeof tile);
    cp_async_bulk_global_to_shared(tile, mine, sizeof tile, &loaded);
  }
  __syncthreads();  // from here on everybody may use the barrier
  wait(&loaded, 0); // the tile is there, for the thread that waited
  // [/load]

  for (uint32_t i = threadIdx.x; i < TILE; i += blockDim.x)
    tile[i] += 1;

  // [store]
  async_proxy_fence(); // each writer: my writes, visible to the copy engine
  __syncthreads();     // all writers have said so
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(mine, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>(); // the tile has been read: the block may end
  }
  // [/store]
}

int main() {
  constexpr uint32_t blocks = 8;
  int *data = managed_array<int>(blocks * TILE);
  for (uint32_t i = 0; i < blocks * TILE; i++)
    data[i] = static_cast<int>(3 * i);
  add_one<<<blocks, 128>>>(data);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < blocks * TILE; i++)
    EXPECT_EQUAL(data[i], 3 * i + 1, i);
  puts("ok");
}
