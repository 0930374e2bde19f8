// Nodes of graphs: the runtime's functions that add them, and that read and set what they do, in a graph or
// in one that is ready to run. In: NVIDIA's structures of parameters; out: CUDA errors. One idea: each kind
// of parameters is turned into a node (client-graph.h), which is added or takes the place of another.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/shim/client-attribute.h"
#include "virtual-hopper/shim/client-graph.h"
#include "virtual-hopper/shim/runtime.h"

// ---- parameters into nodes --------------------------------------------------------------------------------

static int from_kernel(struct client_node *node, const struct cudaKernelNodeParams *p) {
  struct client_function *function = p ? runtime_function(p->func) : NULL;
  if (!p) return cudaErrorInvalidValue;
  if (!function) return cudaErrorInvalidDeviceFunction;
  runtime_map_managed(function->module);
  const struct protocol_launch launch = {.grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                                         .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                                         .dynamic_shared_bytes = p->sharedMemBytes};
  return client_kernel_node(node, function, &launch, p->kernelParams, p->extra);
}

static int from_copy(struct client_node *node, const struct cudaMemcpy3DParms *p) {
  *node = (struct client_node){.kind = NODE_COPY};
  return runtime_box_3d(p, &node->box);
}

static int from_bytes(struct client_node *node, void *to, const void *from, size_t bytes,
                      enum cudaMemcpyKind kind) {
  *node = (struct client_node){
      .kind = NODE_COPY,
      .box = {.to = to, .from = from, .width = bytes, .rows = 1, .slices = 1, .kind = (int)kind}};
  return bytes && (!to || !from) ? (int)cudaErrorInvalidValue : 0;
}

static int from_symbol(struct client_node *node, void *to, const void *from, size_t bytes, size_t offset,
                       enum cudaMemcpyKind kind, bool to_symbol) {
  *node = (struct client_node){
      .kind = NODE_COPY,
      .box = {.to = to, .from = from, .width = bytes, .rows = 1, .slices = 1, .kind = (int)kind}};
  return runtime_box_symbol(&node->box, to_symbol ? to : from, offset, to_symbol);
}

static int from_fill(struct client_node *node, const struct cudaMemsetParams *p) {
  if (!p || !p->dst || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
    return cudaErrorInvalidValue;
  *node = (struct client_node){.kind = NODE_FILL,
                               .box = {.to = p->dst,
                                       .to_pitch = p->pitch,
                                       .width = p->width * p->elementSize,
                                       .rows = p->height,
                                       .slices = 1,
                                       .pattern = p->value,
                                       .pattern_bytes = p->elementSize}};
  return 0;
}

static int from_host(struct client_node *node, const struct cudaHostNodeParams *p) {
  if (!p || !p->fn) return cudaErrorInvalidValue;
  *node = (struct client_node){.kind = NODE_HOST, .function = p->fn, .data = p->userData};
  return 0;
}

static int from_graph(struct client_node *node, const void *graph) {
  const struct client_graph *known = client_graph_checked(graph, false);
  if (!known) return cudaErrorInvalidValue;
  *node = (struct client_node){.kind = NODE_GRAPH, .child = client_graph_copy(known)};
  if (node->child) node->child->belongs = true;
  return node->child ? 0 : (int)cudaErrorMemoryAllocation;
}

static int from_event(struct client_node *node, enum client_node_kind kind, cudaEvent_t event) {
  struct client_event found;
  *node = (struct client_node){.kind = kind, .data = event};
  return client_event_find(event, &found) ? 0 : (int)cudaErrorInvalidResourceHandle;
}

static int from_allocation(struct client_node *node, const struct cudaMemPoolProps *pool, size_t bytes,
                           void **address) {
  if (pool->allocType != cudaMemAllocationTypePinned || pool->location.type != cudaMemLocationTypeDevice ||
      pool->location.id)
    return cudaErrorInvalidValue;
  const int status = client_graph_allocate(node, bytes);
  if (!status) *address = (void *)(uintptr_t)node->memory->address;
  return status;
}

static int from_any(struct client_node *node, struct cudaGraphNodeParams *p) {
  if (!p) return cudaErrorInvalidValue;
  const struct cudaKernelNodeParams kernel = {.func = p->kernel.func,
                                              .gridDim = p->kernel.gridDim,
                                              .blockDim = p->kernel.blockDim,
                                              .sharedMemBytes = p->kernel.sharedMemBytes,
                                              .kernelParams = p->kernel.kernelParams,
                                              .extra = p->kernel.extra};
  const struct cudaHostNodeParams host = {p->host.fn, p->host.userData};
  switch (p->type) {
  case cudaGraphNodeTypeKernel: return from_kernel(node, &kernel);
  case cudaGraphNodeTypeMemcpy: return from_copy(node, &p->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: return from_fill(node, (const struct cudaMemsetParams *)&p->memset);
  case cudaGraphNodeTypeHost: return from_host(node, &host);
  case cudaGraphNodeTypeGraph: return from_graph(node, p->graph.graph);
  case cudaGraphNodeTypeEmpty: *node = (struct client_node){.kind = NODE_EMPTY}; return 0;
  case cudaGraphNodeTypeWaitEvent: return from_event(node, NODE_EVENT_WAIT, p->eventWait.event);
  case cudaGraphNodeTypeEventRecord: return from_event(node, NODE_EVENT_RECORD, p->eventRecord.event);
  case cudaGraphNodeTypeExtSemaphoreSignal: return client_unsupported("a graph's external semaphore");
  case cudaGraphNodeTypeExtSemaphoreWait: return client_unsupported("a graph's external semaphore");
  case cudaGraphNodeTypeMemAlloc:
    return from_allocation(node, &p->alloc.poolProps, p->alloc.bytesize, &p->alloc.dptr);
  case cudaGraphNodeTypeMemFree: return client_graph_free(node, (uint64_t)(uintptr_t)p->free.dptr);
  case cudaGraphNodeTypeConditional:
    return client_condition_node(node, p->conditional.handle, (enum client_condition_kind)p->conditional.type,
                                 p->conditional.size);
  default: return cudaErrorInvalidValue;
  }
}

// ---- adding and setting -----------------------------------------------------------------------------------

// status: of making `node`.
static int add(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
               const struct client_node *node, int status) {
  struct client_graph *known = client_graph_checked(graph, false);
  if (!status && (!known || !made)) client_doing_drop(node);
  if (status || !known || !made) return status ? status : (int)cudaErrorInvalidValue;
  return client_node_add((struct client_node **)(void *)made, known,
                         (struct client_node *const *)(const void *)after, count, node);
}

static int set(cudaGraphNode_t handle, const struct client_node *node, int status) {
  struct client_node *known = client_node_checked(handle);
  if (!status && !known) client_doing_drop(node);
  if (status || !known) return status ? status : (int)cudaErrorInvalidValue;
  struct client_node doing = *node; // attributes stay
  memcpy(doing.kernel.launch.cluster, known->kernel.launch.cluster, sizeof doing.kernel.launch.cluster);
  doing.kernel.launch.cooperative = known->kernel.launch.cooperative;
  return client_node_set(known, &doing);
}

static int set_ready(cudaGraphExec_t executable, cudaGraphNode_t handle, const struct client_node *node,
                     int status) {
  const struct client_graph *known = client_graph_checked(executable, true);
  struct client_node *copy = known ? client_graph_copied(known, (struct client_node *)(void *)handle) : NULL;
  if (!status && !copy) client_doing_drop(node);
  if (status || !copy) return status ? status : (int)cudaErrorInvalidValue;
  struct client_node doing = *node;
  memcpy(doing.kernel.launch.cluster, copy->kernel.launch.cluster, sizeof doing.kernel.launch.cluster);
  doing.kernel.launch.cooperative = copy->kernel.launch.cooperative;
  return client_node_set(copy, &doing);
}

// The three functions of a kind of nodes whose parameters have a structure of their own.
#define NODES(Kind, type, from)                                                                             \
  EXPORT cudaError_t cudaGraphAdd##Kind##Node(cudaGraphNode_t *made, cudaGraph_t graph,                     \
                                              const cudaGraphNode_t *after, size_t count, const type *p) {  \
    struct client_node node;                                                                                \
    return runtime_result(add(made, graph, after, count, &node, from(&node, p)));                           \
  }                                                                                                         \
  EXPORT cudaError_t cudaGraph##Kind##NodeSetParams(cudaGraphNode_t handle, const type *p) {                \
    struct client_node node;                                                                                \
    return runtime_result(set(handle, &node, from(&node, p)));                                              \
  }                                                                                                         \
  EXPORT cudaError_t cudaGraphExec##Kind##NodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t handle, \
                                                        const type *p) {                                    \
    struct client_node node;                                                                                \
    return runtime_result(set_ready(executable, handle, &node, from(&node, p)));                            \
  }
NODES(Kernel, struct cudaKernelNodeParams, from_kernel)
NODES(Memcpy, struct cudaMemcpy3DParms, from_copy)
NODES(Memset, struct cudaMemsetParams, from_fill)
NODES(Host, struct cudaHostNodeParams, from_host)

// The same of copies of bytes, and to and from variables: a parameter list each.
#define COPIES(Suffix, PARAMETERS, MAKE)                                                                  \
  EXPORT cudaError_t cudaGraphAddMemcpyNode##Suffix(                                                      \
      cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, PARAMETERS) { \
    struct client_node node;                                                                              \
    return runtime_result(add(made, graph, after, count, &node, MAKE));                                   \
  }                                                                                                       \
  EXPORT cudaError_t cudaGraphMemcpyNodeSetParams##Suffix(cudaGraphNode_t handle, PARAMETERS) {           \
    struct client_node node;                                                                              \
    return runtime_result(set(handle, &node, MAKE));                                                      \
  }                                                                                                       \
  EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams##Suffix(cudaGraphExec_t executable,                 \
                                                              cudaGraphNode_t handle, PARAMETERS) {       \
    struct client_node node;                                                                              \
    return runtime_result(set_ready(executable, handle, &node, MAKE));                                    \
  }
#define LIST(...) __VA_ARGS__
COPIES(1D, LIST(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
       from_bytes(&node, to, from, bytes, kind))
COPIES(ToSymbol,
       LIST(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
       from_symbol(&node, (void *)(uintptr_t)symbol, from, bytes, offset, kind, true))
COPIES(FromSymbol, LIST(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
       from_symbol(&node, to, symbol, bytes, offset, kind, false))

#define EVENTS(Kind, number)                                                                             \
  EXPORT cudaError_t cudaGraphAddEvent##Kind##Node(cudaGraphNode_t *made, cudaGraph_t graph,             \
                                                   const cudaGraphNode_t *after, size_t count,           \
                                                   cudaEvent_t event) {                                  \
    struct client_node node;                                                                             \
    return runtime_result(add(made, graph, after, count, &node, from_event(&node, number, event)));      \
  }                                                                                                      \
  EXPORT cudaError_t cudaGraphEvent##Kind##NodeGetEvent(cudaGraphNode_t handle, cudaEvent_t *event) {    \
    const struct client_node *known = client_node_checked(handle);                                       \
    if (!known || known->kind != (number) || !event) return runtime_result(cudaErrorInvalidValue);       \
    *event = known->data;                                                                                \
    return cudaSuccess;                                                                                  \
  }                                                                                                      \
  EXPORT cudaError_t cudaGraphEvent##Kind##NodeSetEvent(cudaGraphNode_t handle, cudaEvent_t event) {     \
    struct client_node node;                                                                             \
    return runtime_result(set(handle, &node, from_event(&node, number, event)));                         \
  }                                                                                                      \
  EXPORT cudaError_t cudaGraphExecEvent##Kind##NodeSetEvent(cudaGraphExec_t executable,                  \
                                                            cudaGraphNode_t handle, cudaEvent_t event) { \
    struct client_node node;                                                                             \
    return runtime_result(set_ready(executable, handle, &node, from_event(&node, number, event)));       \
  }
EVENTS(Record, NODE_EVENT_RECORD)
EVENTS(Wait, NODE_EVENT_WAIT)

EXPORT cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                         const cudaGraphNode_t *after, size_t count) {
  const struct client_node node = {.kind = NODE_EMPTY};
  return runtime_result(add(made, graph, after, count, &node, 0));
}

EXPORT cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                              const cudaGraphNode_t *after, size_t count, cudaGraph_t child) {
  struct client_node node;
  return runtime_result(add(made, graph, after, count, &node, from_graph(&node, child)));
}

EXPORT cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle, cudaGraph_t *graph) {
  const struct client_node *known = client_node_checked(handle);
  if (!known || !known->child || !graph) return runtime_result(cudaErrorInvalidValue);
  *graph = (cudaGraph_t)known->child;
  return cudaSuccess;
}

// Its shape must be the same: it is updated node by node.
EXPORT cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t handle,
                                                        cudaGraph_t child) {
  const struct client_graph *known = client_graph_checked(executable, true);
  const struct client_graph *new = client_graph_checked(child, false);
  const struct client_node *copy =
      known ? client_graph_copied(known, (struct client_node *)(void *)handle) : NULL;
  struct client_node *node;
  int result;
  if (!copy || !copy->child || !new) return runtime_result(cudaErrorInvalidValue);
  return runtime_result(client_graph_update(copy->child, new, &result, &node));
}

EXPORT cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                            const cudaGraphNode_t *after, size_t count,
                                            struct cudaMemAllocNodeParams *p) {
  struct client_node node;
  const int status =
      p ? from_allocation(&node, &p->poolProps, p->bytesize, &p->dptr) : (int)cudaErrorInvalidValue;
  return runtime_result(add(made, graph, after, count, &node, status));
}

EXPORT cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                           const cudaGraphNode_t *after, size_t count, void *address) {
  struct client_node node;
  return runtime_result(
      add(made, graph, after, count, &node, client_graph_free(&node, (uint64_t)(uintptr_t)address)));
}

// The graphs of a condition are the program's to fill: their handles live as long as the node.
static int give_graphs(struct client_node *node, struct cudaGraphNodeParams *p) {
  node->data = calloc(p->conditional.size, sizeof(cudaGraph_t));
  if (!node->data) return client_doing_drop(node), cudaErrorMemoryAllocation;
  cudaGraph_t *graphs = node->data;
  for (struct client_graph *child = node->child; child; child = child->other)
    *graphs++ = (cudaGraph_t)child;
  p->conditional.phGraph_out = node->data;
  return 0;
}

cudaError_t runtime_add_node(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t count, struct cudaGraphNodeParams *p) {
  struct client_node node;
  int status = from_any(&node, p);
  if (!status && node.kind == NODE_CONDITION) status = give_graphs(&node, p);
  return runtime_result_of(add(made, graph, after, count, &node, status), "cudaGraphAddNode");
}

EXPORT cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                                    unsigned value, unsigned flags) {
  uint64_t made = 0;
  if (!handle || !client_graph_checked(graph, false) || flags > cudaGraphCondAssignDefault)
    return runtime_result(cudaErrorInvalidValue);
  const int status = client_condition_create(&made, client_graph_checked(graph, false), value,
                                             flags == cudaGraphCondAssignDefault);
  *handle = made;
  return runtime_used(status);
}

// CUDA 12's function of this name has no data of edges (runtime-capture.c).
EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *after,
                                    const cudaGraphEdgeData *edges, size_t count,
                                    struct cudaGraphNodeParams *p) {
  if (runtime_major < 13)
    return runtime_add_node(made, graph, after, (size_t)edges, (struct cudaGraphNodeParams *)count);
  return runtime_add_node(made, graph, after, count, p);
}

EXPORT cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t handle, struct cudaGraphNodeParams *p) {
  struct client_node node;
  return runtime_result(set(handle, &node, from_any(&node, p)));
}

EXPORT cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t handle,
                                              struct cudaGraphNodeParams *p) {
  struct client_node node;
  return runtime_result(set_ready(executable, handle, &node, from_any(&node, p)));
}

// ---- reading ----------------------------------------------------------------------------------------------

static const struct client_node *find(cudaGraphNode_t handle, enum client_node_kind kind, const void *place) {
  const struct client_node *known = client_node_checked(handle);
  return known && known->kind == kind && place ? known : NULL;
}

EXPORT cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t handle, struct cudaKernelNodeParams *p) {
  const struct client_node *known = find(handle, NODE_KERNEL, p);
  if (!known) return runtime_result(cudaErrorInvalidValue);
  const struct protocol_launch *launch = &known->kernel.launch;
  *p = (struct cudaKernelNodeParams){.func = known->kernel.function,
                                     .gridDim = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                     .blockDim = {launch->block[0], launch->block[1], launch->block[2]},
                                     .sharedMemBytes = launch->dynamic_shared_bytes,
                                     .kernelParams = known->kernel.arguments};
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t handle, struct cudaMemAllocNodeParams *p) {
  const struct client_node *known = find(handle, NODE_ALLOCATE, p);
  if (!known) return runtime_result(cudaErrorInvalidValue);
  *p = (struct cudaMemAllocNodeParams){.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                     .location = {.type = cudaMemLocationTypeDevice}},
                                       .bytesize = known->memory->bytes,
                                       .dptr = (void *)(uintptr_t)known->memory->address};
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t handle, void *address) {
  const struct client_node *known = find(handle, NODE_FREE, address);
  if (!known) return runtime_result(cudaErrorInvalidValue);
  memcpy(address, &known->memory->address, sizeof known->memory->address);
  return cudaSuccess;
}

// Memory of graphs is given back when its last node goes, so there is nothing to trim.
EXPORT cudaError_t cudaDeviceGraphMemTrim(int device) {
  return device ? runtime_result(cudaErrorInvalidDevice) : runtime_used(0);
}

EXPORT cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                                  void *value) {
  if (device) return runtime_result(cudaErrorInvalidDevice);
  if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
    return runtime_result(cudaErrorInvalidValue);
  const uint64_t bytes = client_graph_memory_used();
  memcpy(value, &bytes, sizeof bytes);
  return runtime_used(0);
}

EXPORT cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t handle, struct cudaMemcpy3DParms *p) {
  const struct client_node *known = find(handle, NODE_COPY, p);
  if (!known) return runtime_result(cudaErrorInvalidValue);
  const struct client_box *box = &known->box;
  const size_t to = box->to_pitch ? box->to_pitch : box->width,
               from = box->from_pitch ? box->from_pitch : box->width;
  *p = (struct cudaMemcpy3DParms){
      .srcPtr = {(void *)(uintptr_t)box->from, from, box->width, box->from_slice / (from ? from : 1)},
      .dstPtr = {box->to, to, box->width, box->to_slice / (to ? to : 1)},
      .extent = {box->width, box->rows, box->slices},
      .kind = (enum cudaMemcpyKind)box->kind};
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t handle, struct cudaMemsetParams *p) {
  const struct client_node *known = find(handle, NODE_FILL, p);
  if (!known) return runtime_result(cudaErrorInvalidValue);
  const struct client_box *box = &known->box;
  *p = (struct cudaMemsetParams){.dst = box->to,
                                 .pitch = box->to_pitch,
                                 .value = box->pattern,
                                 .elementSize = box->pattern_bytes,
                                 .width = box->width / box->pattern_bytes,
                                 .height = box->rows};
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t handle, struct cudaHostNodeParams *p) {
  const struct client_node *known = find(handle, NODE_HOST, p);
  if (!known) return runtime_result(cudaErrorInvalidValue);
  *p = (struct cudaHostNodeParams){known->function, known->data};
  return cudaSuccess;
}

// ---- attributes of kernels --------------------------------------------------------------------------------

EXPORT cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID attribute,
                                                   const cudaLaunchAttributeValue *value) {
  struct client_node *known = client_node_checked(handle);
  if (!known || known->kind != NODE_KERNEL || !value) return runtime_result(cudaErrorInvalidValue);
  const cudaLaunchAttribute one = {.id = attribute, .val = *value};
  return runtime_result(client_launch_attribute(&known->kernel.launch, &one, NULL));
}

EXPORT cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID attribute,
                                                   cudaLaunchAttributeValue *value) {
  const struct client_node *known = find(handle, NODE_KERNEL, value);
  if (!known) return runtime_result(cudaErrorInvalidValue);
  const struct protocol_launch *launch = &known->kernel.launch;
  memset(value, 0, sizeof *value);
  if (attribute == cudaLaunchAttributeCooperative) value->cooperative = launch->cooperative;
  if (attribute == cudaLaunchAttributeClusterDimension) {
    value->clusterDim.x = launch->cluster[0];
    value->clusterDim.y = launch->cluster[1];
    value->clusterDim.z = launch->cluster[2];
  }
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t destination, cudaGraphNode_t source) {
  struct client_node *to = client_node_checked(destination);
  const struct client_node *from = find(source, NODE_KERNEL, to);
  if (!from || to->kind != NODE_KERNEL) return runtime_result(cudaErrorInvalidValue);
  memcpy(to->kernel.launch.cluster, from->kernel.launch.cluster, sizeof to->kernel.launch.cluster);
  to->kernel.launch.cooperative = from->kernel.launch.cooperative;
  to->kernel.launch.programmatic = from->kernel.launch.programmatic;
  return cudaSuccess;
}
