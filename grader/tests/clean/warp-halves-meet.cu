// The halves of a warp go their own ways, and each meets by a mask of its own.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ int values[64];
  const uint32_t i = threadIdx.x, first = blockIdx.x * 64;
  values[i] = in[first + i];
  if (i % 32 < 16) {
    __syncwarp(0x0000ffff);
    out[first + i] = values[i ^ 15] + 1;
  } else {
    __syncwarp(0xffff0000);
    out[first + i] = values[i ^ 7] + 1;
  }
}

int main() {
  return corpus_check(
      128, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i ^ (i % 32 < 16 ? 15 : 7)] + 1; });
}
