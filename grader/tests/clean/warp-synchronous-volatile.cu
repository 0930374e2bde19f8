// An older style: volatile data. On chips whose lanes need not run in step it takes __syncwarp() as well.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ volatile int data[64];
  data[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] += data[threadIdx.x + 32];
    __syncwarp();
    if (threadIdx.x < 16) data[threadIdx.x] += data[threadIdx.x + 16];
    __syncwarp();
    if (threadIdx.x < 8) data[threadIdx.x] += data[threadIdx.x + 8];
  }
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = data[threadIdx.x % 8];
}

int main() {
  return corpus_check(
      2 * 64, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (size_t j = i % 8; j < 64; j += 8)
          sum += in[i / 64 * 64 + j];
        return sum;
      });
}
