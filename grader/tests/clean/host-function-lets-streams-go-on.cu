// A host function writes a word that another stream waits for. The host waits for that stream alone, by a
// call first, then by a loop over a word that the stream writes: nothing else makes the function run.
#include "stream-values.h"

#include <atomic>
#include <unistd.h>

constexpr int COUNT = 512;

__global__ void add(int *to, const int *from, int more) {
  to[threadIdx.x] = from[threadIdx.x] + more;
}

static void raise(void *word) {
  static_cast<std::atomic<unsigned> *>(word)->fetch_add(1);
}

static void launch(int *out, const int *in) {
  cudaStream_t first, second;
  std::atomic<unsigned> *words;
  int *buffer;
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&words, 2 * sizeof(*words)));
  CUDA_CHECK(cudaMalloc(&buffer, COUNT * sizeof(int)));
  words[0] = words[1] = 0;
  add<<<1, COUNT>>>(buffer, in, 0); // loads its code: that may wait for all streams
  CUDA_CHECK(cudaDeviceSynchronize());
  // the host calls, and the function has not begun
  stream_waits(second, words, 1);
  add<<<1, COUNT, 0, second>>>(buffer, buffer, 2);
  add<<<1, COUNT, 0, first>>>(buffer, in, 1);
  CUDA_CHECK(cudaLaunchHostFunc(first, raise, words));
  CUDA_CHECK(cudaStreamSynchronize(second));
  // the host looks
  stream_waits(second, words, 2);
  add<<<1, COUNT, 0, second>>>(out, buffer, -1);
  stream_writes(second, words + 1, 1);
  add<<<1, COUNT, 0, first>>>(buffer, buffer, -1);
  CUDA_CHECK(cudaLaunchHostFunc(first, raise, words));
  while (words[1] == 0)
    usleep(100);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFreeHost(words));
  CUDA_CHECK(cudaFree(buffer));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
