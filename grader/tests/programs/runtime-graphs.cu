// CUDA graphs: nodes of every kind that is supported, edges, clones, updates of a graph that is ready to run,
// streams that are captured, what a capture forbids, and the driver's functions for the same.
#include <cuda.h>

#include "self-check.h"

constexpr int COUNT = 128;
__device__ int variable[COUNT];
static int called = 0;

__global__ void add(int *to, const int *from, int more) {
  to[threadIdx.x] = from[threadIdx.x] + more;
}

static void call(void *by) {
  called += *static_cast<int *>(by);
}

static bool is(cudaError_t got, cudaError_t wanted, const char *what) {
  (void)cudaGetLastError();
  return check_that(got == wanted, "%s: %s, and not %s", what, cudaGetErrorName(got),
                    cudaGetErrorName(wanted));
}

static cudaKernelNodeParams kernel_of(void **arguments) {
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void *>(add);
  p.gridDim = dim3(1);
  p.blockDim = dim3(COUNT);
  p.kernelParams = arguments;
  return p;
}

static void check_all(const int *device, int first, const char *what) {
  std::vector<int> got(COUNT);
  CUDA_CHECK(cudaMemcpy(got.data(), device, COUNT * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < COUNT; i++)
    if (!check_that(got[i] == first + i, "%s: %d is %d, not %d", what, i, got[i], first + i)) return;
}

struct memory {
  int *in, *middle, *out;
  std::vector<int> host;
  memory() : host(COUNT) {
    for (int i = 0; i < COUNT; i++)
      host[i] = i;
    for (int **one : {&in, &middle, &out}) {
      CUDA_CHECK(cudaMalloc(one, COUNT * sizeof(int)));
      CUDA_CHECK(cudaMemset(*one, 0, COUNT * sizeof(int)));
    }
  }
  ~memory() {
    for (int *one : {in, middle, out})
      cudaFree(one);
  }
};

// Host to device, into a variable, out of it, a kernel, a host function, an empty node, and back.
static void nodes_of_all_kinds() {
  memory m;
  const size_t bytes = COUNT * sizeof(int);
  std::vector<int> back(COUNT);
  cudaGraph_t graph, child, clone;
  cudaGraphNode_t n[7], inner, found;
  int more = 5, by = 1;
  void *arguments[] = {&m.out, &m.middle, &more};
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  CUDA_CHECK(cudaGraphCreate(&child, 0));
  CUDA_CHECK(
      cudaGraphAddMemcpyNode1D(&n[0], graph, nullptr, 0, m.in, m.host.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaGraphAddMemcpyNodeToSymbol(&n[1], graph, &n[0], 1, variable, m.in, bytes, 0,
                                            cudaMemcpyDeviceToDevice));
  CUDA_CHECK(cudaGraphAddMemcpyNodeFromSymbol(&n[2], graph, &n[1], 1, m.middle, variable, bytes, 0,
                                              cudaMemcpyDeviceToDevice));
  const cudaKernelNodeParams kernel = kernel_of(arguments);
  CUDA_CHECK(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &kernel));
  CUDA_CHECK(cudaGraphAddChildGraphNode(&n[3], graph, &n[2], 1, child));
  CUDA_CHECK(cudaGraphAddEmptyNode(&n[4], graph, &n[3], 1));
  const cudaHostNodeParams host = {call, &by};
  CUDA_CHECK(cudaGraphAddHostNode(&n[5], graph, &n[4], 1, &host));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(m.out, bytes, COUNT, 1);
  copy.dstPtr = make_cudaPitchedPtr(back.data(), bytes, COUNT, 1);
  copy.extent = make_cudaExtent(bytes, 1, 1);
  copy.kind = cudaMemcpyDeviceToHost;
  CUDA_CHECK(cudaGraphAddMemcpyNode(&n[6], graph, nullptr, 0, &copy));
#if CUDART_VERSION >= 13000
  CUDA_CHECK(cudaGraphAddDependencies(graph, &n[5], &n[6], nullptr, 1));
#else
  CUDA_CHECK(cudaGraphAddDependencies(graph, &n[5], &n[6], 1));
#endif
  size_t count = 0, roots = 0;
  cudaGraphNodeType kind;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  CUDA_CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CUDA_CHECK(cudaGraphNodeGetType(n[3], &kind));
  check_that(count == 7 && roots == 1 && kind == cudaGraphNodeTypeGraph, "%zu nodes, %zu roots, kind %d",
             count, roots, kind);
  cudaKernelNodeParams read;
  CUDA_CHECK(cudaGraphChildGraphNodeGetGraph(n[3], &clone));
  CUDA_CHECK(cudaGraphNodeFindInClone(&found, inner, clone));
  CUDA_CHECK(cudaGraphKernelNodeGetParams(found, &read));
  check_that(*static_cast<int *>(read.kernelParams[2]) == 5, "a node's argument is %d",
             *static_cast<int *>(read.kernelParams[2]));
  CUDA_CHECK(cudaGraphClone(&clone, graph));
  CUDA_CHECK(cudaGraphDestroy(graph));
  cudaGraphExec_t ready;
  CUDA_CHECK(cudaGraphInstantiateWithFlags(&ready, clone, 0));
  CUDA_CHECK(cudaGraphUpload(ready, nullptr));
  CUDA_CHECK(cudaGraphLaunch(ready, nullptr));
  CUDA_CHECK(cudaGraphLaunch(ready, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(called == 2, "the host's function was called %d times", called);
  for (int i = 0; i < COUNT; i++)
    check_that(back[i] == i + 5, "copied back: %d is %d", i, back[i]);
  CUDA_CHECK(cudaGraphExecDestroy(ready));
  CUDA_CHECK(cudaGraphDestroy(clone));
  CUDA_CHECK(cudaGraphDestroy(child));
}

static void updates() {
  memory m;
  cudaGraph_t graph, other;
  cudaGraphNode_t filled, added, another;
  int more = 1;
  void *arguments[] = {&m.out, &m.in, &more};
  CUDA_CHECK(cudaMemcpy(m.in, m.host.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill = {};
  fill.dst = m.middle;
  fill.elementSize = 4;
  fill.value = 0x01020304;
  fill.width = COUNT;
  fill.height = 1;
  CUDA_CHECK(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill));
  cudaKernelNodeParams kernel = kernel_of(arguments);
  CUDA_CHECK(cudaGraphAddKernelNode(&added, graph, &filled, 1, &kernel));
  cudaGraphExec_t ready;
  CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  more = 2; // what is ready keeps what it was made with
  CUDA_CHECK(cudaGraphLaunch(ready, nullptr));
  check_all(m.out, 1, "as made");
  int first = 0;
  CUDA_CHECK(cudaMemcpy(&first, m.middle, sizeof first, cudaMemcpyDeviceToHost));
  check_that(first == 0x01020304, "filled with %x", first);
  CUDA_CHECK(cudaGraphExecKernelNodeSetParams(ready, added, &kernel));
  CUDA_CHECK(cudaGraphLaunch(ready, nullptr));
  check_all(m.out, 2, "a node has other arguments");
  more = 3;
  CUDA_CHECK(cudaGraphClone(&other, graph));
  CUDA_CHECK(cudaGraphNodeFindInClone(&another, added, other));
  CUDA_CHECK(cudaGraphKernelNodeSetParams(another, &kernel));
  cudaGraphExecUpdateResultInfo result;
  CUDA_CHECK(cudaGraphExecUpdate(ready, other, &result));
  CUDA_CHECK(cudaGraphLaunch(ready, nullptr));
  check_all(m.out, 3, "another graph's arguments");
  CUDA_CHECK(cudaGraphNodeSetEnabled(ready, added, 0));
  CUDA_CHECK(cudaMemset(m.out, 0, COUNT * sizeof(int)));
  CUDA_CHECK(cudaGraphLaunch(ready, nullptr));
  CUDA_CHECK(cudaMemcpy(&first, m.out, sizeof first, cudaMemcpyDeviceToHost));
  check_that(first == 0, "a node that is switched off has run");
  CUDA_CHECK(cudaGraphDestroyNode(another));
  is(cudaGraphExecUpdate(ready, other, &result), cudaErrorGraphExecUpdateFailure, "a graph of another shape");
  check_that(result.result == cudaGraphExecUpdateErrorTopologyChanged, "the reason is %d", result.result);
  CUDA_CHECK(cudaGraphExecDestroy(ready));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaGraphDestroy(other));
}

// What is captured is not done before the graph is launched.
static void captures() {
  memory m;
  cudaStream_t a, b;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamCaptureStatus status;
  int by = 1;
  CUDA_CHECK(cudaMemcpy(m.in, m.host.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreate(&fork));
  CUDA_CHECK(cudaEventCreate(&join));
  called = 0;
  CUDA_CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
  CUDA_CHECK(cudaStreamIsCapturing(a, &status));
  check_that(status == cudaStreamCaptureStatusActive, "the stream's status is %d", status);
  CUDA_CHECK(cudaEventRecord(fork, a));
  CUDA_CHECK(cudaStreamWaitEvent(b, fork, 0));
  CUDA_CHECK(cudaStreamIsCapturing(b, &status));
  check_that(status == cudaStreamCaptureStatusActive, "the other stream's status is %d", status);
  add<<<1, COUNT, 0, b>>>(m.middle, m.in, 10);
  CUDA_CHECK(cudaEventRecord(join, b));
  CUDA_CHECK(cudaStreamWaitEvent(a, join, 0));
  add<<<1, COUNT, 0, a>>>(m.out, m.middle, 10);
  CUDA_CHECK(cudaLaunchHostFunc(a, call, &by));
  CUDA_CHECK(cudaStreamEndCapture(a, &graph));
  check_that(called == 0, "a captured function has been called");
  CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(ready, b));
  CUDA_CHECK(cudaStreamSynchronize(b));
  check_all(m.out, 20, "captured");
  check_that(called == 1, "a captured function was called %d times", called);
  size_t count = 0;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  check_that(count == 3, "%zu nodes were captured", count);
  float milliseconds;
  is(cudaEventQuery(join), cudaErrorInvalidValue, "an event that was captured");
  is(cudaEventSynchronize(join), cudaErrorInvalidValue, "waiting for an event that was captured");
  is(cudaEventElapsedTime(&milliseconds, join, join), cudaErrorInvalidValue, "the time of a captured event");
  is(cudaStreamWaitEvent(b, join, 0), cudaErrorInvalidValue, "a stream waits for a captured event");
  CUDA_CHECK(cudaGraphExecDestroy(ready));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaEventDestroy(fork));
  CUDA_CHECK(cudaEventDestroy(join));
  CUDA_CHECK(cudaStreamDestroy(a));
  CUDA_CHECK(cudaStreamDestroy(b));
}

static void forbidden() {
  cudaStream_t a, b;
  cudaEvent_t event, outside;
  cudaGraph_t graph;
  int *pointer;
  CUDA_CHECK(cudaStreamCreate(&a));
  CUDA_CHECK(cudaStreamCreate(&b));
  CUDA_CHECK(cudaEventCreate(&event));
  CUDA_CHECK(cudaEventCreate(&outside));
  CUDA_CHECK(cudaEventRecord(outside, b));
  is(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported,
     "a capture of the default stream");
  CUDA_CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  is(cudaStreamSynchronize(a), cudaErrorStreamCaptureUnsupported, "a wait for a captured stream");
  is(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated, "the end after that");
  CUDA_CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  is(cudaMalloc(&pointer, 16), cudaErrorStreamCaptureUnsupported, "cudaMalloc");
  is(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated, "the end after cudaMalloc");
  CUDA_CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
  CUDA_CHECK(cudaMalloc(&pointer, 16));
  is(cudaMemset(pointer, 0, 16), cudaErrorStreamCaptureImplicit, "the default stream");
  is(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated, "the end after that");
  CUDA_CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  is(cudaStreamWaitEvent(a, outside, 0), cudaErrorStreamCaptureIsolation, "an event from outside");
  is(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated, "the end after that");
  CUDA_CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaEventRecord(event, a));
  CUDA_CHECK(cudaStreamWaitEvent(b, event, 0));
  CUDA_CHECK(cudaMemsetAsync(pointer, 0, 16, b));
  is(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureUnjoined, "the end without the other stream");
  CUDA_CHECK(cudaStreamSynchronize(a));
  CUDA_CHECK(cudaFree(pointer));
  CUDA_CHECK(cudaEventDestroy(event));
  CUDA_CHECK(cudaEventDestroy(outside));
  CUDA_CHECK(cudaStreamDestroy(a));
  CUDA_CHECK(cudaStreamDestroy(b));
}

template <class function> static function *driver(const char *name) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult result;
  CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
  check_that(found != nullptr, "the driver has no %s", name);
  return reinterpret_cast<function *>(found);
}

static void by_the_driver() {
  memory m;
  CUgraph graph;
  CUgraphNode node;
  CUgraphExec ready;
  cudaFunction_t function;
  int more = 7;
  void *arguments[] = {&m.out, &m.in, &more};
  CUDA_CHECK(cudaMemcpy(m.in, m.host.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(add)));
  CUDA_KERNEL_NODE_PARAMS kernel = {};
  kernel.func = reinterpret_cast<CUfunction>(function);
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.blockDimX = COUNT;
  kernel.kernelParams = arguments;
  CUDA_CHECK(driver<CUresult(CUgraph *, unsigned)>("cuGraphCreate")(&graph, 0));
  CUDA_CHECK(
      driver<CUresult(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS *)>(
          "cuGraphAddKernelNode")(&node, graph, nullptr, 0, &kernel));
  CUDA_CHECK(
      driver<CUresult(CUgraphExec *, CUgraph, unsigned long long)>("cuGraphInstantiate")(&ready, graph, 0));
  CUDA_CHECK(driver<CUresult(CUgraphExec, CUstream)>("cuGraphLaunch")(ready, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  check_all(m.out, 7, "by the driver");
  CUDA_CHECK(driver<CUresult(CUgraphExec)>("cuGraphExecDestroy")(ready));
  CUDA_CHECK(driver<CUresult(CUgraph)>("cuGraphDestroy")(graph));
}

int main() {
  nodes_of_all_kinds();
  updates();
  captures();
  forbidden();
  by_the_driver();
  return self_check_result();
}
