// submission: 2-tiles-2d
// expect: exit 0
// An honest solution: tensor maps and the positions of the tiles lie in global memory, where all threads read
// them. This is no detour of the data.
#include "lab9.h"
#include "tensor-map.h"
#include "tma-interface.cuh"
#include "tma-map-update.cuh"
#include <vector>
constexpr int TW = 16, TH = 16, BW = TW + 8, BH = TH + 2;
struct plan {
  CUtensorMap in, out;
  int2 tiles[1];
};
__global__ void k(const plan *p) {
  __shared__ alignas(128) float box[BH][BW];
  __shared__ alignas(128) float res[TH][TW];
  __shared__ uint64_t bar;
  int2 at = p->tiles[blockIdx.x];
  if (threadIdx.x == 0) {
    fence_proxy_tensormap_acquire_sys(&p->in);
    fence_proxy_tensormap_acquire_sys(&p->out);
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared(box, &p->in, at.x - 4, at.y - 1, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  int x = threadIdx.x % TW, y = threadIdx.x / TW;
  res[y][x] =
      0.25f * (box[y][x + 4] + box[y + 2][x + 4] + box[y + 1][x + 3] + box[y + 1][x + 5]) - box[y + 1][x + 4];
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor_2d_shared_to_global(&p->out, at.x, at.y, res);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}
extern "C" cudaError_t launch_tiles_2d(float *out, const float *in, size_t w, size_t h, size_t pitch,
                                       cudaStream_t s) {
  size_t nx = (w + TW - 1) / TW, ny = (h + TH - 1) / TH, bytes = sizeof(plan) + 8 * nx * ny;
  std::vector<char> raw(bytes + 64);
  plan *host = (plan *)(((size_t)raw.data() + 63) / 64 * 64);
  cudaError_t e = tensor_map_encode_2d(&host->in, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, in, w, h, pitch, BW, BH);
  if (e) return e;
  e = tensor_map_encode_2d(&host->out, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, out, w, h, pitch, TW, TH);
  if (e) return e;
  for (size_t i = 0; i < nx * ny; i++)
    host->tiles[i] = make_int2((int)(i % nx * TW), (int)(i / nx * TH));
  plan *dev;
  cudaMallocAsync(&dev, bytes, s);
  cudaMemcpyAsync(dev, host, bytes, cudaMemcpyHostToDevice, s);
  k<<<(unsigned)(nx * ny), TW * TH, 0, s>>>(dev);
  e = cudaGetLastError();
  cudaFreeAsync(dev, s);
  cudaStreamSynchronize(s);
  return e;
}
