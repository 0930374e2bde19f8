// A graph, node by node: one kernel clears a counter and two count into halves of an array, side by side; a
// third one comes after both and reads what they have made. The graph runs twice.
#include "corpus.h"

__global__ void clear(int *counter) {
  if (threadIdx.x == 0) *counter = 0;
}

__global__ void add_some(int *to, const int *from, int *counter, int more, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = from[i] + more;
  if (i == 0) atomicAdd(counter, 1);
}

__global__ void both(int *out, const int *halves, const int *counter, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = halves[i] * *counter;
}

static void add_kernel(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                       void *kernel, int blocks, void **arguments) {
  cudaKernelNodeParams parameters = {};
  parameters.func = kernel;
  parameters.gridDim = dim3(static_cast<unsigned>(blocks));
  parameters.blockDim = dim3(64);
  parameters.kernelParams = arguments;
  CUDA_CHECK(cudaGraphAddKernelNode(node, graph, after, count, &parameters));
}

static void run(int *out, const int *in) {
  constexpr int COUNT = 256, HALF = COUNT / 2;
  int *halves, *counter, one = 1, two = 2, half = HALF, count = COUNT;
  CUDA_CHECK(cudaMalloc(&halves, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&counter, sizeof(int)));
  int *upper = halves + HALF;
  const int *upper_in = in + HALF;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaGraphNode_t cleared, added[2], done;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  void *to_clear[] = {&counter}, *first[] = {&halves, &in, &counter, &one, &half},
       *second[] = {&upper, &upper_in, &counter, &two, &half}, *last[] = {&out, &halves, &counter, &count};
  add_kernel(&cleared, graph, nullptr, 0, reinterpret_cast<void *>(clear), 1, to_clear);
  add_kernel(&added[0], graph, &cleared, 1, reinterpret_cast<void *>(add_some), 2, first);
  add_kernel(&added[1], graph, &cleared, 1, reinterpret_cast<void *>(add_some), 2, second);
  add_kernel(&done, graph, added, 2, reinterpret_cast<void *>(both), 4, last);
  CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(ready, nullptr));
  CUDA_CHECK(cudaGraphLaunch(ready, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaGraphExecDestroy(ready));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaFree(halves));
  CUDA_CHECK(cudaFree(counter));
}

int main() {
  return corpus_check(256, run,
                      [](const std::vector<int> &in, size_t i) { return 2 * (in[i] + (i < 128 ? 1 : 2)); });
}
