// submission: 4-store-commit-groups
// expect: exit 0
// An honest solution: as many blocks as SMs, whatever the array, with one ring for loads and another for
// stores.
#include "lab9.h"
#include "tma-interface.cuh"
constexpr int ST = 4, T = 256;
constexpr unsigned TILE = 2048;
__global__ void __launch_bounds__(T) k(float *out, const float *in, size_t count, float a, float b) {
  extern __shared__ __align__(128) float smem[];
  float *ib = smem, *ob = smem + ST * TILE;
  __shared__ uint64_t full[ST];
  size_t tiles = (count + TILE - 1) / TILE;
  auto size = [&](size_t t) { return (unsigned)min((size_t)TILE, count - t * TILE); };
  auto load = [&](unsigned n) {
    size_t t = blockIdx.x + (size_t)n * gridDim.x;
    if (t < tiles) {
      expect_bytes_and_arrive(&full[n % ST], size(t) * 4);
      cp_async_bulk_global_to_shared(ib + n % ST * TILE, in + t * TILE, size(t) * 4, &full[n % ST]);
    }
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < ST; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (int s = 0; s < ST; s++)
      load(s);
  }
  __syncthreads();
  unsigned n = 0;
  for (size_t t = blockIdx.x; t < tiles; t += gridDim.x, n++) {
    if (threadIdx.x == 0) tma_wait_until_read_pending<ST - 1>();
    __syncthreads();
    wait(&full[n % ST], n / ST & 1);
    for (unsigned i = threadIdx.x; i < size(t); i += T)
      ob[n % ST * TILE + i] = a * ib[n % ST * TILE + i] + b;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + t * TILE, ob + n % ST * TILE, size(t) * 4);
      tma_commit_group();
      load(n + ST);
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  size_t tiles = (count + TILE - 1) / TILE;
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 8 * ST * TILE);
  k<<<(unsigned)(tiles < 132 ? tiles : 132), T, 8 * ST * TILE, stream>>>(out, in, count, a, b);
  return cudaGetLastError();
}
