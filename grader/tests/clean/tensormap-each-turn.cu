// target: sm_90a
// A map for each group of a batch, as in grouped products: it is made in shared memory from a template, its
// address and sizes are replaced, a whole warp publishes it, and it is acquired and used. The same map in
// global memory is used again for the next group.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr uint32_t GROUPS = 5, WIDTH = 16;

__device__ alignas(128) CUtensorMap maps[2];

__global__ void kernel(int *out, const int *in, const __grid_constant__ CUtensorMap pattern) {
  __shared__ alignas(128) CUtensorMap draft;
  __shared__ alignas(128) int box[8][WIDTH];
  __shared__ uint64_t bar;
  CUtensorMap *map = &maps[blockIdx.x];
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  for (uint32_t group = blockIdx.x, turn = 0; group < GROUPS; group += gridDim.x, turn++) {
    if (threadIdx.x < 32) {
      if (threadIdx.x == 0) {
        draft = pattern;
        ptx::tensormap_replace_global_address(ptx::space_shared, &draft, in + group * 8 * WIDTH);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &draft, ptx::n32_t<1>(), 5 + group % 3);
      }
      __syncwarp();
      ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, &draft, ptx::n32_t<128>());
      ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>());
      if (threadIdx.x == 0) {
        expect_bytes_and_arrive(&bar, sizeof box);
        cp_async_bulk_tensor_2d_global_to_shared(box, map, 0, 0, &bar);
      }
      __syncwarp();
    }
    wait(&bar, turn & 1);
    for (uint32_t i = threadIdx.x; i < 8 * WIDTH; i += blockDim.x)
      out[group * 8 * WIDTH + i] = box[i / WIDTH][i % WIDTH];
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      GROUPS * 8 * WIDTH,
      [](int *out, const int *in) { kernel<<<2, 64>>>(out, in, corpus_map(in, WIDTH, 8, WIDTH, 8)); },
      [](const std::vector<int> &in, size_t i) {
        const size_t group = i / (8 * WIDTH), row = i / WIDTH % 8;
        return row < 5 + group % 3 ? in[i] : 0;
      });
}
