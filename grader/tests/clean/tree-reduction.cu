// A tree in shared memory, with a barrier for each step.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ int data[128];
  data[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  for (uint32_t half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) data[threadIdx.x] += data[threadIdx.x + half];
  }
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = data[0];
}

int main() {
  return corpus_check(
      2 * 128, [](int *out, const int *in) { kernel<<<2, 128>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (size_t j = i / 128 * 128; j < i / 128 * 128 + 128; j++)
          sum += in[j];
        return sum;
      });
}
