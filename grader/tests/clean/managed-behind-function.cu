// A kernel that uses managed memory is launched behind a host function that waits for the host. The host
// fills one part before it gives its word, and clears the other when it has waited for the stream.
#include "corpus.h"

#include <atomic>
#include <unistd.h>

constexpr int COUNT = 4096;
constexpr size_t BYTES = COUNT * sizeof(int);

static void wait_for_host(void *open) {
  while (!static_cast<std::atomic<bool> *>(open)->load())
    usleep(100); // a loop that yields keeps a core busy
}

__global__ void add(int *to, const int *from, const int *more, int *kept) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
  kept[i] = from[i];
  to[i] = from[i] + more[i];
}

static void launch(int *out, const int *in) {
  std::atomic<bool> open{false};
  cudaStream_t stream;
  int *more, *kept;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocManaged(&more, BYTES));
  CUDA_CHECK(cudaMallocManaged(&kept, BYTES));
  for (int i = 0; i < COUNT; i++)
    more[i] = 0;
  add<<<COUNT / 1024, 1024, 0, stream>>>(out, in, more,
                                         kept); // loads its code: that may wait for all streams
  CUDA_CHECK(cudaStreamSynchronize(stream));

  CUDA_CHECK(cudaLaunchHostFunc(stream, wait_for_host, &open));
  add<<<COUNT / 1024, 1024, 0, stream>>>(out, in, more, kept);
  for (int i = 0; i < COUNT; i++)
    more[i] = 1;
  open = true;
  CUDA_CHECK(cudaStreamSynchronize(stream));
  kept[1] = 0;
  CUDA_CHECK(cudaFree(kept));
  CUDA_CHECK(cudaFree(more));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
