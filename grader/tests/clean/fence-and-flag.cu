// A flag with __threadfence_block() and volatile accesses, as in code older than C++ atomics.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ int data[32];
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x] + 1;
    __syncwarp();
    if (threadIdx.x == 0) {
      __threadfence_block();
      flag = 1;
    }
  } else {
    while (flag == 0) {
    }
    __threadfence_block();
    out[blockIdx.x * 32 + threadIdx.x - 32] = data[threadIdx.x - 32];
  }
}

int main() {
  return corpus_check(
      2 * 32, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
