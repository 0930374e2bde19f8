// One kernel writes a map into global memory; the next one acquires it in each block and stores with it.
#include "corpus.h"
#include "tma-map-update.cuh"

constexpr uint32_t SIDE = 16, BOX = SIDE * SIDE, BLOCKS = 3;
__device__ alignas(128) CUtensorMap made;

__global__ void make(const __grid_constant__ CUtensorMap pattern) {
  made = pattern;
  fence_proxy_tensormap_release_gpu();
}

__global__ void kernel(int *, const int *in) {
  __shared__ alignas(128) int box[SIDE][SIDE];
  for (uint32_t i = threadIdx.x; i < BOX; i += blockDim.x)
    box[i / SIDE][i % SIDE] = in[blockIdx.x * BOX + i] + 1;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    fence_proxy_tensormap_acquire_gpu(&made);
    cp_async_bulk_tensor_2d_shared_to_global(&made, 0, static_cast<int>(blockIdx.x * SIDE), box);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      BLOCKS * BOX,
      [](int *out, const int *in) {
        make<<<1, 1>>>(corpus_map(out, SIDE, BLOCKS * SIDE, SIDE, SIDE));
        kernel<<<BLOCKS, 64>>>(out, in);
      },
      corpus_plus_one);
}
