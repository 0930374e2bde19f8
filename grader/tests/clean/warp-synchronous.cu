// The old style: the last steps of a reduction use volatile accesses within one warp, with __syncwarp()
// before the result is read.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ int data[64];
  data[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    volatile int *v = data;
    int sum = v[threadIdx.x] + v[threadIdx.x + 32];
    for (int offset = 16; offset > 0; offset /= 2) {
      v[threadIdx.x] = sum;
      __syncwarp();
      sum += v[(threadIdx.x + offset) % 32];
      __syncwarp();
    }
    v[threadIdx.x] = sum;
  }
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = data[threadIdx.x % 32];
}

int main() {
  return corpus_check(
      2 * 64, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (size_t j = i / 64 * 64; j < i / 64 * 64 + 64; j++)
          sum += in[j];
        return sum;
      });
}
