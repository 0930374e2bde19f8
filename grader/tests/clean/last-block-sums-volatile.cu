// Each block leaves a sum in volatile memory and takes a number from a counter; the block that takes the last
// one adds up what all have left.
#include "corpus.h"

constexpr uint32_t THREADS = 32, BLOCKS = 6;

__global__ void kernel(int *out, const int *in, volatile int *sums, unsigned *counter) {
  __shared__ bool is_last;
  const int sum = __reduce_add_sync(0xffffffff, in[blockIdx.x * THREADS + threadIdx.x]);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(counter, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last || threadIdx.x >= BLOCKS) return;
  out[threadIdx.x] = sums[threadIdx.x];
}

int main() {
  return corpus_check(
      BLOCKS * THREADS,
      [](int *out, const int *in) {
        int *sums;
        unsigned *counter;
        CUDA_CHECK(cudaMalloc(&sums, BLOCKS * sizeof *sums));
        CUDA_CHECK(cudaMalloc(&counter, sizeof *counter));
        CUDA_CHECK(cudaMemset(counter, 0, sizeof *counter));
        kernel<<<BLOCKS, THREADS>>>(out, in, sums, counter);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(sums));
        CUDA_CHECK(cudaFree(counter));
      },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (size_t k = 0; i < BLOCKS && k < THREADS; k++)
          sum += in[i * THREADS + k];
        return sum;
      });
}
