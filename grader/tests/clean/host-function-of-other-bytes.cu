// A host function and a copy in another stream use two halves of one page, with nothing between them.
#include "corpus.h"

constexpr int COUNT = 512;

static void fill(void *words) {
  for (int i = 0; i < COUNT; i++)
    static_cast<int *>(words)[i] = -1;
}

static void launch(int *out, const int *in) {
  cudaStream_t fills, copies;
  int *words;
  CUDA_CHECK(cudaMallocHost(&words, 2 * COUNT * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(words + COUNT, in, COUNT * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < COUNT; i++)
    words[COUNT + i] += 1;
  CUDA_CHECK(cudaStreamCreateWithFlags(&fills, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CUDA_CHECK(cudaLaunchHostFunc(fills, fill, words));
  CUDA_CHECK(cudaMemcpyAsync(out, words + COUNT, COUNT * sizeof(int), cudaMemcpyHostToDevice, copies));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamDestroy(fills));
  CUDA_CHECK(cudaStreamDestroy(copies));
  CUDA_CHECK(cudaFreeHost(words));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
