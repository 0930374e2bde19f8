// A stream writes a value behind its copy; the host looks at that word until the value is there, and knows
// what comes before it: it reads the copy, and lets another stream read what the kernel has made.
#include "stream-values.h"

#include <thread>

constexpr int COUNT = 1024;

__global__ void add(int *to, const int *from, int more) {
  to[threadIdx.x] = from[threadIdx.x] + more;
}

static void launch(int *out, const int *in) {
  cudaStream_t first, second;
  volatile unsigned *words;
  int *buffer, *pages;
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMalloc(&buffer, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&pages, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(const_cast<unsigned **>(&words), 2 * sizeof(unsigned)));
  words[0] = words[1] = 0;
  CUDA_CHECK(cudaDeviceSynchronize());
  for (unsigned round = 1; round <= 2; round++) {
    add<<<1, COUNT, 0, first>>>(buffer, in, static_cast<int>(3 - round));
    CUDA_CHECK(cudaMemcpyAsync(pages, buffer, COUNT * sizeof(int), cudaMemcpyDeviceToHost, first));
    stream_writes(first, const_cast<unsigned *>(words), round);
    while (words[0] != round)
      std::this_thread::yield();
    check_that(pages[0] == static_cast<int>(6 - round), "the copy has brought %d", pages[0]);
    add<<<1, COUNT, 0, second>>>(out, buffer, 0);
    stream_writes(second, const_cast<unsigned *>(words) + 1, round);
    stream_waits(first, const_cast<unsigned *>(words) + 1, round);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(buffer));
  CUDA_CHECK(cudaFreeHost(pages));
  CUDA_CHECK(cudaFreeHost(const_cast<unsigned *>(words)));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
