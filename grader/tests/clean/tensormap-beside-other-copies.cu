// target: sm_90a
// Copies that have no map in global memory come after one that has: they read no map, so that map may be
// changed while they are on their way, and other blocks may change theirs.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr uint32_t BLOCKS = 4, TURNS = 3, BOXES = 3, ROWS = 8, WIDTH = 16, BOX = ROWS * WIDTH;

__device__ alignas(128) CUtensorMap changed_maps[BLOCKS];

__device__ static void change_map(CUtensorMap *map, CUtensorMap *draft, const int *box) {
  ptx::tensormap_replace_global_address(ptx::space_shared, draft, box);
  __syncwarp();
  ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, draft, ptx::n32_t<128>());
  ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>());
}

__global__ void kernel(int *out, const int *in, const CUtensorMap *patterns,
                       const __grid_constant__ CUtensorMap whole) {
  __shared__ alignas(128) CUtensorMap draft;
  __shared__ alignas(128) int boxes[BOXES][BOX];
  __shared__ uint64_t bar;
  CUtensorMap *map = &changed_maps[blockIdx.x];
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&bar, sizeof draft);
    cp_async_bulk_global_to_shared(&draft, patterns, sizeof draft, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  const uint32_t first = blockIdx.x * TURNS * BOXES;
  change_map(map, &draft, in + first * BOX);
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    const uint32_t at = first + turn * BOXES;
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&bar, sizeof boxes[0]);
      cp_async_bulk_tensor_2d_global_to_shared(boxes[0], map, 0, 0, &bar);
    }
    wait(&bar, 1);
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&bar, 2 * sizeof boxes[0]);
      cp_async_bulk_tensor_2d_global_to_shared(boxes[1], &whole, 0, static_cast<int>((at + 1) * ROWS), &bar);
      cp_async_bulk_global_to_shared(boxes[2], in + (at + 2) * BOX, sizeof boxes[2], &bar);
    }
    __syncwarp();
    if (turn + 1 < TURNS) change_map(map, &draft, in + (at + BOXES) * BOX); // beside those two
    wait(&bar, 0);
    for (uint32_t i = threadIdx.x; i < BOXES * BOX; i += blockDim.x)
      out[at * BOX + i] = boxes[i / BOX][i % BOX] + 1;
    __syncthreads();
  }
}

static void launch(int *out, const int *in) {
  const CUtensorMap pattern = corpus_map(in, WIDTH, ROWS, WIDTH, ROWS);
  CUtensorMap *patterns;
  CUDA_CHECK(cudaMalloc(&patterns, sizeof pattern));
  CUDA_CHECK(cudaMemcpy(patterns, &pattern, sizeof pattern, cudaMemcpyHostToDevice));
  kernel<<<BLOCKS, 32>>>(out, in, patterns,
                         corpus_map(in, WIDTH, BLOCKS * TURNS * BOXES * ROWS, WIDTH, ROWS));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(patterns));
}

int main() {
  return corpus_check(BLOCKS * TURNS * BOXES * BOX, launch, corpus_plus_one);
}
