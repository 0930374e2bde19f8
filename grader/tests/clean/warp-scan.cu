// An inclusive scan within each warp, in shared memory, with __syncwarp() around every step.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ int data[4][32];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int sum = in[blockIdx.x * 128 + threadIdx.x];
  data[warp][lane] = sum;
  for (uint32_t step = 1; step < 32; step *= 2) {
    __syncwarp();
    if (lane >= step) sum += data[warp][lane - step];
    __syncwarp();
    data[warp][lane] = sum;
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

int main() {
  return corpus_check(
      2 * 128, [](int *out, const int *in) { kernel<<<2, 128>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (size_t j = i / 32 * 32; j <= i; j++)
          sum += in[j];
        return sum;
      });
}
