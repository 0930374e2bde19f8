// A host function works on what a copy before it has brought, waits for the host's word, and ends. The copies
// behind it use the same memory again: the host waits for them before it reads.
#include "corpus.h"

#include <atomic>
#include <unistd.h>

constexpr int COUNT = 1024;

struct job {
  const int *from;
  int *to;
  std::atomic<int> word;
};

static void work(void *data) {
  job *j = static_cast<job *>(data);
  for (int i = 0; i < COUNT; i++)
    j->to[i] = j->from[i] + 1;
  while (!j->word)
    usleep(100); // a loop that yields keeps a core busy
}

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  int *pages, *more;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&pages, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&more, COUNT * sizeof(int)));
  CUDA_CHECK(cudaDeviceSynchronize());
  job j = {pages, more, {0}};
  CUDA_CHECK(cudaMemcpyAsync(pages, in, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaLaunchHostFunc(stream, work, &j));
  CUDA_CHECK(cudaMemcpyAsync(out, more, COUNT * sizeof(int), cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaMemcpyAsync(pages, out, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
  j.word = 1;
  CUDA_CHECK(cudaStreamSynchronize(stream));
  check_that(pages[9] == 9 * 7 + 4, "the copy has brought %d", pages[9]);
  CUDA_CHECK(cudaFreeHost(pages));
  CUDA_CHECK(cudaFreeHost(more));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
