// Graphs that run. In: a graph and the stream of its launch; out: its nodes' operations, in an order that the
// edges allow, each in a lane (client-graph.h), and the events that stand for edges between lanes.
#include "virtual-hopper/shim/client-graph.h"

#include <stdlib.h>

// Beyond so many lanes nodes share some: more order than the edges ask for, never less.
enum { MOST_LANES = 24, NOTES_AT_ONCE = 32 };

// ---- what is found out once -------------------------------------------------------------------------------

static int by_place(const void *a, const void *b) {
  const struct client_node *x = *(struct client_node *const *)a, *y = *(struct client_node *const *)b;
  return x->place < y->place ? -1 : x->place > y->place;
}

static bool is_ready(const struct client_node *node) {
  for (uint32_t i = 0; i < node->after_count; i++)
    if (!node->after[i]->place) return false;
  return true;
}

// Numbers the nodes in an order that the edges allow, and sorts them so. False: the edges form a circle.
static bool sort_nodes(struct client_graph *graph) {
  uint32_t placed = 0;
  for (uint32_t i = 0; i < graph->count; i++)
    graph->nodes[i]->place = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < graph->count; i++) {
      struct client_node *node = graph->nodes[i];
      if (node->place || !is_ready(node)) continue;
      node->place = ++placed;
      changed = true;
    }
  }
  if (placed < graph->count) return false;
  qsort(graph->nodes, graph->count, sizeof(struct client_node *), by_place);
  return true;
}

// A node goes on in the lane of a node that it comes after, if that is the lane's last one; else it begins a
// lane. The first node without edges begins lane 0.
static uint32_t choose_lane(struct client_graph *graph, struct client_node *const *last,
                            const struct client_node *node) {
  for (uint32_t i = 0; i < node->after_count; i++)
    if (last[node->after[i]->lane] == node->after[i]) return node->after[i]->lane;
  return graph->lanes < MOST_LANES ? graph->lanes++ : node->place % MOST_LANES;
}

static void lay_out(struct client_graph *graph) {
  struct client_node *last[MOST_LANES] = {NULL};
  graph->lanes = 0;
  for (uint32_t i = 0; i < graph->count; i++) {
    struct client_node *node = graph->nodes[i];
    node->lane = choose_lane(graph, last, node);
    last[node->lane] = node;
    node->is_awaited = false;
    for (uint32_t k = 0; k < node->after_count; k++)
      if (node->after[k]->lane != node->lane) node->after[k]->is_awaited = true;
  }
  for (uint32_t lane = 1; lane < graph->lanes; lane++) // the stream waits for the end of each lane
    last[lane]->is_awaited = true;
}

static bool prepare(struct client_graph *graph) {
  if (!sort_nodes(graph)) return false;
  lay_out(graph);
  for (uint32_t i = 0; i < graph->count; i++)
    for (struct client_graph *child = graph->nodes[i]->child; child; child = child->other)
      if (!prepare(child)) return false;
  return true;
}

int client_graph_instantiate(struct client_graph **made, const struct client_graph *graph,
                             unsigned long long flags) {
  enum { ON_DEVICE = 4 }; // cudaGraphInstantiateFlagDeviceLaunch
  if (flags & ON_DEVICE) return client_unsupported("a graph that the device launches");
  struct client_graph *copy = client_graph_copy(graph);
  if (!copy) return ERROR_MEMORY_ALLOCATION;
  if (!prepare(copy)) {
    (void)client_graph_destroy(copy);
    return ERROR_INVALID_VALUE;
  }
  copy->executable = true;
  copy->flags = flags;
  *made = copy;
  return 0;
}

// ---- running ----------------------------------------------------------------------------------------------

struct run {
  struct client_graph *graph;
  uint64_t stream; // of the launch: its identifier
  uint32_t first, lanes[MOST_LANES];
  const struct client_node *previous; // that has just run
  uint32_t notes;                     // since the device has last been told
};

static uint64_t event_of(const void *part) {
  return (uint64_t)(uintptr_t)part;
}

static uint64_t end_event(const struct client_graph *graph) { // of its last launch
  return event_of(&graph->count);
}

static void note(struct run *run, enum protocol_order_kind kind, uint32_t in, const void *event) {
  client_order(kind, in, event_of(event), 0);
  struct client_request now = {.operation = PROTOCOL_STATUS};
  if (++run->notes % NOTES_AT_ONCE == 0) (void)client_call(&now);
}

static void begin_lanes(struct run *run) {
  struct client *client = client_state();
  run->lanes[0] = run->first;
  if (run->graph->lanes > 1) note(run, PROTOCOL_ORDER_RECORD, run->first, run->graph);
  for (uint32_t i = 1; i < run->graph->lanes; i++) {
    run->lanes[i] = PROTOCOL_GRAPH + atomic_fetch_add(&client->next_lane, 1) % MOST_LANES;
    note(run, PROTOCOL_ORDER_STREAM, run->lanes[i] | PROTOCOL_NON_BLOCKING, NULL);
    note(run, PROTOCOL_ORDER_WAIT, run->lanes[i], run->graph);
  }
}

static void end_lanes(struct run *run) {
  bool is_joined[MOST_LANES] = {true};
  for (uint32_t i = run->graph->count; i-- > 0;) {
    const struct client_node *node = run->graph->nodes[i];
    if (!is_joined[node->lane]) note(run, PROTOCOL_ORDER_WAIT, run->first, node);
    is_joined[node->lane] = true;
  }
}

static int run_graph(struct client_graph *graph, uint64_t stream, uint32_t in);

// A kernel may overlap with the one before it only if it comes after that one alone.
static int run_kernel(const struct run *run, const struct client_node *node, uint32_t in) {
  struct protocol_launch launch = node->kernel.launch;
  launch.programmatic &= node->after_count == 1 && node->after[0] == run->previous &&
                         run->previous->kind == NODE_KERNEL && run->previous->lane == node->lane;
  return client_launch_now(node->kernel.function, &launch, node->kernel.parameters,
                           node->kernel.function->info.parameter_bytes, run->stream, in);
}

static int run_host(const struct client_node *node, uint32_t in) {
  client_host_function(node->function, node->data, in);
  return client_connect();
}

static int run_values(const struct client_node *node, uint32_t in) {
  int status = 0;
  for (uint32_t i = 0; i < node->value_count && !status; i++)
    if (!node->values[i].nothing) status = client_value(&node->values[i], in);
  return status;
}

// Runs the graphs that the condition chooses. The host waits for each value, which kernels may have set.
static int run_condition(const struct run *run, const struct client_node *node, uint32_t in) {
  uint32_t value = 0;
  int status = client_condition_read(&node->condition, in, &value);
  struct client_graph *chosen = node->child;
  if (node->condition.kind == CONDITION_IF && !value) chosen = chosen->other;
  if (node->condition.kind == CONDITION_SWITCH)
    for (uint32_t i = 0; i < value && chosen; i++)
      chosen = chosen->other;
  if (status || !chosen) return status;
  if (node->condition.kind != CONDITION_WHILE) return run_graph(chosen, run->stream, in);
  while (!status && value) {
    status = run_graph(chosen, run->stream, in);
    if (!status) status = client_condition_read(&node->condition, in, &value);
  }
  return status;
}

static int run_node(const struct run *run, const struct client_node *node, uint32_t in) {
  if (node->disabled) return 0;
  switch (node->kind) {
  case NODE_KERNEL: return run_kernel(run, node, in);
  case NODE_COPY:
  case NODE_FILL: return client_transfer_now(&node->box, in);
  case NODE_HOST: return run_host(node, in);
  case NODE_GRAPH: return run_graph(node->child, run->stream, in);
  case NODE_EVENT_RECORD: return client_event_record_in(node->data, in) ? 0 : ERROR_INVALID_RESOURCE_HANDLE;
  case NODE_EVENT_WAIT: client_order(PROTOCOL_ORDER_WAIT, in, event_of(node->data), 0); return 0;
  case NODE_CONDITION: return run_condition(run, node, in);
  case NODE_VALUES: return run_values(node, in);
  case NODE_ALLOCATE: return client_graph_memory_fill(node->memory, in);
  case NODE_FREE:
  case NODE_EMPTY: return 0;
  }
  return 0;
}

static int run_graph(struct client_graph *graph, uint64_t stream, uint32_t in) {
  struct run run = {.graph = graph, .stream = stream, .first = in};
  int status = 0;
  begin_lanes(&run);
  for (uint32_t i = 0; i < graph->count && !status; i++) {
    const struct client_node *node = graph->nodes[i];
    const uint32_t lane = run.lanes[node->lane];
    for (uint32_t k = 0; k < node->after_count; k++)
      if (node->after[k]->lane != node->lane) note(&run, PROTOCOL_ORDER_WAIT, lane, node->after[k]);
    status = run_node(&run, node, lane);
    if (node->is_awaited) note(&run, PROTOCOL_ORDER_RECORD, lane, node);
    run.previous = node;
  }
  end_lanes(&run);
  return status;
}

int client_graph_launch(struct client_graph *graph, void *stream) {
  struct client_stream found;
  bool captured = false;
  if (!client_stream_find(stream, &found)) return ERROR_INVALID_RESOURCE_HANDLE;
  const uint32_t in = client_in(stream);
  int status = client_captures(in, &captured);
  if (status) return status;
  if (captured) return client_capture_graph(graph, in);
  client_launches_end();
  // A launch comes after all earlier ones of the same executable graph, in whatever stream they are.
  client_order(PROTOCOL_ORDER_WAIT, in, end_event(graph), 0);
  status = client_conditions_assign(graph, in);
  if (!status) status = run_graph(graph, found.identifier, in);
  client_order(PROTOCOL_ORDER_RECORD, in, end_event(graph), 0);
  client_launches_end();
  return status;
}

void client_graph_forget_events(const struct client_graph *graph) {
  struct run run = {0};
  client_order(PROTOCOL_ORDER_FORGET, CLIENT_DEFAULT, end_event(graph), 0);
  if (graph->lanes > 1) note(&run, PROTOCOL_ORDER_FORGET, CLIENT_DEFAULT, graph);
  for (uint32_t i = 0; i < graph->count; i++) {
    if (graph->nodes[i]->is_awaited) note(&run, PROTOCOL_ORDER_FORGET, CLIENT_DEFAULT, graph->nodes[i]);
    for (const struct client_graph *child = graph->nodes[i]->child; child; child = child->other)
      client_graph_forget_events(child);
  }
}

// ---- updates ----------------------------------------------------------------------------------------------

static bool comes_from(const struct client_node *copy, const struct client_node *origin) {
  return copy && copy->place == origin->place;
}

// Both are sorted, so nodes that correspond have the same place. Finds what differs (enum
// cudaGraphExecUpdateResult).
static int compare(const struct client_graph *old, const struct client_graph *new,
                   struct client_node **different) {
  enum { SAME = 0, TOPOLOGY = 2, NODE_KIND = 3 };
  *different = NULL;
  if (old->count != new->count) return TOPOLOGY;
  for (uint32_t i = 0; i < new->count; i++) {
    const struct client_node *a = old->nodes[i], *b = new->nodes[i];
    *different = (struct client_node *)(uintptr_t)b->origin;
    if (a->kind != b->kind) return NODE_KIND;
    if (a->after_count != b->after_count) return TOPOLOGY;
    for (uint32_t k = 0; k < b->after_count; k++)
      if (!comes_from(a->after[k], b->after[k])) return TOPOLOGY;
    struct client_node *inner;
    const struct client_graph *x = a->child, *y = b->child;
    for (; x && y; x = x->other, y = y->other)
      if (compare(x, y, &inner)) return TOPOLOGY;
    if (x || y || a->condition.kind != b->condition.kind) return TOPOLOGY;
  }
  *different = NULL;
  return SAME;
}

int client_graph_update(struct client_graph *executable, const struct client_graph *graph, int *result,
                        struct client_node **node) {
  struct client_graph *new = NULL;
  const int status = client_graph_instantiate(&new, graph, executable->flags);
  if (status) return status;
  *result = compare(executable, new, node);
  for (uint32_t i = 0; i < new->count && !*result; i++) { // they change places
    struct client_node *a = executable->nodes[i], *b = new->nodes[i], old = *a;
    a->kernel = b->kernel, a->box = b->box, a->function = b->function, a->data = b->data, a->child = b->child;
    a->memory = b->memory, a->condition = b->condition;
    a->values = b->values, a->value_count = b->value_count;
    b->kernel = old.kernel, b->child = old.child, b->memory = old.memory;
    b->values = old.values, b->data = old.data;
  }
  (void)client_graph_destroy(new);
  return *result ? ERROR_GRAPH_EXEC_UPDATE_FAILURE : 0;
}
