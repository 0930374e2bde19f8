// expect: seeds 2
// In: nothing. Out: `ok` if a graph's node writes values and waits for them, as built and as changed: the
// kernel behind a wait sees what the host has written before the value, in page-locked memory.
#include "self-check.h"
#include <cuda.h>

template <class function> static function *entry(const char *name) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult how;
  CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &how));
  return reinterpret_cast<function *>(found);
}
#define DRIVER(name, ...) check_that(entry<decltype(name)>(#name)(__VA_ARGS__) == CUDA_SUCCESS, #name)

__global__ void add_one(int *word) {
  *word += 1;
}

struct words {
  unsigned begin;
  alignas(8) unsigned long long done;
  int data;
};

static CUdeviceptr address(const void *word) {
  return reinterpret_cast<CUdeviceptr>(word);
}

static CUstreamBatchMemOpParams wait_for(unsigned *word, unsigned value) {
  CUstreamBatchMemOpParams one = {};
  one.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  one.waitValue.address = address(word);
  one.waitValue.value = value;
  one.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  return one;
}

static CUstreamBatchMemOpParams write_to(unsigned long long *word, unsigned long long value) {
  CUstreamBatchMemOpParams one = {};
  one.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  one.writeValue.address = address(word);
  one.writeValue.value64 = value;
  return one;
}

static CUgraphNode add_node(CUgraph graph, const CUgraphNode *after, CUstreamBatchMemOpParams *all,
                            unsigned count) {
  CUgraphNode node = nullptr, nowhere = nullptr;
  CUDA_BATCH_MEM_OP_NODE_PARAMS parameters = {};
  parameters.paramArray = all;
  parameters.count = count;
  check_that(entry<decltype(cuGraphAddBatchMemOpNode)>("cuGraphAddBatchMemOpNode")(
                 &nowhere, graph, after, after ? 1 : 0, &parameters) == CUDA_ERROR_INVALID_VALUE,
             "a node without a context was taken");
  DRIVER(cuCtxGetCurrent, &parameters.ctx);
  DRIVER(cuGraphAddBatchMemOpNode, &node, graph, after, after ? 1 : 0, &parameters);
  return node;
}

static void round_of(cudaGraphExec_t ready, cudaStream_t stream, words *w, unsigned value,
                     unsigned long long wanted) {
  volatile words *seen = w;
  CUDA_CHECK(cudaGraphLaunch(ready, stream));
  check_that(cudaStreamQuery(stream) == cudaErrorNotReady, "the graph has not waited for %u", value);
  seen->data = 40;
  __sync_synchronize();
  seen->begin = value;
  CUDA_CHECK(cudaStreamSynchronize(stream));
  check_that(seen->data == 41, "the kernel has made %d", seen->data);
  check_that(seen->done == wanted, "the value is %llu", static_cast<unsigned long long>(seen->done));
  seen->begin = 0;
}

int main() {
  words *w;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CUDA_CHECK(cudaMallocHost(&w, sizeof *w));
  *w = {0, 0, 0};
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  CUstreamBatchMemOpParams waits = wait_for(&w->begin, 1), writes[2] = {write_to(&w->done, 1ull << 40), {}};
  writes[1].operation = CU_STREAM_MEM_OP_BARRIER;
  const CUgraphNode first = add_node(graph, nullptr, &waits, 1);
  int *data = &w->data;
  void *arguments[] = {&data};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(add_one);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, &first, 1, &kernel));
  const CUgraphNode last = add_node(graph, &node, writes, 2);
  CUgraphNodeType type;
  DRIVER(cuGraphNodeGetType, last, &type);
  check_that(type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, "the node is of type %d", type);
  CUDA_BATCH_MEM_OP_NODE_PARAMS found = {};
  DRIVER(cuGraphBatchMemOpNodeGetParams, last, &found);
  check_that(found.count == 2 && found.paramArray[0].writeValue.value64 == 1ull << 40 &&
                 found.paramArray[1].operation == CU_STREAM_MEM_OP_BARRIER,
             "the node has %u operations", found.count);
  CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  round_of(ready, stream, w, 1, 1ull << 40);
  waits = wait_for(&w->begin, 7);
  found.paramArray = &waits;
  found.count = 1;
  DRIVER(cuGraphExecBatchMemOpNodeSetParams, ready, first, &found);
  round_of(ready, stream, w, 7, 1ull << 40);
  waits = wait_for(&w->begin, 9);
  DRIVER(cuGraphBatchMemOpNodeSetParams, first, &found);
  CUDA_CHECK(cudaGraphExecDestroy(ready));
  CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  round_of(ready, stream, w, 9, 1ull << 40);
  CUDA_CHECK(cudaGraphExecDestroy(ready));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(w));
  return self_check_result();
}
