// The thread's own default stream beside another one that doesn't wait for it, the legacy default stream, and
// one that both wait for: events and stream order join them.
// streams: per-thread
#include "corpus.h"

constexpr int COUNT = 4096;

__global__ void add(int *to, const int *from, int more) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + more;
}

static void launch(int *out, const int *in) {
  cudaStream_t free_stream;
  cudaEvent_t half, done;
  CUDA_CHECK(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&half, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  add<<<COUNT / 256, 256, 0, cudaStreamLegacy>>>(out, in, 1); // the thread's stream waits for it
  add<<<COUNT / 256, 256>>>(out, out, 1);
  CUDA_CHECK(cudaEventRecord(half));
  CUDA_CHECK(cudaStreamWaitEvent(free_stream, half));
  add<<<COUNT / 256, 256, 0, free_stream>>>(out, out, 1);
  CUDA_CHECK(cudaEventRecord(done, free_stream));
  CUDA_CHECK(cudaStreamWaitEvent(0, done));
  add<<<COUNT / 256, 256>>>(out, out, -2);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaEventDestroy(half));
  CUDA_CHECK(cudaEventDestroy(done));
  CUDA_CHECK(cudaStreamDestroy(free_stream));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
