// Kernels count until a word in page-locked memory ends them. A host function in another stream raises it;
// then, with a host function behind the kernel in its own stream, the host does.
#include "corpus.h"

constexpr int COUNT = 256;

__global__ static void count_until(volatile int *word, int *out, const int *in, int *rounds) {
  int counted = 0;
  while (*word == 0)
    counted++;
  if (threadIdx.x == 0) *rounds = counted;
  out[threadIdx.x] = in[threadIdx.x] + 1;
}

static void raise(void *word) {
  *static_cast<volatile int *>(word) = 1;
}

static void look(void *word) {
  *static_cast<int *>(word) = 2;
}

static void launch(int *out, const int *in) {
  cudaStream_t works, raises;
  int *words, *rounds, seen = 0;
  CUDA_CHECK(cudaDeviceSynchronize()); // `in` may still be on its way: it came from pageable memory
  CUDA_CHECK(cudaStreamCreateWithFlags(&works, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&raises, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMalloc(&rounds, sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&words, 2 * sizeof(int)));
  words[0] = words[1] = 0;
  count_until<<<1, COUNT, 0, works>>>(words, out, in, rounds);
  CUDA_CHECK(cudaLaunchHostFunc(raises, raise, words));
  CUDA_CHECK(cudaStreamSynchronize(works));
  CUDA_CHECK(cudaStreamSynchronize(raises));
  count_until<<<1, COUNT, 0, works>>>(words + 1, out + COUNT, in + COUNT, rounds);
  CUDA_CHECK(cudaLaunchHostFunc(works, look, &seen));
  *static_cast<volatile int *>(words + 1) = 1;
  CUDA_CHECK(cudaStreamSynchronize(works));
  if (seen != 2) CUDA_CHECK(cudaMemset(out, 0, COUNT * sizeof(int)));
  CUDA_CHECK(cudaFreeHost(words));
  CUDA_CHECK(cudaFree(rounds));
  CUDA_CHECK(cudaStreamDestroy(works));
  CUDA_CHECK(cudaStreamDestroy(raises));
}

int main() {
  return corpus_check(2 * COUNT, launch, corpus_plus_one);
}
