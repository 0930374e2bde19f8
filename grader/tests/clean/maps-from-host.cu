// The host writes an array of maps into global memory. Each block has one thread acquire the map it needs;
// another thread loads with it after the block has met, several times.
#include "corpus.h"
#include "tma-map-update.cuh"

constexpr uint32_t MAPS = 3, SIDE = 16, BOX = SIDE * SIDE;

__global__ void kernel(int *out, const CUtensorMap *maps) {
  __shared__ alignas(128) int box[SIDE][SIDE];
  __shared__ uint64_t bar;
  const CUtensorMap *map = &maps[blockIdx.x % MAPS];
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_proxy_tensormap_acquire_sys(map);
  }
  __syncthreads();
  for (uint32_t turn = 0; turn < 2; turn++) {
    if (threadIdx.x == 32) {
      expect_bytes_and_arrive(&bar, sizeof box);
      cp_async_bulk_tensor_2d_global_to_shared(box, map, 0, static_cast<int>(turn * SIDE), &bar);
    }
    wait(&bar, turn & 1);
    for (uint32_t i = threadIdx.x; i < BOX; i += blockDim.x)
      out[(blockIdx.x * 2 + turn) * BOX + i] = box[i / SIDE][i % SIDE] + 1;
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      MAPS * 2 * BOX,
      [](int *out, const int *in) {
        CUtensorMap *there;
        CUDA_CHECK(cudaMalloc(&there, MAPS * sizeof *there));
        for (uint32_t m = 0; m < MAPS; m++) {
          const CUtensorMap map = corpus_map(in + m * 2 * BOX, SIDE, 2 * SIDE, SIDE, SIDE);
          CUDA_CHECK(cudaMemcpy(there + m, &map, sizeof map, cudaMemcpyHostToDevice));
        }
        kernel<<<MAPS, 64>>>(out, there);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(there));
      },
      corpus_plus_one);
}
