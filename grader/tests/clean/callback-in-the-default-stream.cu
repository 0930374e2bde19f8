// A callback in the default stream fills managed memory. A kernel in a stream that waits for the default
// stream reads it.
#include "corpus.h"

constexpr int COUNT = 1024;

__global__ void add(int *to, const int *from, const int *more) {
  to[threadIdx.x] = from[threadIdx.x] + more[threadIdx.x];
}

static void fill(cudaStream_t, cudaError_t, void *words) {
  for (int i = 0; i < COUNT; i++)
    static_cast<int *>(words)[i] = 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  int *words;
  CUDA_CHECK(cudaMallocManaged(&words, COUNT * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
  CUDA_CHECK(cudaStreamAddCallback(cudaStreamLegacy, fill, words, 0));
  add<<<1, COUNT, 0, stream>>>(out, in, words);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFree(words));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
