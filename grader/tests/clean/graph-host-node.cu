// A graph: a host node fills page-locked memory, and a copy that comes after it sends the memory. The graph
// runs twice.
#include "corpus.h"

constexpr int COUNT = 1024;

struct work {
  int *to;
  const int *from;
};

static void fill(void *data) {
  const work *w = static_cast<const work *>(data);
  for (int i = 0; i < COUNT; i++)
    w->to[i] = w->from[i] + 1;
}

static void launch(int *out, const int *in) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t filled, sent;
  cudaStream_t stream;
  int *words;
  std::vector<int> values(COUNT);
  CUDA_CHECK(cudaMemcpy(values.data(), in, COUNT * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMallocHost(&words, COUNT * sizeof(int)));
  work w = {words, values.data()};
  cudaHostNodeParams function = {};
  function.fn = fill;
  function.userData = &w;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  CUDA_CHECK(cudaGraphAddHostNode(&filled, graph, nullptr, 0, &function));
  CUDA_CHECK(cudaGraphAddMemcpyNode1D(&sent, graph, &filled, 1, out, words, COUNT * sizeof(int),
                                      cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < 2; i++)
    CUDA_CHECK(cudaGraphLaunch(executable, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaGraphExecDestroy(executable));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(words));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
