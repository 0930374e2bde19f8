// Graphs and captured streams: the driver's functions. Handles are those of the runtime. In: NVIDIA's
// structures of parameters; out: CUDA errors. What they stand for is done by client-graph.h's functions.
#include "virtual-hopper/shim/client-graph.h"
#include "virtual-hopper/shim/driver.h"

static struct client_graph *graph_of(const void *handle) {
  return client_graph_checked(handle, false);
}

// ---- captures ---------------------------------------------------------------------------------------------

EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return (CUresult)client_capture_begin(stream, NULL, NULL, 0, (int)mode);
}
PER_THREAD_STREAM(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode), (stream, mode))

EXPORT CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *after,
                                            const CUgraphEdgeData *edges, size_t count,
                                            CUstreamCaptureMode mode) {
  struct client_graph *known = graph_of(graph);
  (void)edges;
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  return (CUresult)client_capture_begin(stream, known, (struct client_node *const *)(const void *)after,
                                        count, (int)mode);
}

EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return (CUresult)client_capture_end(stream, (struct client_graph **)(void *)graph);
}
PER_THREAD_STREAM(cuStreamEndCapture, (CUstream stream, CUgraph *graph), (stream, graph))

EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  int number = mode ? (int)*mode : -1;
  const int status = client_capture_mode(&number);
  if (!status) *mode = (CUstreamCaptureMode)number;
  return (CUresult)status;
}

static CUresult info(CUstream stream, CUstreamCaptureStatus *capture, struct client_capture_info *found) {
  struct client_stream known;
  if (!capture) return CUDA_ERROR_INVALID_VALUE;
  if (!client_stream_find(stream, &known)) return CUDA_ERROR_INVALID_HANDLE;
  const int status = client_capture_info(stream, found);
  if (!status) *capture = (CUstreamCaptureStatus)found->status;
  return (CUresult)status;
}

EXPORT CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *capture) {
  struct client_capture_info found;
  return info(stream, capture, &found);
}
PER_THREAD_STREAM(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *capture), (stream, capture))

EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *capture,
                                          cuuint64_t *identifier, CUgraph *graph, const CUgraphNode **tips,
                                          size_t *count) {
  struct client_capture_info found;
  const CUresult status = info(stream, capture, &found);
  if (status || !found.status) return status;
  if (identifier) *identifier = found.identifier;
  if (graph) *graph = (CUgraph)found.graph;
  if (tips) *tips = (const CUgraphNode *)(const void *)found.tips;
  if (count) *count = found.count;
  return status;
}
PER_THREAD_STREAM(cuStreamGetCaptureInfo_v2,
                  (CUstream stream, CUstreamCaptureStatus *capture, cuuint64_t *identifier, CUgraph *graph,
                   const CUgraphNode **tips, size_t *count),
                  (stream, capture, identifier, graph, tips, count))

EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *capture,
                                          cuuint64_t *identifier, CUgraph *graph, const CUgraphNode **tips,
                                          const CUgraphEdgeData **edges, size_t *count) {
  if (edges) *edges = NULL;
  return cuStreamGetCaptureInfo_v2(stream, capture, identifier, graph, tips, count);
}
PER_THREAD_STREAM(cuStreamGetCaptureInfo_v3,
                  (CUstream stream, CUstreamCaptureStatus *capture, cuuint64_t *identifier, CUgraph *graph,
                   const CUgraphNode **tips, const CUgraphEdgeData **edges, size_t *count),
                  (stream, capture, identifier, graph, tips, edges, count))

EXPORT CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *tips,
                                                     const CUgraphEdgeData *edges, size_t count,
                                                     unsigned flags) {
  (void)edges;
  return (CUresult)client_capture_tips(stream, (struct client_node *const *)(const void *)tips, count,
                                       flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}
PER_THREAD_STREAM(cuStreamUpdateCaptureDependencies_v2,
                  (CUstream stream, CUgraphNode *tips, const CUgraphEdgeData *edges, size_t count,
                   unsigned flags),
                  (stream, tips, edges, count, flags))

EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  struct client_stream known;
  bool captured = false;
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  if (!client_stream_find(stream, &known)) return CUDA_ERROR_INVALID_HANDLE;
  const int status = client_captures(client_in(stream), &captured);
  if (status) return (CUresult)status;
  if (captured) return (CUresult)client_capture_host(function, data, client_in(stream));
  client_host_function(function, data, client_in(stream));
  return driver_used(client_connect());
}
PER_THREAD_STREAM(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *data),
                  (stream, function, data))

// ---- nodes ------------------------------------------------------------------------------------------------

static int from_kernel(struct client_node *node, const CUDA_KERNEL_NODE_PARAMS *p) {
  struct client_function *function = p ? client_function_checked(p->func ? (void *)p->func : p->kern) : NULL;
  if (!p || !function) return p ? (int)CUDA_ERROR_INVALID_HANDLE : (int)CUDA_ERROR_INVALID_VALUE;
  const struct protocol_launch launch = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                         .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                         .dynamic_shared_bytes = p->sharedMemBytes};
  return client_kernel_node(node, function, &launch, p->kernelParams, p->extra);
}

static int from_copy(struct client_node *node, const CUDA_MEMCPY3D *p) {
  *node = (struct client_node){.kind = NODE_COPY};
  return driver_box_3d(p, &node->box);
}

static int from_fill(struct client_node *node, const CUDA_MEMSET_NODE_PARAMS *p) {
  if (!p || !p->dst || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
    return CUDA_ERROR_INVALID_VALUE;
  *node = (struct client_node){.kind = NODE_FILL,
                               .box = {.to = (char *)(uintptr_t)p->dst,
                                       .to_pitch = p->pitch,
                                       .width = p->width * p->elementSize,
                                       .rows = p->height,
                                       .slices = 1,
                                       .pattern = p->value,
                                       .pattern_bytes = p->elementSize}};
  return 0;
}

static int from_host(struct client_node *node, const CUDA_HOST_NODE_PARAMS *p) {
  if (!p || !p->fn) return CUDA_ERROR_INVALID_VALUE;
  *node = (struct client_node){.kind = NODE_HOST, .function = p->fn, .data = p->userData};
  return 0;
}

static int from_event(struct client_node *node, enum client_node_kind kind, CUevent event) {
  struct client_event found;
  *node = (struct client_node){.kind = kind, .data = event};
  return client_event_find(event, &found) ? 0 : (int)CUDA_ERROR_INVALID_HANDLE;
}

static CUresult add(CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count,
                    const struct client_node *node, int status) {
  struct client_graph *known = graph_of(graph);
  if (!status && (!known || !made)) client_doing_drop(node);
  if (status || !known || !made) return status ? (CUresult)status : CUDA_ERROR_INVALID_VALUE;
  return (CUresult)client_node_add((struct client_node **)(void *)made, known,
                                   (struct client_node *const *)(const void *)after, count, node);
}

static CUresult set(struct client_node *known, const struct client_node *node, int status) {
  if (!status && !known) client_doing_drop(node);
  if (status || !known) return status ? (CUresult)status : CUDA_ERROR_INVALID_VALUE;
  return (CUresult)client_node_set(known, node);
}

static struct client_node *ready(CUgraphExec executable, CUgraphNode node) {
  const struct client_graph *known = client_graph_checked(executable, true);
  return known ? client_graph_copied(known, (struct client_node *)(void *)node) : NULL;
}

EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
                                        size_t count, const CUDA_KERNEL_NODE_PARAMS *p) {
  struct client_node node;
  return add(made, graph, after, count, &node, from_kernel(&node, p));
}

EXPORT CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS *p) {
  struct client_node node;
  return set(client_node_checked(handle), &node, from_kernel(&node, p));
}

EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode handle,
                                                  const CUDA_KERNEL_NODE_PARAMS *p) {
  struct client_node node;
  return set(ready(executable, handle), &node, from_kernel(&node, p));
}

EXPORT CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *p) {
  const struct client_node *known = client_node_checked(handle);
  if (!known || known->kind != NODE_KERNEL || !p) return CUDA_ERROR_INVALID_VALUE;
  const struct protocol_launch *launch = &known->kernel.launch;
  *p = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)known->kernel.function,
                                 .gridDimX = launch->grid[0],
                                 .gridDimY = launch->grid[1],
                                 .gridDimZ = launch->grid[2],
                                 .blockDimX = launch->block[0],
                                 .blockDimY = launch->block[1],
                                 .blockDimZ = launch->block[2],
                                 .sharedMemBytes = launch->dynamic_shared_bytes,
                                 .kernelParams = known->kernel.arguments};
  return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count,
                                     const CUDA_MEMCPY3D *p, CUcontext context) {
  struct client_node node;
  (void)context;
  return add(made, graph, after, count, &node, from_copy(&node, p));
}

EXPORT CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode handle,
                                               const CUDA_MEMCPY3D *p, CUcontext context) {
  struct client_node node;
  (void)context;
  return set(ready(executable, handle), &node, from_copy(&node, p));
}

EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count,
                                     const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context) {
  struct client_node node;
  (void)context;
  return add(made, graph, after, count, &node, from_fill(&node, p));
}

EXPORT CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode handle,
                                               const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context) {
  struct client_node node;
  (void)context;
  return set(ready(executable, handle), &node, from_fill(&node, p));
}

EXPORT CUresult cuGraphAddHostNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count,
                                   const CUDA_HOST_NODE_PARAMS *p) {
  struct client_node node;
  return add(made, graph, after, count, &node, from_host(&node, p));
}

EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
                                    size_t count) {
  const struct client_node node = {.kind = NODE_EMPTY};
  return add(made, graph, after, count, &node, 0);
}

EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
                                         size_t count, CUgraph child) {
  const struct client_graph *known = graph_of(child);
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  const struct client_node node = {.kind = NODE_GRAPH, .child = client_graph_copy(known)};
  if (node.child) node.child->belongs = true;
  return add(made, graph, after, count, &node, node.child ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuGraphAddEventRecordNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
                                          size_t count, CUevent event) {
  struct client_node node;
  return add(made, graph, after, count, &node, from_event(&node, NODE_EVENT_RECORD, event));
}

EXPORT CUresult cuGraphAddEventWaitNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
                                        size_t count, CUevent event) {
  struct client_node node;
  return add(made, graph, after, count, &node, from_event(&node, NODE_EVENT_WAIT, event));
}

// ---- graphs -----------------------------------------------------------------------------------------------

EXPORT CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  if (!graph || flags) return CUDA_ERROR_INVALID_VALUE;
  *graph = (CUgraph)client_graph_create();
  return *graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  struct client_graph *known = graph_of(graph);
  if (!known || known->belongs) return CUDA_ERROR_INVALID_VALUE;
  return (CUresult)client_graph_destroy(known);
}

EXPORT CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
  const struct client_graph *known = graph_of(graph);
  if (!clone || !known) return CUDA_ERROR_INVALID_VALUE;
  *clone = (CUgraph)client_graph_copy(known);
  return *clone ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  const struct client_node *known = client_node_checked(node);
  if (!known || !type) return CUDA_ERROR_INVALID_VALUE;
  *type = (CUgraphNodeType)known->kind;
  return CUDA_SUCCESS;
}

static CUresult list_nodes(CUgraph graph, CUgraphNode *nodes, size_t *count, bool roots) {
  const struct client_graph *known = graph_of(graph);
  size_t found = 0;
  if (!known || !count) return CUDA_ERROR_INVALID_VALUE;
  for (uint32_t i = 0; i < known->count; i++) {
    if (roots && known->nodes[i]->after_count) continue;
    if (nodes && found < *count) nodes[found] = (CUgraphNode)known->nodes[i];
    found++;
  }
  for (size_t i = found; nodes && i < *count; i++)
    nodes[i] = NULL;
  *count = nodes && found > *count ? *count : found;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return list_nodes(graph, nodes, count, false);
}

EXPORT CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return list_nodes(graph, nodes, count, true);
}

static CUresult change_edges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count,
                             bool more) {
  if (!graph_of(graph) || (count && (!from || !to))) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    struct client_node *a = client_node_checked(from[i]), *b = client_node_checked(to[i]);
    if (!a || !b) return CUDA_ERROR_INVALID_VALUE;
    const int status = more ? client_edge_add(a, b) : client_edge_remove(a, b);
    if (status) return (CUresult)status;
  }
  return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                          const CUgraphEdgeData *edges, size_t count) {
  (void)edges;
  return change_edges(graph, from, to, count, true);
}

EXPORT CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                             const CUgraphEdgeData *edges, size_t count) {
  (void)edges;
  return change_edges(graph, from, to, count, false);
}

EXPORT CUresult cuGraphDestroyNode(CUgraphNode node) {
  struct client_node *known = client_node_checked(node);
  return known ? (CUresult)client_node_destroy(known) : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                            unsigned long long flags) {
  const struct client_graph *known = graph_of(graph);
  struct client_graph *made = NULL;
  if (!executable || !known) return CUDA_ERROR_INVALID_VALUE;
  const int status = client_graph_instantiate(&made, known, flags);
  *executable = (CUgraphExec)made;
  return driver_used(status);
}

EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec *executable, CUgraph graph,
                                             CUDA_GRAPH_INSTANTIATE_PARAMS *parameters) {
  if (!parameters) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = cuGraphInstantiateWithFlags(executable, graph, parameters->flags);
  parameters->hErrNode_out = NULL;
  parameters->result_out = status ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return status;
}
PER_THREAD_SAME(cuGraphInstantiateWithParams);

EXPORT CUresult cuGraphExecGetFlags(CUgraphExec executable, cuuint64_t *flags) {
  const struct client_graph *known = client_graph_checked(executable, true);
  if (!known || !flags) return CUDA_ERROR_INVALID_VALUE;
  *flags = known->flags;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec executable) {
  struct client_graph *known = client_graph_checked(executable, true);
  return known ? (CUresult)client_graph_destroy(known) : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph,
                                     CUgraphExecUpdateResultInfo *information) {
  struct client_graph *old = client_graph_checked(executable, true);
  const struct client_graph *new = graph_of(graph);
  struct client_node *node = NULL;
  int result = CU_GRAPH_EXEC_UPDATE_ERROR;
  if (!old || !new) return CUDA_ERROR_INVALID_VALUE;
  const int status = client_graph_update(old, new, &result, &node);
  if (information)
    *information = (CUgraphExecUpdateResultInfo){.result = (CUgraphExecUpdateResult)result,
                                                 .errorNode = (CUgraphNode)node};
  return (CUresult)status;
}

EXPORT CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) {
  struct client_stream found;
  if (!client_graph_checked(executable, true)) return CUDA_ERROR_INVALID_VALUE;
  return driver_used(client_stream_find(stream, &found) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}
PER_THREAD_SAME(cuGraphUpload);

EXPORT CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  struct client_graph *known = client_graph_checked(executable, true);
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  const int before = client_device_error();
  return before ? driver_used(before) : (CUresult)client_graph_launch(known, stream);
}
PER_THREAD_STREAM(cuGraphLaunch, (CUgraphExec executable, CUstream stream), (executable, stream))

// ---- as CUDA 12 has them: without data of edges -----------------------------------------------------------

#undef cuGraphAddDependencies
EXPORT CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                       size_t count);
EXPORT CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                       size_t count) {
  return change_edges(graph, from, to, count, true);
}

#undef cuGraphRemoveDependencies
EXPORT CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                          size_t count);
EXPORT CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                          size_t count) {
  return change_edges(graph, from, to, count, false);
}
