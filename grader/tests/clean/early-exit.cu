// Surplus threads exit before the block's barriers. These count only the threads that are left.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ int data[64];
  if (threadIdx.x >= 64) return;
  data[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = data[63 - threadIdx.x];
}

int main() {
  return corpus_check(
      2 * 64, [](int *out, const int *in) { kernel<<<2, 96>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i / 64 * 64 + 63 - i % 64]; });
}
