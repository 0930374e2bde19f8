// expect: fault stream-order
// In: nothing. Out: `ok`. The host hands the results of a kernel to a file before it has waited for them: the
// system reads the memory, not the host's own code.
#include "self-check.h"

#include <cstdio>

constexpr int COUNT = 4096;

__global__ void fill(int *to) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = 7;
}

int main() {
  int *results;
  cudaStream_t stream;
  CUDA_CHECK(cudaHostAlloc(&results, COUNT * sizeof *results, cudaHostAllocMapped));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  memset(results, 0, COUNT * sizeof *results);
  FILE *file = fopen("/dev/null", "wb");
  fill<<<COUNT / 256, 256, 0, stream>>>(results);
  check_that(fwrite(results, sizeof *results, COUNT, file) == COUNT, "fwrite: %m");
  CUDA_CHECK(cudaDeviceSynchronize());
  return self_check_result();
}
