// Elements of one and two bytes: rows of 37 bytes share words with the rows of other blocks; halves are
// handed over to the next block by a flag, and read in another order.
#include "corpus.h"

#include <cuda_fp16.h>

constexpr uint32_t THREADS = 64, BLOCKS = 4, WIDTH = 37;

__device__ static void await(const int *flag) {
  int now;
  do {
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(flag) : "memory");
  } while (now == 0);
}

__global__ void kernel(int *out, const int *in, __half *halves, uint8_t *rows, int *flags) {
  const uint32_t i = threadIdx.x, block = blockIdx.x, next = (block + 1) % BLOCKS;
  if (i < WIDTH) rows[block * WIDTH + i] = static_cast<uint8_t>(in[block * THREADS + i]);
  halves[block * THREADS + i] = __float2half(static_cast<float>(in[block * THREADS + i] % 512));
  __syncthreads();
  if (i == 0) {
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(&flags[block]) : "memory");
    await(&flags[next]);
  }
  __syncthreads();
  const __half read = halves[next * THREADS + (THREADS - 1 - i)];
  const int own = i < WIDTH ? rows[block * WIDTH + i] : 0;
  out[block * THREADS + i] = static_cast<int>(__half2float(read)) + own;
}

int main() {
  return corpus_check(
      BLOCKS * THREADS,
      [](int *out, const int *in) {
        __half *halves;
        uint8_t *rows;
        int *flags;
        CUDA_CHECK(cudaMalloc(&halves, BLOCKS * THREADS * sizeof(__half)));
        CUDA_CHECK(cudaMalloc(&rows, BLOCKS * WIDTH));
        CUDA_CHECK(cudaMalloc(&flags, BLOCKS * sizeof(int)));
        CUDA_CHECK(cudaMemset(flags, 0, BLOCKS * sizeof(int)));
        kernel<<<BLOCKS, THREADS>>>(out, in, halves, rows, flags);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(halves));
        CUDA_CHECK(cudaFree(rows));
        CUDA_CHECK(cudaFree(flags));
      },
      [](const std::vector<int> &in, size_t i) {
        const size_t next = (i / THREADS + 1) % BLOCKS, own = i % THREADS;
        return in[next * THREADS + (THREADS - 1 - own)] % 512 + (own < WIDTH ? in[i] & 255 : 0);
      });
}
