// Two streams are captured into a graph: the second starts when a fill is done, and the first waits for the
// second before it copies both results. The graph runs twice.
#include "corpus.h"

__global__ void count_up(int *to, const int *from, int *counter) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = from[i] + 3;
  atomicAdd(counter, 1);
}

__global__ void twice(int *to, const int *from) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = from[i] * 2;
}

static void run(int *out, const int *in) {
  constexpr int COUNT = 256, HALF = COUNT / 2;
  int *halves, *counter;
  cudaStream_t a, b;
  cudaEvent_t ready, done;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA_CHECK(cudaMalloc(&halves, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&counter, sizeof(int)));
  CUDA_CHECK(cudaStreamCreate(&a));
  CUDA_CHECK(cudaStreamCreate(&b));
  CUDA_CHECK(cudaEventCreate(&ready));
  CUDA_CHECK(cudaEventCreate(&done));
  CUDA_CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaMemsetAsync(counter, 0, sizeof(int), a));
  CUDA_CHECK(cudaEventRecord(ready, a));
  CUDA_CHECK(cudaStreamWaitEvent(b, ready, 0));
  count_up<<<2, 64, 0, b>>>(halves, in, counter);
  CUDA_CHECK(cudaEventRecord(done, b));
  twice<<<2, 64, 0, a>>>(halves + HALF, in + HALF);
  CUDA_CHECK(cudaStreamWaitEvent(a, done, 0));
  CUDA_CHECK(cudaMemcpyAsync(out, halves, COUNT * sizeof(int), cudaMemcpyDeviceToDevice, a));
  CUDA_CHECK(cudaStreamEndCapture(a, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(executable, a));
  CUDA_CHECK(cudaGraphLaunch(executable, a));
  CUDA_CHECK(cudaStreamSynchronize(a));
  CUDA_CHECK(cudaGraphExecDestroy(executable));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaEventDestroy(ready));
  CUDA_CHECK(cudaEventDestroy(done));
  CUDA_CHECK(cudaStreamDestroy(a));
  CUDA_CHECK(cudaStreamDestroy(b));
  CUDA_CHECK(cudaFree(halves));
  CUDA_CHECK(cudaFree(counter));
}

int main() {
  return corpus_check(256, run,
                      [](const std::vector<int> &in, size_t i) { return i < 128 ? in[i] + 3 : in[i] * 2; });
}
