// Nodes of graphs that allocate and free memory: added by hand, and captured from cudaMallocAsync and
// cudaFreeAsync. The graphs run several times; what a node allocates holds nothing of an earlier run.
#include "self-check.h"

constexpr uint32_t COUNT = 256, RUNS = 3;

__global__ void fill(uint32_t *to, uint32_t value) {
  to[threadIdx.x] = value + threadIdx.x;
}
__global__ void add(uint32_t *to, const uint32_t *from) {
  to[threadIdx.x] += from[threadIdx.x];
}

static void check_total(const std::vector<uint32_t> &got, uint32_t runs, const char *what) {
  for (uint32_t i = 0; i < COUNT; i++)
    check_that(got[i] == runs * (7 + i), "%s: [%u] is %u, not %u", what, i, got[i], runs * (7 + i));
}

static void run(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t ready;
  CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CUDA_CHECK(cudaGraphDestroy(graph)); // the executable graph keeps the memory
  for (uint32_t i = 0; i < RUNS; i++)
    CUDA_CHECK(cudaGraphLaunch(ready, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaGraphExecDestroy(ready));
}

static void check_nodes(cudaStream_t stream) {
  guarded<uint32_t> total(COUNT);
  CUDA_CHECK(cudaMemset(total.data(), 0, COUNT * sizeof(uint32_t)));
  cudaGraph_t graph;
  cudaGraphNode_t made, filled, added, freed;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.bytesize = COUNT * sizeof(uint32_t);
  CUDA_CHECK(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &memory));
  check_that(memory.dptr != nullptr, "the node has no address");
  uint32_t value = 7, *to = total.data();
  void *fill_arguments[] = {&memory.dptr, &value}, *add_arguments[] = {&to, &memory.dptr};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(fill);
  kernel.gridDim = 1;
  kernel.blockDim = COUNT;
  kernel.kernelParams = fill_arguments;
  CUDA_CHECK(cudaGraphAddKernelNode(&filled, graph, &made, 1, &kernel));
  kernel.func = reinterpret_cast<void *>(add);
  kernel.kernelParams = add_arguments;
  CUDA_CHECK(cudaGraphAddKernelNode(&added, graph, &filled, 1, &kernel));
  CUDA_CHECK(cudaGraphAddMemFreeNode(&freed, graph, &added, 1, memory.dptr));
  cudaMemAllocNodeParams asked = {};
  void *address = nullptr;
  CUDA_CHECK(cudaGraphMemAllocNodeGetParams(made, &asked));
  CUDA_CHECK(cudaGraphMemFreeNodeGetParams(freed, &address));
  check_that(asked.dptr == memory.dptr && asked.bytesize == memory.bytesize && address == memory.dptr,
             "the nodes say something else");
  cudaGraphNodeType type;
  CUDA_CHECK(cudaGraphNodeGetType(freed, &type));
  check_that(type == cudaGraphNodeTypeMemFree, "the node's type is %d", static_cast<int>(type));
  run(graph, stream);
  check_total(total.get(), RUNS, "nodes");
}

static void check_captured(cudaStream_t stream) {
  guarded<uint32_t> total(COUNT);
  CUDA_CHECK(cudaMemset(total.data(), 0, COUNT * sizeof(uint32_t)));
  cudaGraph_t graph;
  uint32_t *own = nullptr;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaMallocAsync(reinterpret_cast<void **>(&own), COUNT * sizeof(uint32_t), stream));
  fill<<<1, COUNT, 0, stream>>>(own, 7);
  add<<<1, COUNT, 0, stream>>>(total.data(), own);
  CUDA_CHECK(cudaFreeAsync(own, stream));
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  check_that(nodes == 4, "%zu nodes were captured, not 4", nodes);
  run(graph, stream);
  check_total(total.get(), RUNS, "captured");
}

// The program frees what a graph has allocated, after the graph has gone.
static void check_handed_over(cudaStream_t stream) {
  cudaGraph_t graph;
  uint32_t *own = nullptr;
  std::vector<uint32_t> got(COUNT);
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaMallocAsync(reinterpret_cast<void **>(&own), COUNT * sizeof(uint32_t), stream));
  fill<<<1, COUNT, 0, stream>>>(own, 7);
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t ready;
  CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(ready, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaGraphExecDestroy(ready));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaMemcpy(got.data(), own, COUNT * sizeof(uint32_t), cudaMemcpyDeviceToHost));
  check_total(got, 1, "handed over");
  uint64_t used = 0;
  CUDA_CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  check_that(used == 32 << 20, "%llu bytes are in use", static_cast<unsigned long long>(used));
  CUDA_CHECK(cudaFreeAsync(own, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaDeviceGraphMemTrim(0));
  CUDA_CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  check_that(used == 0, "%llu bytes are left", static_cast<unsigned long long>(used));
}

int main() {
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  check_nodes(stream);
  check_captured(stream);
  check_handed_over(stream);
  CUDA_CHECK(cudaStreamDestroy(stream));
  return self_check_result();
}
