// Conditional nodes of graphs: if, if with else, while, switch, each by values that kernels set. A handle
// with a default begins with it at every launch.
#include "self-check.h"

__global__ void choose(cudaGraphConditionalHandle handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}
__global__ void add(int *to, int value) {
  *to += value;
}
__global__ void count_down(int *count, int *turns, cudaGraphConditionalHandle handle) {
  (*turns)++;
  if (--*count <= 0) cudaGraphSetConditional(handle, 0);
}

// A node of `size` graphs behind `after`.
static cudaGraph_t *condition(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                              cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams p = {};
  cudaGraphNode_t node;
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  CUDA_CHECK(cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &p));
  return p.conditional.phGraph_out;
}

template <class... types>
static cudaGraphNode_t kernel(cudaGraph_t graph, void (*f)(types...), types... arguments) {
  void *pointers[] = {&arguments...};
  cudaGraphNode_t node;
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void *>(f);
  p.gridDim = p.blockDim = 1;
  p.kernelParams = pointers;
  CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  return node;
}

static int run(cudaGraph_t graph, int *result, int launches) {
  cudaGraphExec_t ready;
  int got = 0;
  CUDA_CHECK(cudaMemset(result, 0, sizeof got));
  CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < launches; i++)
    CUDA_CHECK(cudaGraphLaunch(ready, nullptr));
  CUDA_CHECK(cudaMemcpy(&got, result, sizeof got, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaGraphExecDestroy(ready));
  CUDA_CHECK(cudaGraphDestroy(graph));
  return got;
}

// A kernel chooses a graph; graph i adds 10^i.
static int chosen(int *result, cudaGraphConditionalNodeType type, unsigned size, unsigned value) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  CUDA_CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  const cudaGraphNode_t first = kernel(graph, choose, handle, value);
  cudaGraph_t *bodies = condition(graph, first, handle, type, size);
  for (unsigned i = 0, more = 1; i < size; i++, more *= 10)
    kernel(bodies[i], add, result, static_cast<int>(more));
  return run(graph, result, 1);
}

// A body that a stream's work becomes. Its capture ends without asking for a graph: the caller has it.
static void capture_body(cudaGraph_t body, int *count, int *turns, cudaGraphConditionalHandle handle) {
  cudaStream_t stream;
  cudaGraph_t own;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  count_down<<<1, 1, 0, stream>>>(count, turns, handle);
  CUDA_CHECK(cudaStreamEndCapture(stream, nullptr));
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaStreamEndCapture(stream, nullptr)); // so nobody has the graph
  check_that(cudaStreamEndCapture(stream, &own) == cudaErrorIllegalState, "a capture ends twice");
  CUDA_CHECK(cudaStreamDestroy(stream));
}

// The loop runs `count` times at the first launch, and once at the others, for the default lets it begin.
static void check_loop(int *turns, int *count, bool captured) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  const int five = 5;
  CUDA_CHECK(cudaMemcpy(count, &five, sizeof five, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  CUDA_CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraph_t *bodies = condition(graph, nullptr, handle, cudaGraphCondTypeWhile, 1);
  if (captured)
    capture_body(bodies[0], count, turns, handle);
  else
    kernel(bodies[0], count_down, count, turns, handle);
  const int got = run(graph, turns, 3);
  check_that(got == 5 + 1 + 1, "the loop ran %d times", got);
}

int main() {
  int *result, *count;
  CUDA_CHECK(cudaMalloc(&result, sizeof *result));
  CUDA_CHECK(cudaMalloc(&count, sizeof *count));
  check_that(chosen(result, cudaGraphCondTypeIf, 1, 1) == 1, "if, 1");
  check_that(chosen(result, cudaGraphCondTypeIf, 1, 0) == 0, "if, 0");
  check_that(chosen(result, cudaGraphCondTypeIf, 2, 0) == 10, "else");
  check_that(chosen(result, cudaGraphCondTypeSwitch, 3, 2) == 100, "switch, 2");
  check_that(chosen(result, cudaGraphCondTypeSwitch, 3, 3) == 0, "switch, 3");
  check_loop(result, count, false);
  check_loop(result, count, true);
  CUDA_CHECK(cudaFree(result));
  CUDA_CHECK(cudaFree(count));
  return self_check_result();
}
