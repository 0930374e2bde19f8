// Warps reduce by shuffles. The sums of their first lanes are added through shared memory.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ int sums[4];
  int value = in[blockIdx.x * 128 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
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
