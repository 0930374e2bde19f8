// A host function behind a copy tells the host by a flag that the results are there. The host waits for the
// flag alone, changes the results, and sends them back in another stream.
#include "corpus.h"

#include <atomic>

constexpr int COUNT = 1024;

static void raise(void *flag) {
  static_cast<std::atomic<bool> *>(flag)->store(true);
}

static void launch(int *out, const int *in) {
  cudaStream_t gets, sends;
  int *words;
  std::atomic<bool> there{false};
  CUDA_CHECK(cudaDeviceSynchronize()); // `in` may still be on its way: it came from pageable memory
  CUDA_CHECK(cudaMallocHost(&words, COUNT * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&gets, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&sends, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMemcpyAsync(words, in, COUNT * sizeof(int), cudaMemcpyDeviceToHost, gets));
  CUDA_CHECK(cudaLaunchHostFunc(gets, raise, &there));
  while (!there) {
  }
  for (int i = 0; i < COUNT; i++)
    words[i] += 1;
  CUDA_CHECK(cudaMemcpyAsync(out, words, COUNT * sizeof(int), cudaMemcpyHostToDevice, sends));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamDestroy(gets));
  CUDA_CHECK(cudaStreamDestroy(sends));
  CUDA_CHECK(cudaFreeHost(words));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
