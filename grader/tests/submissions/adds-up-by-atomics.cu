// submission: 3-phase-reuse
// expect: exit 0
// An honest solution: two blocks on each SM, whose threads add to the sums by atomics.
#include "lab9.h"
#include "tma-interface.cuh"
constexpr int ST = 4, T = 256;
constexpr unsigned STAGE = 2048; // quads: 1 KiB for narrow
__global__ void __launch_bounds__(T + 32)
    k(unsigned *sums, const int4 *m, size_t rows, size_t quads, unsigned pq, unsigned tr) {
  extern __shared__ __align__(128) int4 smem[];
  __shared__ uint64_t full[ST], empty[ST];
  size_t q0 = (size_t)blockIdx.y * pq;
  unsigned w = (unsigned)min((size_t)pq, quads - q0);
  size_t tiles = (rows + tr - 1) / tr;
  if (threadIdx.x == 0) {
    for (int s = 0; s < ST; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], T / 32);
    }
    async_proxy_fence();
  }
  __syncthreads();
  if (threadIdx.x >= T) {
    if (threadIdx.x == T) {
      unsigned n = 0;
      for (size_t t = blockIdx.x; t < tiles; t += gridDim.x, n++) {
        unsigned s = n % ST;
        wait(&empty[s], (n / ST & 1) ^ 1);
        unsigned r = (unsigned)min((size_t)tr, rows - t * tr);
        expect_bytes_and_arrive(&full[s], r * w * 16);
        for (unsigned i = 0; i < r; i++)
          cp_async_bulk_global_to_shared(smem + s * pq * tr + i * w, m + (t * tr + i) * quads + q0, w * 16,
                                         &full[s]);
      }
    }
    return;
  }
  uint4 sum = {};
  unsigned per = T / w, q = threadIdx.x % w;
  unsigned n = 0;
  for (size_t t = blockIdx.x; t < tiles; t += gridDim.x, n++) {
    unsigned s = n % ST;
    wait(&full[s], n / ST & 1);
    unsigned r = (unsigned)min((size_t)tr, rows - t * tr);
    for (unsigned i = threadIdx.x / w; i < r && threadIdx.x < per * w; i += per) {
      int4 v = smem[s * pq * tr + i * w + q];
      sum.x += v.x;
      sum.y += v.y;
      sum.z += v.z;
      sum.w += v.w;
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&empty[s]);
  }
  if (threadIdx.x >= per * w) return;
  unsigned *at = sums + 4 * (q0 + q);
  atomicAdd(at, sum.x);
  atomicAdd(at + 1, sum.y);
  atomicAdd(at + 2, sum.z);
  atomicAdd(at + 3, sum.w);
}
extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  size_t quads = columns / 4;
  unsigned pq = quads < 256 ? (unsigned)quads : 256;
  unsigned tr = 128 / pq ? 128 / pq : 1;
  size_t tiles = (rows + tr - 1) / tr;
  unsigned g = (unsigned)(tiles < 264 ? tiles : 264);
  cudaMemsetAsync(sums, 0, 4 * columns, stream);
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, ST * pq * tr * 16);
  k<<<dim3(g, (unsigned)((quads + pq - 1) / pq)), T + 32, ST * pq * tr * 16, stream>>>(
      (unsigned *)sums, (const int4 *)matrix, rows, quads, pq, tr);
  return cudaGetLastError();
}
