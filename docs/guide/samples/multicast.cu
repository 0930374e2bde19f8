// In: a table. Out: the table, from each block of a cluster of two. One load from global memory fills both
// blocks' shared memory.
#include "sample.h"
#include "tma-interface.cuh"

constexpr uint32_t TABLE = 512;

// [kernel]
__global__ void __cluster_dims__(2) share_table(int *out, const int *table) {
  __shared__ alignas(16) int mine[TABLE];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&loaded, sizeof mine); // each block announces what it will get
  }
  cluster_arrive(); // no copy may reach a block whose barrier is not initialised
  cluster_wait();
  if (threadIdx.x == 0 && cluster_block_rank() == 0)
    cp_async_bulk_global_to_shared_multicast(mine, table, sizeof mine, &loaded, 0b11);
  wait_cluster(&loaded, 0); // the copy may be another block's
  for (uint32_t i = threadIdx.x; i < TABLE; i += blockDim.x)
    out[blockIdx.x * TABLE + i] = mine[i];
}
// [/kernel]

int main() {
  int *table = managed_array<int>(TABLE), *out = managed_array<int>(4 * TABLE);
  for (uint32_t i = 0; i < TABLE; i++)
    table[i] = static_cast<int>(i ^ 0x55);
  share_table<<<4, 64>>>(out, table);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < 4 * TABLE; i++)
    EXPECT_EQUAL(out[i], table[i % TABLE], i);
  puts("ok");
}
