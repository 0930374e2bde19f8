// Streams that wait for the default stream, and it for them: kernels there and here take turns without any
// event. Both streams mark the same flag with the same value.
#include "corpus.h"

constexpr uint32_t COUNT = 512;

__global__ void add(int *to, const int *from, int value, int *flag) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + value;
  if (i == 0) *flag = 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t a, b;
  int *middle, *flag, host = 0;
  CUDA_CHECK(cudaMalloc(&middle, COUNT * sizeof *middle));
  CUDA_CHECK(cudaMalloc(&flag, sizeof *flag));
  CUDA_CHECK(cudaMemset(flag, 0, sizeof *flag));
  CUDA_CHECK(cudaStreamCreate(&a));
  CUDA_CHECK(cudaStreamCreate(&b));
  add<<<2, 128, 0, a>>>(middle, in, 1, flag);
  add<<<2, 128, 0, b>>>(middle + COUNT / 2, in + COUNT / 2, 1, flag);
  add<<<4, 128>>>(out, middle, 2, flag);                                    // after both
  add<<<4, 128, 0, b>>>(out, out, 0, flag);                                 // after that
  CUDA_CHECK(cudaMemcpy(&host, flag, sizeof host, cudaMemcpyDeviceToHost)); // waits for all of them
  check_that(host == 1, "the flag is %d", host);
  CUDA_CHECK(cudaStreamDestroy(a));
  CUDA_CHECK(cudaStreamDestroy(b));
  CUDA_CHECK(cudaFree(middle));
  CUDA_CHECK(cudaFree(flag));
}

int main() {
  return corpus_check(COUNT, launch, [](const std::vector<int> &in, size_t i) { return in[i] + 3; });
}
