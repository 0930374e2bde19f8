// A stream waits for a word of the host's, for one that a kernel writes, and for one that a host function
// writes; another stream resets a word and uses it again. What is behind the waits runs when they are over.
#include "stream-values.h"

#include <thread>

constexpr int COUNT = 512;

__global__ void add(int *to, const int *from, int more) {
  to[threadIdx.x] = from[threadIdx.x] + more;
}

__global__ void add_and_tell(int *to, const int *from, int more, unsigned *word) {
  to[threadIdx.x] = from[threadIdx.x] + more;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(word, 7);
}

static void raise(void *word) {
  *static_cast<volatile unsigned *>(word) = 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t first, second;
  unsigned *words, *told;
  int *buffer;
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&words, 4 * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&told, sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&buffer, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMemset(told, 0, sizeof(unsigned)));
  for (int i = 0; i < 4; i++)
    words[i] = 0;
  add<<<1, COUNT>>>(buffer, in, 0); // loads its code: that may wait for all streams
  add_and_tell<<<1, COUNT>>>(buffer, in, 0, words + 3);
  CUDA_CHECK(cudaDeviceSynchronize());
  // of the host's: the stream has not begun when the host fills the words behind
  stream_waits(first, words, 1, CU_STREAM_WAIT_VALUE_EQ);
  add<<<1, COUNT, 0, first>>>(buffer, in, 1);
  stream_writes(first, words + 1, 2);
  static_cast<volatile unsigned *>(words)[0] = 1;
  stream_waits(second, words + 1, 2, CU_STREAM_WAIT_VALUE_AND);
  add<<<1, COUNT, 0, second>>>(buffer, buffer, 1);
  // of a kernel's
  add_and_tell<<<1, COUNT, 0, second>>>(buffer, buffer, 1, told);
  stream_waits(first, told, 7, CU_STREAM_WAIT_VALUE_EQ);
  add<<<1, COUNT, 0, first>>>(buffer, buffer, -1);
  // of a host function's
  CUDA_CHECK(cudaLaunchHostFunc(first, raise, words + 2));
  stream_waits(second, words + 2, 1);
  stream_writes(second, words + 1, 0); // used again
  add<<<1, COUNT, 0, second>>>(buffer, buffer, -1);
  stream_writes(second, words + 1, 1);
  stream_waits(first, words + 1, 1, CU_STREAM_WAIT_VALUE_EQ);
  add<<<1, COUNT, 0, first>>>(out, buffer, 0);
  CUDA_CHECK(cudaStreamSynchronize(first));
  CUDA_CHECK(cudaStreamSynchronize(second));
  CUDA_CHECK(cudaFreeHost(words));
  CUDA_CHECK(cudaFree(told));
  CUDA_CHECK(cudaFree(buffer));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
