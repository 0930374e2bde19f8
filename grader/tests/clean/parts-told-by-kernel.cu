// A kernel tells the host of each part by a word in page-locked memory. The host waits for that word, and has
// another stream copy the part while the kernel goes on.
#include "corpus.h"

constexpr int PART = 512, PARTS = 4;

__global__ static void work(int *parts, const int *in, volatile int *done) {
  for (int part = 0; part < PARTS; part++) {
    for (int i = static_cast<int>(threadIdx.x); i < PART; i += static_cast<int>(blockDim.x))
      parts[part * PART + i] = in[part * PART + i] + 1;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) *done = part + 1;
  }
}

static void launch(int *out, const int *in) {
  cudaStream_t works, copies;
  int *parts;
  volatile int *done;
  CUDA_CHECK(cudaDeviceSynchronize()); // `in` may still be on its way: it came from pageable memory
  CUDA_CHECK(cudaStreamCreateWithFlags(&works, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMalloc(&parts, PARTS * PART * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(const_cast<int **>(&done), sizeof(int)));
  *done = 0;
  work<<<1, 128, 0, works>>>(parts, in, done);
  for (int part = 0; part < PARTS; part++) {
    while (*done <= part) {
    }
    CUDA_CHECK(cudaMemcpyAsync(out + part * PART, parts + part * PART, PART * sizeof(int),
                               cudaMemcpyDeviceToDevice, copies));
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFreeHost(const_cast<int *>(done)));
  CUDA_CHECK(cudaFree(parts));
  CUDA_CHECK(cudaStreamDestroy(works));
  CUDA_CHECK(cudaStreamDestroy(copies));
}

int main() {
  return corpus_check(PART * PARTS, launch, corpus_plus_one);
}
