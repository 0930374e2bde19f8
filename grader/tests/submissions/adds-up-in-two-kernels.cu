// submission: 3-phase-reuse
// expect: exit 0
// An honest solution: as many blocks as SMs, whatever the matrix. The partial sums go to scratch memory, and
// a second kernel adds them up.
#include "lab9.h"
#include "tma-interface.cuh"
constexpr int ST = 4, THREADS = 128;
constexpr uint32_t STAGE = 8192 / 4;
__global__ void partial(int *scratch, const int *m, size_t rows, size_t columns, unsigned pc, unsigned tr) {
  extern __shared__ __align__(128) int smem[];
  __shared__ uint64_t full[ST], empty[ST];
  size_t c0 = (size_t)blockIdx.y * pc;
  unsigned w = (unsigned)min((size_t)pc, columns - c0);
  if (threadIdx.x == 0) {
    for (int s = 0; s < ST; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], THREADS);
    }
    async_proxy_fence();
  }
  __syncthreads();
  size_t tiles = (rows + tr - 1) / tr;
  if (threadIdx.x >= THREADS) {
    if (threadIdx.x == THREADS) {
      unsigned n = 0;
      for (size_t t = blockIdx.x; t < tiles; t += gridDim.x, n++) {
        unsigned s = n % ST;
        wait(&empty[s], (n / ST & 1) ^ 1);
        unsigned r = (unsigned)min((size_t)tr, rows - t * tr);
        expect_bytes_and_arrive(&full[s], r * w * 4);
        if (w == columns)
          cp_async_bulk_global_to_shared(smem + s * STAGE, m + t * tr * columns, r * w * 4, &full[s]);
        else
          for (unsigned i = 0; i < r; i++)
            cp_async_bulk_global_to_shared(smem + s * STAGE + i * w, m + (t * tr + i) * columns + c0, w * 4,
                                           &full[s]);
      }
    }
    return;
  }
  unsigned sum[8] = {};
  unsigned n = 0;
  for (size_t t = blockIdx.x; t < tiles; t += gridDim.x, n++) {
    unsigned s = n % ST;
    wait(&full[s], n / ST & 1);
    unsigned r = (unsigned)min((size_t)tr, rows - t * tr);
    for (unsigned i = 0; i < r; i++)
      for (unsigned c = threadIdx.x, k = 0; c < w; c += THREADS, k++)
        sum[k] += (unsigned)smem[s * STAGE + i * w + c];
    arrive(&empty[s]);
  }
  for (unsigned c = threadIdx.x, k = 0; c < w; c += THREADS, k++)
    scratch[(size_t)blockIdx.x * columns + c0 + c] = (int)sum[k];
}
__global__ void finish(int *sums, const int *scratch, unsigned blocks, size_t columns) {
  size_t c = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (c >= columns) return;
  unsigned s = 0;
  for (unsigned b = 0; b < blocks; b++)
    s += (unsigned)scratch[b * columns + c];
  sums[c] = (int)s;
}
extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  int p;
  cudaDeviceGetAttribute(&p, cudaDevAttrMultiProcessorCount, 0);
  unsigned pc = columns < 1024 ? (unsigned)columns : 1024;
  unsigned tr = 1000000;
  if (tr > STAGE / pc) tr = STAGE / pc;
  size_t tiles = (rows + tr - 1) / tr;
  unsigned g = (unsigned)(tiles < (size_t)p ? tiles : p);
  int *scratch;
  cudaError_t e = cudaMallocAsync(&scratch, 4 * columns * g, stream);
  if (e) return e;
  cudaFuncSetAttribute(partial, cudaFuncAttributeMaxDynamicSharedMemorySize, ST * STAGE * 4);
  partial<<<dim3(g, (unsigned)((columns + pc - 1) / pc)), THREADS + 32, ST * STAGE * 4, stream>>>(
      scratch, matrix, rows, columns, pc, tr);
  finish<<<(unsigned)((columns + 255) / 256), 256, 0, stream>>>(sums, scratch, g, columns);
  cudaFreeAsync(scratch, stream);
  return cudaGetLastError();
}
