// The block that finishes last adds up the results that the others left in global memory: fence, counter,
// fence.
#include "corpus.h"

__device__ int partial[4];
__device__ unsigned int finished;

__global__ void kernel(int *out, const int *in) {
  __shared__ int sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * 64 + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(&finished, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  int total = 0;
  for (int i = 0; i < 4; i++)
    total += *const_cast<volatile int *>(&partial[i]);
  for (uint32_t i = threadIdx.x; i < 4 * 64; i += blockDim.x)
    out[i] = total;
}

int main() {
  return corpus_check(
      4 * 64, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t) {
        int sum = 0;
        for (const int value : in)
          sum += value;
        return sum;
      });
}
