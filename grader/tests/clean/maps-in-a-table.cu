// A table in global memory holds a count and tensor maps: each map lies at a multiple of 64 bytes.
#include "corpus.h"
#include "tma-map-update.cuh"

constexpr uint32_t SIDE = 16, BOX = SIDE * SIDE, MAPS = 2;

struct table {
  uint32_t count;
  alignas(64) unsigned char maps[MAPS * sizeof(CUtensorMap)];
};

__global__ void kernel(int *out, const table *maps) {
  __shared__ alignas(128) int box[SIDE][SIDE];
  __shared__ uint64_t bar;
  const uint32_t which = blockIdx.x % maps->count;
  const CUtensorMap *map = reinterpret_cast<const CUtensorMap *>(maps->maps) + which;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_proxy_tensormap_acquire_sys(map);
    expect_bytes_and_arrive(&bar, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared(box, map, 0, 0, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < BOX; i += blockDim.x)
    out[which * BOX + i] = box[i / SIDE][i % SIDE] + 1;
}

static void launch(int *out, const int *in) {
  table *there, here;
  here.count = MAPS;
  for (uint32_t i = 0; i < MAPS; i++) {
    const CUtensorMap map = corpus_map(in + i * BOX, SIDE, SIDE, SIDE, SIDE);
    memcpy(here.maps + i * sizeof map, &map, sizeof map);
  }
  CUDA_CHECK(cudaMalloc(&there, sizeof *there));
  CUDA_CHECK(cudaMemcpy(there, &here, sizeof here, cudaMemcpyHostToDevice));
  kernel<<<MAPS, 64>>>(out, there);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(there));
}

int main() {
  return corpus_check(MAPS * BOX, launch, corpus_plus_one);
}
