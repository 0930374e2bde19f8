// Graphs: nodes and edges (client-graph.h). In: the program's handles, which may be stale; out: CUDA errors.
// The caller of what changes a graph holds no lock: each function takes graphs_mutex for itself.
#include "virtual-hopper/shim/client-graph.h"

#include <stdlib.h>
#include <string.h>

static void lock(void) {
  pthread_mutex_lock(&client_state()->graphs_mutex);
}

static void unlock(void) {
  pthread_mutex_unlock(&client_state()->graphs_mutex);
}

// ---- what a node does -------------------------------------------------------------------------------------

void client_doing_drop(const struct client_node *node) {
  free(node->kernel.parameters);
  free(node->kernel.arguments);
  free(node->values);
  if (node->kind == NODE_VALUES) free(node->data); // as the program was last given them
  if (node->child) (void)client_graph_destroy(node->child);
  if (node->memory) client_graph_memory_drop(node->memory);
  if (node->kind != NODE_CONDITION) return;
  free(node->data); // the handles of its graphs
  client_condition_count(&node->condition, false);
}

int client_kernel_node_packed(struct client_node *node, struct client_function *function,
                              const struct protocol_launch *launch, const void *parameters, size_t bytes) {
  const int status = client_function_resolve(function);
  if (status) return status;
  if (bytes != function->info.parameter_bytes) return ERROR_INVALID_VALUE;
  const uint32_t count = function->info.parameter_count;
  *node = (struct client_node){.kind = NODE_KERNEL, .kernel = {.function = function, .launch = *launch}};
  node->kernel.parameters = malloc(bytes + 1);
  node->kernel.arguments = calloc(count + 1, sizeof *node->kernel.arguments);
  if (!node->kernel.parameters || !node->kernel.arguments) {
    client_doing_drop(node);
    return ERROR_MEMORY_ALLOCATION;
  }
  if (bytes) memcpy(node->kernel.parameters, parameters, bytes);
  for (uint32_t i = 0; i < count; i++)
    node->kernel.arguments[i] = node->kernel.parameters + function->parameters[i].offset;
  return 0;
}

static int kernel_node_extra(struct client_node *node, struct client_function *function,
                             const struct protocol_launch *launch, void **extra) {
  const void *block;
  size_t bytes;
  const int status = client_pack_extra(extra, &block, &bytes);
  return status ? status : client_kernel_node_packed(node, function, launch, block, bytes);
}

int client_kernel_node(struct client_node *node, struct client_function *function,
                       const struct protocol_launch *launch, void **arguments, void **extra) {
  if (extra) return kernel_node_extra(node, function, launch, extra);
  char *parameters;
  const int status = client_pack(function, arguments, &parameters);
  if (status) return status;
  const int made =
      client_kernel_node_packed(node, function, launch, parameters, function->info.parameter_bytes);
  free(parameters);
  return made;
}

int client_values_node(struct client_node *node, const struct client_value *values, uint32_t count) {
  *node = (struct client_node){.kind = NODE_VALUES, .value_count = count};
  node->values = malloc(count * sizeof *values + 1);
  if (!node->values) return ERROR_MEMORY_ALLOCATION;
  if (count) memcpy(node->values, values, count * sizeof *values);
  return 0;
}

// The same once more, with blocks of its own.
static int copy_doing(struct client_node *copy, const struct client_node *node) {
  const struct client_kernel_node *k = &node->kernel;
  if (node->kind == NODE_KERNEL)
    return client_kernel_node_packed(copy, k->function, &k->launch, k->parameters,
                                     k->function->info.parameter_bytes);
  if (node->kind == NODE_VALUES) return client_values_node(copy, node->values, node->value_count);
  *copy = (struct client_node){
      .kind = node->kind, .box = node->box, .function = node->function, .data = node->data};
  copy->memory = node->memory;
  copy->condition = node->condition;
  if (node->kind == NODE_CONDITION) {
    copy->data = NULL;
    client_condition_count(&copy->condition, true);
  }
  if (copy->memory) client_graph_memory_keep(copy->memory);
  if (!node->child) return 0;
  copy->child = client_graph_copy(node->child);
  if (copy->child) copy->child->belongs = true;
  return copy->child ? 0 : ERROR_MEMORY_ALLOCATION;
}

int client_node_set(struct client_node *node, const struct client_node *doing) {
  const struct client_node old = *node;
  if (node->kind != doing->kind || node->memory || node->kind == NODE_CONDITION) {
    client_doing_drop(doing);
    return ERROR_INVALID_VALUE;
  }
  lock();
  node->kernel = doing->kernel;
  node->box = doing->box;
  node->function = doing->function;
  node->data = doing->data;
  node->child = doing->child;
  node->values = doing->values;
  node->value_count = doing->value_count;
  unlock();
  client_doing_drop(&old);
  return 0;
}

// ---- edges ------------------------------------------------------------------------------------------------

static bool has_edge(const struct client_node *to, const struct client_node *from) {
  for (uint32_t i = 0; i < to->after_count; i++)
    if (to->after[i] == from) return true;
  return false;
}

int client_edge_add(struct client_node *from, struct client_node *to) {
  if (from == to || from->graph != to->graph || has_edge(to, from)) return ERROR_INVALID_VALUE;
  if (to->after_count == to->after_room) {
    const uint32_t room = to->after_room ? to->after_room * 2 : 2;
    struct client_node **grown = realloc(to->after, room * sizeof(struct client_node *));
    if (!grown) return ERROR_MEMORY_ALLOCATION;
    to->after = grown;
    to->after_room = room;
  }
  to->after[to->after_count++] = from;
  return 0;
}

int client_edge_remove(const struct client_node *from, struct client_node *to) {
  for (uint32_t i = 0; i < to->after_count; i++) {
    if (to->after[i] != from) continue;
    to->after[i] = to->after[--to->after_count];
    return 0;
  }
  return ERROR_INVALID_VALUE;
}

// A captured node comes after older ones only, so one pass does; others may take several.
void client_graph_mark(struct client_graph *graph, struct client_node *const *nodes, size_t count) {
  for (uint32_t i = 0; i < graph->count; i++)
    graph->nodes[i]->place = 0;
  for (size_t i = 0; i < count; i++)
    nodes[i]->place = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = graph->count; i-- > 0;) {
      const struct client_node *node = graph->nodes[i];
      for (uint32_t k = 0; k < node->after_count && node->place; k++) {
        changed = changed || !node->after[k]->place;
        node->after[k]->place = 1;
      }
    }
  }
}

// ---- nodes ------------------------------------------------------------------------------------------------

static bool make_room(struct client_graph *graph) {
  if (graph->count < graph->room) return true;
  const uint32_t room = graph->room ? graph->room * 2 : 16;
  struct client_node **grown = realloc(graph->nodes, room * sizeof(struct client_node *));
  if (!grown) return false;
  graph->nodes = grown;
  graph->room = room;
  return true;
}

static void free_node(struct client_node *node) {
  client_doing_drop(node);
  free(node->after);
  free(node);
}

int client_node_add(struct client_node **made, struct client_graph *graph, struct client_node *const *after,
                    size_t count, const struct client_node *doing) {
  struct client_node *node = malloc(sizeof *node);
  if (!node) {
    client_doing_drop(doing);
    return ERROR_MEMORY_ALLOCATION;
  }
  *node = *doing;
  node->graph = graph;
  int status = count && !after ? ERROR_INVALID_VALUE : 0;
  for (size_t i = 0; i < count && !status; i++)
    status = after[i] ? client_edge_add(after[i], node) : ERROR_INVALID_VALUE;
  lock();
  if (!status && !make_room(graph)) status = ERROR_MEMORY_ALLOCATION;
  if (!status) graph->nodes[graph->count++] = node;
  unlock();
  if (status)
    free_node(node);
  else
    *made = node;
  return status;
}

int client_node_destroy(struct client_node *node) {
  struct client_graph *graph = node->graph;
  lock();
  uint32_t kept = 0;
  for (uint32_t i = 0; i < graph->count; i++) {
    (void)client_edge_remove(node, graph->nodes[i]);
    if (graph->nodes[i] != node) graph->nodes[kept++] = graph->nodes[i];
  }
  graph->count = kept;
  unlock();
  free_node(node);
  return 0;
}

// ---- graphs -----------------------------------------------------------------------------------------------

struct client_graph *client_graph_create(void) {
  struct client *client = client_state();
  struct client_graph *graph = calloc(1, sizeof *graph);
  if (!graph) return NULL;
  lock();
  graph->next = client->graphs;
  client->graphs = graph;
  unlock();
  return graph;
}

struct client_graph *client_graph_checked(const void *handle, bool executable) {
  lock();
  struct client_graph *graph = client_state()->graphs;
  while (graph && (graph != handle || graph->executable != executable))
    graph = graph->next;
  unlock();
  return graph;
}

// The newest graphs, and their newest nodes, are looked at first: those are asked for.
struct client_node *client_node_checked(const void *handle) {
  struct client_node *found = NULL;
  lock();
  for (const struct client_graph *graph = client_state()->graphs; graph && !found; graph = graph->next)
    for (uint32_t i = graph->count; i-- > 0 && !graph->executable && !found;)
      if (graph->nodes[i] == handle) found = graph->nodes[i];
  unlock();
  return found;
}

int client_graph_destroy(struct client_graph *graph) {
  struct client *client = client_state();
  lock();
  for (struct client_graph **link = &client->graphs; *link; link = &(*link)->next) {
    if (*link != graph) continue;
    *link = graph->next;
    break;
  }
  unlock();
  if (graph->executable) client_graph_forget_events(graph);
  for (uint32_t i = 0; i < graph->count; i++)
    free_node(graph->nodes[i]);
  if (graph->other) (void)client_graph_destroy(graph->other);
  client_conditions_end(graph);
  free(graph->nodes);
  free(graph);
  return 0;
}

struct client_node *client_graph_copied(const struct client_graph *graph, const struct client_node *origin) {
  for (uint32_t i = 0; i < graph->count; i++) {
    struct client_node *node = graph->nodes[i];
    if (node->origin == origin || node == origin) return node;
    for (const struct client_graph *child = node->child; child; child = child->other) {
      struct client_node *inner = client_graph_copied(child, origin);
      if (inner) return inner;
    }
  }
  return NULL;
}

static bool copy_edges(struct client_graph *copy, const struct client_graph *graph) {
  for (uint32_t i = 0; i < graph->count; i++)
    graph->nodes[i]->place = i;
  for (uint32_t i = 0; i < graph->count; i++) {
    const struct client_node *node = graph->nodes[i];
    for (uint32_t k = 0; k < node->after_count; k++)
      if (client_edge_add(copy->nodes[node->after[k]->place], copy->nodes[i])) return false;
  }
  return true;
}

struct client_graph *client_graph_copy(const struct client_graph *graph) {
  struct client_graph *copy = client_graph_create();
  bool done = copy != NULL;
  for (uint32_t i = 0; i < graph->count && done; i++) {
    struct client_node doing, *made;
    done = !copy_doing(&doing, graph->nodes[i]) && !client_node_add(&made, copy, NULL, 0, &doing);
    if (done) made->origin = graph->nodes[i];
    if (done) made->disabled = graph->nodes[i]->disabled;
  }
  lock();
  done = done && copy_edges(copy, graph);
  unlock();
  if (done && graph->other) {
    copy->other = client_graph_copy(graph->other);
    done = copy->other != NULL;
    if (done) copy->other->belongs = true;
  }
  if (done) {
    copy->origin = graph;
    return copy;
  }
  if (copy) (void)client_graph_destroy(copy);
  return NULL;
}
