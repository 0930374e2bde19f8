// Graphs: the runtime's functions for what they consist of, and for running them. In: handles; out: CUDA
// errors. CUDA 12's functions of the same names have no data of edges: see runtime-capture.c.
#include <string.h>

#include "virtual-hopper/shim/client-graph.h"
#include "virtual-hopper/shim/runtime.h"

static struct client_graph *graph_of(const void *handle) {
  return client_graph_checked(handle, false);
}

static struct client_graph *executable_of(const void *handle) {
  return client_graph_checked(handle, true);
}

// ---- graphs -----------------------------------------------------------------------------------------------

EXPORT cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  if (!graph || flags) return runtime_result(cudaErrorInvalidValue);
  *graph = (cudaGraph_t)client_graph_create();
  return runtime_result(*graph ? cudaSuccess : cudaErrorMemoryAllocation);
}

EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  struct client_graph *known = graph_of(graph);
  if (!known || known->belongs) return runtime_result(cudaErrorInvalidValue);
  return runtime_result(client_graph_destroy(known));
}

EXPORT cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  const struct client_graph *known = graph_of(graph);
  if (!clone || !known) return runtime_result(cudaErrorInvalidValue);
  *clone = (cudaGraph_t)client_graph_copy(known);
  return runtime_result(*clone ? cudaSuccess : cudaErrorMemoryAllocation);
}

EXPORT cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t origin,
                                            cudaGraph_t clone) {
  const struct client_graph *known = graph_of(clone);
  struct client_node *found =
      known && origin ? client_graph_copied(known, (struct client_node *)(void *)origin) : NULL;
  if (!node || !found) return runtime_result(cudaErrorInvalidValue);
  *node = (cudaGraphNode_t)found;
  return cudaSuccess;
}

// A list as CUDA gives it: at most *count of them, NULL behind the last; or, without a place, their number.
struct answer {
  cudaGraphNode_t *nodes;
  size_t room, found;
};

static void put(struct answer *answer, const struct client_node *node) {
  if (answer->nodes && answer->found < answer->room)
    answer->nodes[answer->found] = (cudaGraphNode_t)(uintptr_t)node;
  answer->found++;
}

static void finish(const struct answer *answer, size_t *count) {
  for (size_t i = answer->found; answer->nodes && i < answer->room; i++)
    answer->nodes[i] = NULL;
  *count = answer->nodes && answer->found > answer->room ? answer->room : answer->found;
}

static cudaError_t list_nodes(const void *graph, cudaGraphNode_t *nodes, size_t *count, bool roots) {
  const struct client_graph *known = graph_of(graph);
  if (!known || !count) return cudaErrorInvalidValue;
  struct answer answer = {.nodes = nodes, .room = *count};
  for (uint32_t i = 0; i < known->count; i++)
    if (!roots || !known->nodes[i]->after_count) put(&answer, known->nodes[i]);
  finish(&answer, count);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return runtime_result(list_nodes(graph, nodes, count, false));
}

EXPORT cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return runtime_result(list_nodes(graph, nodes, count, true));
}

EXPORT cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  struct client_node *known = client_node_checked(node);
  return runtime_result(known ? client_node_destroy(known) : (int)cudaErrorInvalidValue);
}

EXPORT cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
  const struct client_node *known = client_node_checked(node);
  if (!known || !type) return runtime_result(cudaErrorInvalidValue);
  *type = (enum cudaGraphNodeType)known->kind;
  return cudaSuccess;
}

// ---- edges ------------------------------------------------------------------------------------------------

static int change_edges(const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count, bool more) {
  if (count && (!from || !to)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; i++) {
    struct client_node *a = client_node_checked(from[i]), *b = client_node_checked(to[i]);
    if (!a || !b) return cudaErrorInvalidValue;
    const int status = more ? client_edge_add(a, b) : client_edge_remove(a, b);
    if (status) return status;
  }
  return cudaSuccess;
}

cudaError_t runtime_edges_change(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                 size_t count, bool more) {
  return runtime_result(graph_of(graph) ? change_edges(from, to, count, more) : (int)cudaErrorInvalidValue);
}

EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                            size_t count) {
  return runtime_edges_change(graph, from, to, runtime_major < 13 ? (size_t)edges : count, true);
}

EXPORT cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                               size_t count) {
  return runtime_edges_change(graph, from, to, runtime_major < 13 ? (size_t)edges : count, false);
}

cudaError_t runtime_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                cudaGraphEdgeData *edges, size_t *count) {
  const struct client_graph *known = graph_of(graph);
  if (!known || !count || !from != !to) return runtime_result(cudaErrorInvalidValue);
  struct answer first = {.nodes = from, .room = *count}, second = {.nodes = to, .room = *count};
  if (edges) memset(edges, 0, *count * sizeof *edges);
  for (uint32_t i = 0; i < known->count; i++) {
    for (uint32_t k = 0; k < known->nodes[i]->after_count; k++) {
      put(&first, known->nodes[i]->after[k]);
      put(&second, known->nodes[i]);
    }
  }
  finish(&first, count);
  *count = second.room < *count && to ? second.room : *count;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                     cudaGraphEdgeData *edges, size_t *count) {
  if (runtime_major < 13) return runtime_graph_edges(graph, from, to, NULL, (size_t *)(void *)edges);
  return runtime_graph_edges(graph, from, to, edges, count);
}

cudaError_t runtime_node_before(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                size_t *count) {
  const struct client_node *known = client_node_checked(node);
  if (!known || !count) return runtime_result(cudaErrorInvalidValue);
  struct answer answer = {.nodes = nodes, .room = *count};
  if (edges) memset(edges, 0, *count * sizeof *edges);
  for (uint32_t i = 0; i < known->after_count; i++)
    put(&answer, known->after[i]);
  finish(&answer, count);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                cudaGraphEdgeData *edges, size_t *count) {
  if (runtime_major < 13) return runtime_node_before(node, nodes, NULL, (size_t *)(void *)edges);
  return runtime_node_before(node, nodes, edges, count);
}

cudaError_t runtime_node_behind(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                size_t *count) {
  const struct client_node *known = client_node_checked(node);
  if (!known || !count) return runtime_result(cudaErrorInvalidValue);
  struct answer answer = {.nodes = nodes, .room = *count};
  if (edges) memset(edges, 0, *count * sizeof *edges);
  for (uint32_t i = 0; i < known->graph->count; i++) {
    const struct client_node *other = known->graph->nodes[i];
    for (uint32_t k = 0; k < other->after_count; k++)
      if (other->after[k] == known) put(&answer, other);
  }
  finish(&answer, count);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                  cudaGraphEdgeData *edges, size_t *count) {
  if (runtime_major < 13) return runtime_node_behind(node, nodes, NULL, (size_t *)(void *)edges);
  return runtime_node_behind(node, nodes, edges, count);
}

// ---- running ----------------------------------------------------------------------------------------------

EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                        unsigned long long flags) {
  const struct client_graph *known = graph_of(graph);
  struct client_graph *made = NULL;
  if (!executable || !known) return runtime_result(cudaErrorInvalidValue);
  const int status = client_graph_instantiate(&made, known, flags);
  *executable = (cudaGraphExec_t)made;
  return runtime_used(status);
}

EXPORT cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                 unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

EXPORT cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                  cudaGraphInstantiateParams *parameters) {
  if (!parameters) return runtime_result(cudaErrorInvalidValue);
  const cudaError_t status = cudaGraphInstantiate(executable, graph, parameters->flags);
  parameters->errNode_out = NULL;
  parameters->result_out = status ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
  return status;
}
PER_THREAD_SAME(cudaGraphInstantiateWithParams);

EXPORT cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long *flags) {
  const struct client_graph *known = executable_of(executable);
  if (!known || !flags) return runtime_result(cudaErrorInvalidValue);
  *flags = known->flags;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  struct client_graph *known = executable_of(executable);
  return runtime_result(known ? client_graph_destroy(known) : (int)cudaErrorInvalidValue);
}

EXPORT cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  if (!executable_of(executable)) return runtime_result(cudaErrorInvalidValue);
  return runtime_used(runtime_stream_used(stream));
}
PER_THREAD_SAME(cudaGraphUpload);

EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  struct client_graph *known = executable_of(executable);
  if (!known) return runtime_result(cudaErrorInvalidValue);
  const int before = client_device_error();
  const int status = before ? before : client_graph_launch(known, stream);
  return before ? runtime_used(before) : runtime_result(status);
}
PER_THREAD_STREAM(cudaGraphLaunch, (cudaGraphExec_t executable, cudaStream_t stream), (executable, stream))

EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                       cudaGraphExecUpdateResultInfo *information) {
  struct client_graph *old = executable_of(executable);
  const struct client_graph *new = graph_of(graph);
  struct client_node *node = NULL;
  int result = cudaGraphExecUpdateError;
  if (!old || !new) return runtime_result(cudaErrorInvalidValue);
  const int status = client_graph_update(old, new, &result, &node);
  if (information)
    *information = (cudaGraphExecUpdateResultInfo){.result = (enum cudaGraphExecUpdateResult)result,
                                                   .errorNode = (cudaGraphNode_t)node};
  return runtime_result(status);
}

EXPORT cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           unsigned enabled) {
  const struct client_graph *known = executable_of(executable);
  struct client_node *found = known ? client_graph_copied(known, (struct client_node *)(void *)node) : NULL;
  if (!found || found->kind > NODE_FILL) return runtime_result(cudaErrorInvalidValue);
  found->disabled = !enabled;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           unsigned *enabled) {
  const struct client_graph *known = executable_of(executable);
  const struct client_node *found =
      known ? client_graph_copied(known, (struct client_node *)(void *)node) : NULL;
  if (!found || !enabled) return runtime_result(cudaErrorInvalidValue);
  *enabled = !found->disabled;
  return cudaSuccess;
}
