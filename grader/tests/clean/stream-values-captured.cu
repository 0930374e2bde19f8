// Two streams are captured into two graphs. The first graph's last node writes a value that the second one's
// first node waits for, and takes the value back for the next round. No event orders the two.
#include "stream-values.h"

constexpr int COUNT = 1024;

__global__ void fill(int *to, const int *from, int more) {
  to[threadIdx.x] = from[threadIdx.x] + more;
}

__global__ void copy(int *to, const int *from) {
  to[threadIdx.x] = from[threadIdx.x];
}

static cudaGraphExec_t end_capture(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CUDA_CHECK(cudaGraphDestroy(graph));
  return ready;
}

static void launch(int *out, const int *in) {
  cudaStream_t first, second;
  int *between, *word;
  CUDA_CHECK(cudaMalloc(&between, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&word, 2 * sizeof(int)));
  CUDA_CHECK(cudaMemset(word, 0, 2 * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
  fill<<<1, COUNT, 0, first>>>(between, in, 1);
  stream_writes(first, word, 1);
  stream_waits(first, word + 1, 1, CU_STREAM_WAIT_VALUE_EQ); // the second graph is through
  stream_writes(first, word + 1, 0);
  const cudaGraphExec_t writes = end_capture(first);
  CUDA_CHECK(cudaStreamBeginCapture(second, cudaStreamCaptureModeThreadLocal));
  stream_waits(second, word, 1, CU_STREAM_WAIT_VALUE_EQ);
  copy<<<1, COUNT, 0, second>>>(out, between);
  stream_writes(second, word, 0);
  stream_writes(second, word + 1, 1);
  const cudaGraphExec_t reads = end_capture(second);
  for (int round = 0; round < 3; round++) {
    CUDA_CHECK(cudaGraphLaunch(reads, second)); // waits for the next one
    CUDA_CHECK(cudaGraphLaunch(writes, first));
  }
  CUDA_CHECK(cudaStreamSynchronize(first));
  CUDA_CHECK(cudaStreamSynchronize(second));
  CUDA_CHECK(cudaGraphExecDestroy(reads));
  CUDA_CHECK(cudaGraphExecDestroy(writes));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
  CUDA_CHECK(cudaFree(between));
  CUDA_CHECK(cudaFree(word));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
