// expect: fault stream-order
// In: nothing. Out: `ok`. The host reads the results of an asynchronous copy at once, and waits afterwards:
// no request to the device stands behind the read, only the wait.
#include "self-check.h"

constexpr int COUNT = 1024; // a page: only whole pages of page-locked memory are watched

__global__ void fill(int *to) {
  to[threadIdx.x] = static_cast<int>(threadIdx.x) + 7;
}

int main() {
  int *results, *device;
  cudaStream_t stream;
  CUDA_CHECK(cudaMallocHost(&results, COUNT * sizeof *results));
  CUDA_CHECK(cudaMalloc(&device, COUNT * sizeof *device));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  memset(results, 0, COUNT * sizeof *results);
  fill<<<1, COUNT, 0, stream>>>(device);
  CUDA_CHECK(cudaMemcpyAsync(results, device, COUNT * sizeof *results, cudaMemcpyDeviceToHost, stream));
  const int too_early = *static_cast<volatile int *>(&results[COUNT - 1]);
  CUDA_CHECK(cudaDeviceSynchronize());
  printf(too_early >= 0 ? "ok\n" : "wrong\n");
  return 0;
}
