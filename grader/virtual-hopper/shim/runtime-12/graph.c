// CUDA 12's names of functions of graphs and captures that CUDA 13 has without a number, or no longer. In and
// out: the same as for the functions that replace them.
#include "virtual-hopper/shim/client-graph.h"
#include "virtual-hopper/shim/runtime.h"

#define DECLARED(result, name, ...) \
  EXPORT result name(__VA_ARGS__);  \
  EXPORT result name(__VA_ARGS__)

DECLARED(cudaError_t, cudaStreamGetCaptureInfo_v2, cudaStream_t stream, enum cudaStreamCaptureStatus *capture,
         unsigned long long *identifier, cudaGraph_t *graph, const cudaGraphNode_t **tips, size_t *count) {
  return runtime_capture_info(stream, capture, identifier, graph, tips, count);
}
PER_THREAD_STREAM(cudaStreamGetCaptureInfo_v2,
                  (cudaStream_t stream, enum cudaStreamCaptureStatus *capture, unsigned long long *identifier,
                   cudaGraph_t *graph, const cudaGraphNode_t **tips, size_t *count),
                  (stream, capture, identifier, graph, tips, count))

DECLARED(cudaError_t, cudaStreamGetCaptureInfo_v3, cudaStream_t stream, enum cudaStreamCaptureStatus *capture,
         unsigned long long *identifier, cudaGraph_t *graph, const cudaGraphNode_t **tips,
         const cudaGraphEdgeData **edges, size_t *count) {
  if (edges) *edges = NULL;
  return runtime_capture_info(stream, capture, identifier, graph, tips, count);
}
PER_THREAD_STREAM(cudaStreamGetCaptureInfo_v3,
                  (cudaStream_t stream, enum cudaStreamCaptureStatus *capture, unsigned long long *identifier,
                   cudaGraph_t *graph, const cudaGraphNode_t **tips, const cudaGraphEdgeData **edges,
                   size_t *count),
                  (stream, capture, identifier, graph, tips, edges, count))

DECLARED(cudaError_t, cudaStreamUpdateCaptureDependencies_v2, cudaStream_t stream, cudaGraphNode_t *tips,
         const cudaGraphEdgeData *edges, size_t count, unsigned flags) {
  (void)edges;
  return runtime_capture_tips(stream, tips, count, flags);
}
PER_THREAD_STREAM(cudaStreamUpdateCaptureDependencies_v2,
                  (cudaStream_t stream, cudaGraphNode_t *tips, const cudaGraphEdgeData *edges, size_t count,
                   unsigned flags),
                  (stream, tips, edges, count, flags))

DECLARED(cudaError_t, cudaGraphAddDependencies_v2, cudaGraph_t graph, const cudaGraphNode_t *from,
         const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count) {
  (void)edges;
  return runtime_edges_change(graph, from, to, count, true);
}

DECLARED(cudaError_t, cudaGraphRemoveDependencies_v2, cudaGraph_t graph, const cudaGraphNode_t *from,
         const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count) {
  (void)edges;
  return runtime_edges_change(graph, from, to, count, false);
}

DECLARED(cudaError_t, cudaGraphGetEdges_v2, cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
         cudaGraphEdgeData *edges, size_t *count) {
  return runtime_graph_edges(graph, from, to, edges, count);
}

DECLARED(cudaError_t, cudaGraphNodeGetDependencies_v2, cudaGraphNode_t node, cudaGraphNode_t *nodes,
         cudaGraphEdgeData *edges, size_t *count) {
  return runtime_node_before(node, nodes, edges, count);
}

DECLARED(cudaError_t, cudaGraphNodeGetDependentNodes_v2, cudaGraphNode_t node, cudaGraphNode_t *nodes,
         cudaGraphEdgeData *edges, size_t *count) {
  return runtime_node_behind(node, nodes, edges, count);
}

DECLARED(cudaError_t, cudaGraphAddNode_v2, cudaGraphNode_t *made, cudaGraph_t graph,
         const cudaGraphNode_t *after, const cudaGraphEdgeData *edges, size_t count,
         struct cudaGraphNodeParams *parameters) {
  (void)edges;
  return runtime_add_node(made, graph, after, count, parameters);
}

DECLARED(cudaError_t, cudaGraphExecUpdate_v2, cudaGraphExec_t executable, cudaGraph_t graph,
         cudaGraphExecUpdateResultInfo *information) {
  return cudaGraphExecUpdate(executable, graph, information);
}

DECLARED(cudaError_t, cudaGraphInstantiate_v2, cudaGraphExec_t *executable, cudaGraph_t graph,
         unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}
