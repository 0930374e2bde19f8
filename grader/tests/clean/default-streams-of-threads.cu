// Built with a default stream for each thread of the host: three threads launch, copy and fill without naming
// a stream. Each of them waits for its own; what the main thread's has made is there before they begin.
// streams: per-thread
#include "corpus.h"

#include <atomic>
#include <thread>

constexpr int PART = 512, THREADS = 3;

__global__ void add(int *to, const int *from, const int *more) {
  to[threadIdx.x] = from[threadIdx.x] + more[threadIdx.x];
}

static void work(int *out, const int *in, const int *ones, int *pages, std::atomic<int> *busy) {
  int *more;
  CUDA_CHECK(cudaMallocAsync(&more, PART * sizeof(int), 0));
  CUDA_CHECK(cudaMemcpyAsync(more, ones, PART * sizeof(int), cudaMemcpyDeviceToDevice));
  add<<<1, PART>>>(out, in, more);
  CUDA_CHECK(cudaMemcpyAsync(pages, out, PART * sizeof(int), cudaMemcpyDeviceToHost, cudaStreamPerThread));
  for (--*busy; *busy;) // all have launched before one waits
    std::this_thread::yield();
  CUDA_CHECK(cudaStreamSynchronize(0));
  check_that(pages[1] == pages[0] + 7, "the copy has brought %d", pages[1]);
  CUDA_CHECK(cudaFreeAsync(more, cudaStreamPerThread));
}

static void launch(int *out, const int *in) {
  int *ones, *zeros, *pages;
  std::vector<std::thread> threads;
  std::atomic<int> busy(THREADS);
  CUDA_CHECK(cudaMalloc(&ones, 2 * PART * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&pages, THREADS * PART * sizeof(int)));
  CUDA_CHECK(cudaMemsetAsync(zeros = ones + PART, 0, PART * sizeof(int)));
  const std::vector<int> values(PART, 1);
  CUDA_CHECK(cudaMemcpy(ones, values.data(), PART * sizeof(int), cudaMemcpyHostToDevice));
  add<<<1, PART>>>(ones, ones, zeros);
  CUDA_CHECK(cudaStreamSynchronize(0));
  for (int i = 0; i < THREADS; i++)
    threads.emplace_back(work, out + i * PART, in + i * PART, ones, pages + i * PART, &busy);
  for (std::thread &thread : threads)
    thread.join();
  CUDA_CHECK(cudaFreeHost(pages));
  CUDA_CHECK(cudaFree(ones));
}

int main() {
  return corpus_check(PART * THREADS, launch, corpus_plus_one);
}
