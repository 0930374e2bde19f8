// Host functions in a stream that waits for the default stream, and the default stream for it, fill
// page-locked memory. A kernel in the default stream, a large copy there, and a small one in the function's
// own stream come after them.
#include "corpus.h"

constexpr int COUNT = 1024, LARGE = 64 * COUNT;

__global__ void add(int *to, const int *from, const int *more, const int *rest) {
  to[threadIdx.x] =
      from[threadIdx.x] + more[threadIdx.x] + rest[threadIdx.x] + rest[LARGE - COUNT + threadIdx.x];
}

static void fill(void *pages) {
  for (int i = 0; i < LARGE; i++)
    static_cast<int *>(pages)[i] = 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  int *pages, *more, *rest;
  CUDA_CHECK(cudaMallocHost(&pages, LARGE * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&more, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&rest, LARGE * sizeof(int)));
  CUDA_CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < LARGE; i++)
    pages[i] = 0;
  CUDA_CHECK(cudaLaunchHostFunc(stream, fill, pages));
  CUDA_CHECK(cudaMemcpyAsync(more, pages, COUNT * sizeof(int), cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaLaunchHostFunc(stream, fill, pages));
  CUDA_CHECK(cudaMemcpyAsync(rest, pages, LARGE * sizeof(int), cudaMemcpyHostToDevice, cudaStreamLegacy));
  CUDA_CHECK(cudaLaunchHostFunc(stream, fill, pages));
  add<<<1, COUNT>>>(out, in, more, rest);
  add<<<1, COUNT>>>(out, out, pages, rest);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(pages));
  CUDA_CHECK(cudaFree(more));
  CUDA_CHECK(cudaFree(rest));
}

int main() {
  return corpus_check(COUNT, launch, [](const std::vector<int> &in, size_t i) { return in[i] + 6; });
}
