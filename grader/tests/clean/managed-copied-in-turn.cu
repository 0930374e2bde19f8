// Copies under way read and write managed memory; the host waits for each before it touches that memory. What
// a copy only reads the host may read at once.
#include "corpus.h"

constexpr int COUNT = 3000;

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  int *both, sum = 0, again = 0;
  CUDA_CHECK(cudaDeviceSynchronize()); // `in` may still be on its way: it came from pageable memory
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocManaged(&both, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMemcpyAsync(both, in, COUNT * sizeof(int), cudaMemcpyDefault, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream)); // it has come
  for (int i = 0; i < COUNT; i++)
    sum += both[i] += 1;
  CUDA_CHECK(cudaMemcpyAsync(out, both, COUNT * sizeof(int), cudaMemcpyDefault, stream));
  for (int i = 0; i < COUNT; i++)
    again += both[i];
  CUDA_CHECK(cudaStreamSynchronize(stream)); // it has gone
  both[0] = again - sum;
  if (both[0]) CUDA_CHECK(cudaMemset(out, 0, COUNT * sizeof(int)));
  CUDA_CHECK(cudaFree(both));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
