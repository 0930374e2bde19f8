// A graph, an event and the default stream behind a value that a stream waits for. One executable graph runs
// in two streams, which is in turn; a stream is destroyed when its work is done.
#include "stream-values.h"

constexpr int COUNT = 1024;

__global__ void add(int *to, const int *from, int more) {
  to[threadIdx.x] = from[threadIdx.x] + more;
}

static cudaGraph_t capture(cudaStream_t stream, int *buffer) {
  cudaGraph_t graph;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  add<<<1, COUNT, 0, stream>>>(buffer, buffer, 2);
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

static void launch(int *out, const int *in) {
  cudaStream_t first, second, blocking;
  cudaEvent_t done, last;
  cudaGraphExec_t run, another;
  unsigned *word;
  int *buffer, *pages;
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreate(&blocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&last, cudaEventDisableTiming));
  CUDA_CHECK(cudaMalloc(&word, sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&buffer, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&pages, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMemset(word, 0, sizeof(unsigned)));
  add<<<1, COUNT>>>(buffer, in, 0); // loads its code: that may wait for all streams
  const cudaGraph_t graph = capture(first, buffer);
  CUDA_CHECK(cudaGraphInstantiate(&run, graph, 0));
  CUDA_CHECK(cudaGraphInstantiate(&another, graph, 0));
  CUDA_CHECK(cudaDeviceSynchronize());
  stream_waits(first, word, 1);
  CUDA_CHECK(cudaGraphLaunch(run, first));
  CUDA_CHECK(cudaEventRecord(done, first));
  add<<<1, COUNT, 0, second>>>(buffer, in, -1);
  stream_writes(second, word, 1);
  CUDA_CHECK(cudaGraphLaunch(run, second)); // not before it has run in the first stream
  CUDA_CHECK(cudaEventRecord(last, second));
  CUDA_CHECK(cudaStreamWaitEvent(blocking, done));
  CUDA_CHECK(cudaStreamWaitEvent(blocking, last));
  add<<<1, COUNT, 0, blocking>>>(buffer, buffer, -2);
  add<<<1, COUNT>>>(out, buffer, 0);
  CUDA_CHECK(cudaMemcpyAsync(pages, out, COUNT * sizeof(int), cudaMemcpyDeviceToHost, blocking));
  CUDA_CHECK(cudaStreamSynchronize(blocking));
  CUDA_CHECK(cudaStreamDestroy(blocking)); // waits for nothing
  check_that(pages[0] == 4, "the copy has brought %d", pages[0]);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaGraphExecDestroy(run));
  CUDA_CHECK(cudaGraphExecDestroy(another));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaEventDestroy(done));
  CUDA_CHECK(cudaEventDestroy(last));
  CUDA_CHECK(cudaFree(word));
  CUDA_CHECK(cudaFree(buffer));
  CUDA_CHECK(cudaFreeHost(pages));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
