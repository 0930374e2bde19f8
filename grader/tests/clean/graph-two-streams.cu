// An executable graph is launched in two streams without an event between them: a launch comes after all
// earlier ones of the same executable graph (cudaGraphLaunch), so no two of them use the scratch memory at
// once.
#include "corpus.h"

__global__ void more(int *scratch, const int *from) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  scratch[i] = from[i] + 5;
}

__global__ void take(int *to, const int *scratch) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = scratch[i] * 2;
}

static void run(int *out, const int *in) {
  constexpr int COUNT = 256;
  int *scratch;
  cudaStream_t a, b;
  cudaGraph_t graph;
  cudaGraphExec_t first, second;
  CUDA_CHECK(cudaMalloc(&scratch, COUNT * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  more<<<2, 128, 0, a>>>(scratch, in);
  take<<<2, 128, 0, a>>>(out, scratch);
  CUDA_CHECK(cudaStreamEndCapture(a, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&first, graph, 0));
  CUDA_CHECK(cudaGraphInstantiate(&second, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(first, a));
  CUDA_CHECK(cudaGraphLaunch(first, b));
  CUDA_CHECK(cudaGraphLaunch(first, a));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaGraphExecDestroy(first));
  CUDA_CHECK(cudaGraphExecDestroy(second));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(a));
  CUDA_CHECK(cudaStreamDestroy(b));
  CUDA_CHECK(cudaFree(scratch));
}

int main() {
  return corpus_check(256, run, [](const std::vector<int> &in, size_t i) { return (in[i] + 5) * 2; });
}
