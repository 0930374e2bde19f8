// A barrier of the whole grid as old libraries write it: each block reports to the first one, which answers
// all of them. Flags are volatile, read past the cache, and only who reports has a fence.
#include "corpus.h"

constexpr uint32_t BLOCKS = 4, THREADS = 64, ROUNDS = 3;

__device__ static void meet(unsigned *flags) {
  volatile unsigned *set = flags;
  __threadfence();
  __syncthreads();
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) set[0] = 1;
    __syncthreads();
    for (uint32_t peer = threadIdx.x; peer < BLOCKS; peer += THREADS)
      while (__ldcg(&flags[peer]) == 0)
        __threadfence_block();
    __syncthreads();
    for (uint32_t peer = threadIdx.x; peer < BLOCKS; peer += THREADS)
      set[peer] = 0;
  } else {
    if (threadIdx.x == 0) {
      set[blockIdx.x] = 1;
      while (__ldcg(&flags[blockIdx.x]) == 1)
        __threadfence_block();
    }
    __syncthreads();
  }
}

__global__ void kernel(int *out, const int *in, int *a, int *b, unsigned *flags) {
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x, all = BLOCKS * THREADS;
  a[i] = in[i];
  meet(flags);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    b[i] = a[(i + THREADS + 1) % all] + 1;
    meet(flags);
    int *other = a;
    a = b;
    b = other;
  }
  out[i] = a[i];
}

int main() {
  return corpus_check(
      BLOCKS * THREADS,
      [](int *out, const int *in) {
        int *a, *b;
        unsigned *flags;
        CUDA_CHECK(cudaMalloc(&a, BLOCKS * THREADS * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&b, BLOCKS * THREADS * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&flags, BLOCKS * sizeof(unsigned)));
        CUDA_CHECK(cudaMemset(flags, 0, BLOCKS * sizeof(unsigned)));
        kernel<<<BLOCKS, THREADS>>>(out, in, a, b, flags);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(a));
        CUDA_CHECK(cudaFree(b));
        CUDA_CHECK(cudaFree(flags));
      },
      [](const std::vector<int> &in, size_t i) {
        return in[(i + ROUNDS * (THREADS + 1)) % in.size()] + static_cast<int>(ROUNDS);
      });
}
