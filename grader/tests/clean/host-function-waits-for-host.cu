// A host function holds its stream back until the program has called everything: copies, fills, kernels, a
// graph, memory of the stream, a second function, events for another stream. On a GPU these calls return.
#include "corpus.h"

#include <atomic>
#include <thread>

constexpr int COUNT = 1024;
constexpr size_t BYTES = COUNT * sizeof(int);

static void wait_for_host(void *open) {
  while (!static_cast<std::atomic<bool> *>(open)->load())
    std::this_thread::yield();
}

static void add_one(void *words) {
  for (int i = 0; i < COUNT; i++)
    static_cast<int *>(words)[i] += 1;
}

__global__ void plus(int *to, const int *from, const int *more) {
  to[threadIdx.x] = from[threadIdx.x] + more[threadIdx.x];
}

static cudaGraphExec_t make_graph(int *to, const int *from, const int *more) {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t executable;
  void *arguments[] = {&to, &from, &more};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(plus);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(COUNT);
  kernel.kernelParams = arguments;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_CHECK(cudaGraphDestroy(graph));
  return executable;
}

static void launch(int *out, const int *in) {
  std::atomic<bool> open{false};
  cudaStream_t held, other;
  cudaEvent_t filled, read;
  int *words, *there, *ones, pageable[COUNT];
  CUDA_CHECK(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&read, cudaEventDisableTiming));
  CUDA_CHECK(cudaMallocHost(&words, BYTES));
  CUDA_CHECK(cudaMalloc(&there, 2 * BYTES));
  const cudaGraphExec_t graph = make_graph(there, there, there + COUNT);

  CUDA_CHECK(cudaLaunchHostFunc(held, wait_for_host, &open));
  CUDA_CHECK(cudaMallocAsync(&ones, BYTES, held));
  for (int &word : pageable)
    word = 1;
  CUDA_CHECK(cudaMemcpyAsync(ones, pageable, BYTES, cudaMemcpyHostToDevice, held));
  CUDA_CHECK(cudaMemsetAsync(there + COUNT, 0, BYTES, held));
  plus<<<1, COUNT, 0, held>>>(there, in, ones);
  for (int &word : pageable)
    word = 5;
  CUDA_CHECK(cudaGraphLaunch(graph, held));
  CUDA_CHECK(cudaFreeAsync(ones, held));
  CUDA_CHECK(cudaMemcpyAsync(words, there, BYTES, cudaMemcpyDeviceToHost, held));
  CUDA_CHECK(cudaLaunchHostFunc(held, add_one, words));
  CUDA_CHECK(cudaEventRecord(filled, held));
  CUDA_CHECK(cudaStreamWaitEvent(other, filled, 0));
  plus<<<1, COUNT, 0, other>>>(out, words, there + COUNT);
  CUDA_CHECK(cudaEventRecord(read, other));
  check_that(cudaStreamQuery(held) == cudaErrorNotReady && cudaEventQuery(read) == cudaErrorNotReady,
             "nothing can be done yet");
  CUDA_CHECK(cudaStreamDestroy(held));
  open = true;

  CUDA_CHECK(cudaEventSynchronize(read));
  check_that(cudaStreamQuery(other) == cudaSuccess, "all is done");
  CUDA_CHECK(cudaGraphExecDestroy(graph));
  CUDA_CHECK(cudaFree(there));
  CUDA_CHECK(cudaFreeHost(words));
  CUDA_CHECK(cudaStreamDestroy(other));
  CUDA_CHECK(cudaEventDestroy(filled));
  CUDA_CHECK(cudaEventDestroy(read));
}

int main() {
  return corpus_check(COUNT, launch, [](const std::vector<int> &in, size_t i) { return in[i] + 2; });
}
