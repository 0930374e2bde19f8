// expect: fault stream-order
// In: nothing. Out: anything. A host function fills page-locked memory in one stream; a copy in another one
// reads it, and nothing orders the two. (On an H100 the copy came first, 3 of 3 times.)
#include "self-check.h"

constexpr int COUNT = 4096;

static void fill(void *page) {
  for (int i = 0; i < COUNT; i++)
    static_cast<int *>(page)[i] = i + 1;
}

int main() {
  int *page, *device;
  cudaStream_t fills, copies;
  CUDA_CHECK(cudaMallocHost(&page, COUNT * sizeof *page));
  CUDA_CHECK(cudaMalloc(&device, COUNT * sizeof *device));
  CUDA_CHECK(cudaStreamCreateWithFlags(&fills, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  memset(page, 0, COUNT * sizeof *page);
  CUDA_CHECK(cudaLaunchHostFunc(fills, fill, page));
  CUDA_CHECK(cudaMemcpyAsync(device, page, COUNT * sizeof *page, cudaMemcpyHostToDevice, copies));
  CUDA_CHECK(cudaDeviceSynchronize());
  printf("ok\n");
  return 0;
}
