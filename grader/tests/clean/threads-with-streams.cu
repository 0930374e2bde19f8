// Three threads of the host, each with a stream, page-locked memory and memory of its stream.
#include "corpus.h"

#include <thread>

constexpr int PART = 1024, THREADS = 3;

__global__ void add(int *to, const int *from, const int *more) {
  to[threadIdx.x] = from[threadIdx.x] + more[threadIdx.x];
}

static void work(int *out, const int *in) {
  cudaStream_t stream;
  int *pages, *more;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&pages, PART * sizeof(int)));
  CUDA_CHECK(cudaMallocAsync(&more, PART * sizeof(int), stream));
  for (int i = 0; i < PART; i++)
    pages[i] = 1;
  CUDA_CHECK(cudaMemcpyAsync(more, pages, PART * sizeof(int), cudaMemcpyHostToDevice, stream));
  add<<<1, PART, 0, stream>>>(out, in, more);
  CUDA_CHECK(cudaFreeAsync(more, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaFreeHost(pages));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

static void launch(int *out, const int *in) {
  std::vector<std::thread> threads;
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < THREADS; i++)
    threads.emplace_back(work, out + i * PART, in + i * PART);
  for (std::thread &thread : threads)
    thread.join();
}

int main() {
  return corpus_check(PART * THREADS, launch, corpus_plus_one);
}
