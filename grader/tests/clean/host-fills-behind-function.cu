// A host function holds a stream back until the host gives its word. What the host has written until then is
// there for the copies and the kernel behind the function; what they write the host reads when it has waited.
#include "corpus.h"

#include <atomic>
#include <unistd.h>

constexpr int COUNT = 1024;

__global__ void add(int *to, const int *from, const int *more) {
  to[threadIdx.x] = from[threadIdx.x] + more[threadIdx.x];
}

static void wait_for_word(void *word) {
  while (!*static_cast<std::atomic<int> *>(word))
    usleep(100); // a loop that yields keeps a core busy
}

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  int *device, *pages, *more, *back;
  std::atomic<int> word(0);
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMalloc(&device, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&pages, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&more, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&back, COUNT * sizeof(int)));
  add<<<1, COUNT>>>(out, in, in); // loads its code: that may wait for all streams
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaLaunchHostFunc(stream, wait_for_word, &word));
  CUDA_CHECK(cudaMemcpyAsync(device, pages, COUNT * sizeof(int), cudaMemcpyHostToDevice, stream));
  add<<<1, COUNT, 0, stream>>>(out, device, more);
  CUDA_CHECK(cudaMemcpyAsync(back, out, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
  for (int i = 0; i < COUNT; i++)
    pages[i] = i * 7 + 3, more[i] = 1;
  word = 1;
  CUDA_CHECK(cudaStreamSynchronize(stream));
  check_that(back[COUNT - 1] == COUNT * 7 - 3, "the copy has brought %d", back[COUNT - 1]);
  CUDA_CHECK(cudaFreeHost(pages));
  CUDA_CHECK(cudaFreeHost(more));
  CUDA_CHECK(cudaFreeHost(back));
  CUDA_CHECK(cudaFree(device));
  CUDA_CHECK(cudaStreamDestroy(stream));
  static_cast<void>(in);
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
