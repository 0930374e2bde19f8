// A kernel waits for a word of page-locked memory, and a stream writes that word when its own kernel has made
// what the first one reads.
#include "stream-values.h"

constexpr int COUNT = 512;

__global__ void add(int *to, const int *from) {
  to[threadIdx.x] = from[threadIdx.x] + 1;
}

__global__ void wait_and_copy(int *to, const int *from, volatile unsigned *word) {
  if (threadIdx.x == 0)
    while (!*word) {
    }
  __threadfence_system();
  __syncthreads();
  to[threadIdx.x] = from[threadIdx.x];
}

static void launch(int *out, const int *in) {
  cudaStream_t maker, taker, other;
  unsigned *word;
  int *buffer;
  CUDA_CHECK(cudaStreamCreateWithFlags(&maker, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&taker, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&word, sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&buffer, COUNT * sizeof(int)));
  *word = 0;
  CUDA_CHECK(cudaDeviceSynchronize());
  add<<<1, COUNT, 0, maker>>>(buffer, in);
  wait_and_copy<<<1, COUNT, 0, taker>>>(out, buffer, word);
  stream_writes(maker, word, 1);
  CUDA_CHECK(cudaStreamSynchronize(taker));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFreeHost(word));
  CUDA_CHECK(cudaFree(buffer));
  CUDA_CHECK(cudaStreamDestroy(maker));
  CUDA_CHECK(cudaStreamDestroy(taker));
  CUDA_CHECK(cudaStreamDestroy(other));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
