// The host waits for two streams in turn. A host function in the second waits for the host's word, which the
// host gives when it has waited for the first; the function uses what a copy there has brought.
#include "corpus.h"

#include <atomic>
#include <unistd.h>

constexpr int COUNT = 1024;

struct job {
  const int *pages;
  std::atomic<int> word;
  int last;
};

static void take(void *data) {
  job *j = static_cast<job *>(data);
  while (!j->word)
    usleep(100); // a loop that yields keeps a core busy
  j->last = j->pages[COUNT - 1];
}

__global__ void add(int *to, const int *from) {
  to[threadIdx.x] = from[threadIdx.x] + 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t first, second;
  int *pages;
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&pages, COUNT * sizeof(int)));
  add<<<1, COUNT>>>(out, in); // loads its code: that may wait for all streams
  CUDA_CHECK(cudaDeviceSynchronize());
  job j = {pages, {0}, 0};
  CUDA_CHECK(cudaLaunchHostFunc(second, take, &j));
  add<<<1, COUNT, 0, second>>>(out, in); // behind the function
  CUDA_CHECK(cudaMemcpyAsync(pages, in, COUNT * sizeof(int), cudaMemcpyDeviceToHost, first));
  CUDA_CHECK(cudaStreamSynchronize(first));
  j.word = 1;
  CUDA_CHECK(cudaStreamSynchronize(second));
  check_that(j.last == (COUNT - 1) * 7 + 3, "the function has seen %d", j.last);
  CUDA_CHECK(cudaFreeHost(pages));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
