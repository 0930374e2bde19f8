// A captured graph of two branches brings its result to page-locked memory. The host reads it, and clears it,
// between launches.
#include "corpus.h"

constexpr int COUNT = 1024;

__global__ void add(int *to, const int *from) {
  to[threadIdx.x] = from[threadIdx.x] + 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t first, second;
  cudaEvent_t added, copied;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  int *pages;
  CUDA_CHECK(cudaMallocHost(&pages, COUNT * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&added, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  add<<<1, COUNT, 0, first>>>(out, in);
  CUDA_CHECK(cudaEventRecord(added, first));
  CUDA_CHECK(cudaStreamWaitEvent(second, added, 0));
  CUDA_CHECK(cudaMemcpyAsync(pages, out, COUNT * sizeof(int), cudaMemcpyDeviceToHost, second));
  CUDA_CHECK(cudaEventRecord(copied, second));
  CUDA_CHECK(cudaStreamWaitEvent(first, copied, 0));
  CUDA_CHECK(cudaStreamEndCapture(first, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (int turn = 0; turn < 3; turn++) {
    CUDA_CHECK(cudaGraphLaunch(ready, first));
    CUDA_CHECK(cudaStreamSynchronize(first));
    check_that(pages[turn] == 7 * turn + 4, "[%d] is %d", turn, pages[turn]);
    pages[turn] = 0;
  }
  CUDA_CHECK(cudaGraphExecDestroy(ready));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
  CUDA_CHECK(cudaEventDestroy(added));
  CUDA_CHECK(cudaEventDestroy(copied));
  CUDA_CHECK(cudaFreeHost(pages));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
