// Managed memory is filled by cudaMemset, written by the host, by a kernel, by the host, and by a fill in a
// stream: whoever comes next has waited.
#include "corpus.h"

constexpr int COUNT = 1024;

__global__ void add(int *to, const int *from, int *more) {
  more[threadIdx.x] += 1;
  to[threadIdx.x] = from[threadIdx.x] + more[threadIdx.x];
}

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  int *words;
  CUDA_CHECK(cudaMallocManaged(&words, COUNT * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMemset(words, 0, COUNT * sizeof(int)));
  words[3] = 0;
  CUDA_CHECK(cudaDeviceSynchronize());
  add<<<1, COUNT, 0, stream>>>(out, in, words);
  CUDA_CHECK(cudaStreamSynchronize(stream)); // before the host writes
  words[3] = 5;
  CUDA_CHECK(cudaMemsetAsync(words, 0, 4 * sizeof(int), stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  check_that(words[3] == 0 && words[4] == 1, "there are %d and %d", words[3], words[4]);
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFree(words));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
