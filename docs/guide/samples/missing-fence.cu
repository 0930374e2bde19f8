// WRONG on purpose: no fence before the store. In: nothing. Out: on the virtual Hopper, a proxy-fence report.
#include "sample.h"
#include "tma-interface.cuh"

__global__ void fill(int *out) {
  __shared__ alignas(16) int tile[128];
  tile[threadIdx.x] = 42;
  __syncthreads(); // orders threads, but not the copy engine's view
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  int *out = managed_array<int>(128);
  fill<<<1, 128>>>(out);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 128; i++)
    EXPECT_EQUAL(out[i], 42, i);
  puts("ok");
}
