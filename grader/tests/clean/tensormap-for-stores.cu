// target: sm_90a
// The epilogue of a grouped product: the map of the stores is made in shared memory for each group, published
// in global memory by a consumer warp, acquired, and used for a store by an elected lane. A store is complete
// before its map is changed.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr uint32_t GROUPS = 6, ROWS = 8, WIDTH = 16;

__device__ alignas(128) CUtensorMap store_maps[2];

__global__ void kernel(int *out, const int *in, const __grid_constant__ CUtensorMap pattern) {
  __shared__ alignas(128) CUtensorMap draft;
  __shared__ alignas(128) int box[ROWS][WIDTH];
  CUtensorMap *map = &store_maps[blockIdx.x];
  if (threadIdx.x == 0) draft = pattern;
  __syncthreads();
  for (uint32_t group = blockIdx.x; group < GROUPS; group += gridDim.x) {
    for (uint32_t i = threadIdx.x; i < ROWS * WIDTH; i += blockDim.x)
      box[i / WIDTH][i % WIDTH] = in[group * ROWS * WIDTH + i] + 1;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x < 32) {
      if (elect_one()) {
        ptx::tensormap_replace_global_address(ptx::space_shared, &draft, out + group * ROWS * WIDTH);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &draft, ptx::n32_t<1>(), 4 + group % 4);
      }
      __syncwarp();
      ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, &draft, ptx::n32_t<128>());
      ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>());
      if (elect_one()) {
        cp_async_bulk_tensor_2d_shared_to_global(map, 0, 0, box);
        tma_commit_group();
        tma_wait_until_pending<0>();
      }
    }
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      GROUPS * ROWS * WIDTH,
      [](int *out, const int *in) { kernel<<<2, 64>>>(out, in, corpus_map(out, WIDTH, ROWS, WIDTH, ROWS)); },
      [](const std::vector<int> &in, size_t i) {
        const size_t group = i / (ROWS * WIDTH), row = i / WIDTH % ROWS;
        return row < 4 + group % 4 ? in[i] + 1 : 0;
      });
}
