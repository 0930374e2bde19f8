// Streams that are captured into graphs: the runtime's functions. In: streams; out: graphs, CUDA errors.
// CUDA 12's functions of the same names have no data of edges: what comes behind is one argument earlier.
#include "virtual-hopper/shim/client-graph.h"
#include "virtual-hopper/shim/runtime.h"

EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  return runtime_result(client_capture_begin(stream, NULL, NULL, 0, (int)mode));
}
PER_THREAD_STREAM(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
                  (stream, mode))

EXPORT cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                 const cudaGraphNode_t *after, const cudaGraphEdgeData *edges,
                                                 size_t count, enum cudaStreamCaptureMode mode) {
  struct client_graph *known = client_graph_checked(graph, false);
  (void)edges;
  if (!known) return runtime_result(cudaErrorInvalidValue);
  return runtime_result(client_capture_begin(stream, known, (struct client_node *const *)(const void *)after,
                                             count, (int)mode));
}
PER_THREAD_STREAM(cudaStreamBeginCaptureToGraph,
                  (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                   const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode),
                  (stream, graph, after, edges, count, mode))

EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return runtime_result(client_capture_end(stream, (struct client_graph **)(void *)graph));
}
PER_THREAD_STREAM(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), (stream, graph))

EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  int number = mode ? (int)*mode : -1;
  const int status = client_capture_mode(&number);
  if (!status) *mode = (enum cudaStreamCaptureMode)number;
  return runtime_result(status);
}

static cudaError_t info(cudaStream_t stream, struct client_capture_info *found,
                        enum cudaStreamCaptureStatus *capture) {
  int status = capture ? (int)runtime_stream_used(stream) : (int)cudaErrorInvalidValue;
  if (!status) status = client_capture_info(stream, found);
  if (!status) *capture = (enum cudaStreamCaptureStatus)found->status;
  return runtime_result_of(status, "cudaStreamGetCaptureInfo");
}

EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *capture) {
  struct client_capture_info found;
  return info(stream, &found, capture);
}
PER_THREAD_STREAM(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *capture),
                  (stream, capture))

cudaError_t runtime_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *capture,
                                 unsigned long long *identifier, cudaGraph_t *graph,
                                 const cudaGraphNode_t **tips, size_t *count) {
  struct client_capture_info found;
  const cudaError_t status = info(stream, &found, capture);
  if (status || !found.status) return status;
  if (identifier) *identifier = found.identifier;
  if (graph) *graph = (cudaGraph_t)found.graph;
  if (tips) *tips = (const cudaGraphNode_t *)(const void *)found.tips;
  if (count) *count = found.count;
  return status;
}

EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *capture,
                                            unsigned long long *identifier, cudaGraph_t *graph,
                                            const cudaGraphNode_t **tips, const cudaGraphEdgeData **edges,
                                            size_t *count) {
  // Programs built with CUDA 11 or 12 gave the first three arguments under this name.
  if (runtime_major < 13) return runtime_capture_info(stream, capture, identifier, NULL, NULL, NULL);
  if (edges) *edges = NULL;
  return runtime_capture_info(stream, capture, identifier, graph, tips, count);
}
PER_THREAD_STREAM(cudaStreamGetCaptureInfo,
                  (cudaStream_t stream, enum cudaStreamCaptureStatus *capture, unsigned long long *identifier,
                   cudaGraph_t *graph, const cudaGraphNode_t **tips, const cudaGraphEdgeData **edges,
                   size_t *count),
                  (stream, capture, identifier, graph, tips, edges, count))

cudaError_t runtime_capture_tips(cudaStream_t stream, cudaGraphNode_t *tips, size_t count, unsigned flags) {
  return runtime_result(client_capture_tips(stream, (struct client_node *const *)(const void *)tips, count,
                                            flags == cudaStreamSetCaptureDependencies));
}

EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *tips,
                                                       const cudaGraphEdgeData *edges, size_t count,
                                                       unsigned flags) {
  if (runtime_major < 13) return runtime_capture_tips(stream, tips, (size_t)edges, (unsigned)count);
  return runtime_capture_tips(stream, tips, count, flags);
}
PER_THREAD_STREAM(cudaStreamUpdateCaptureDependencies,
                  (cudaStream_t stream, cudaGraphNode_t *tips, const cudaGraphEdgeData *edges, size_t count,
                   unsigned flags),
                  (stream, tips, edges, count, flags))
