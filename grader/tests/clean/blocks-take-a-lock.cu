// A lock in global memory, around a sum that is plain memory; it is given back by an ordinary store.
#include "corpus.h"

constexpr uint32_t BLOCKS = 16, PART = 64;
__device__ unsigned int lock;
__device__ int total;

__global__ void add(const int *in) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * PART + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence();
  total = total + sum;
  __threadfence();
  lock = 0;
}

__global__ void spread(int *out) {
  out[blockIdx.x * PART + threadIdx.x] = total;
}

int main() {
  return corpus_check(
      BLOCKS * PART,
      [](int *out, const int *in) {
        add<<<BLOCKS, PART>>>(in);
        spread<<<BLOCKS, PART>>>(out);
      },
      [](const std::vector<int> &in, size_t) {
        int sum = 0;
        for (const int value : in)
          sum += value;
        return sum;
      });
}
