// Conditions of graphs: handles, and nodes that run their graphs, or don't, by a value that kernels set. In:
// default values; out: values, as they are when the graph comes to the node.
#include <stdlib.h>

#include "virtual-hopper/base/condition.h"
#include "virtual-hopper/shim/client-graph.h"

static int write_value(uint64_t handle, uint32_t value, uint32_t in) {
  struct condition c = {CONDITION_MAGIC, value};
  const struct client_rows rows = {&c, sizeof c, sizeof c, 1};
  return client_write(handle, sizeof c, &rows, in);
}

int client_condition_create(uint64_t *handle, const struct client_graph *graph, uint32_t value,
                            bool assigned) {
  struct client *client = client_state();
  struct client_condition_handle *made = calloc(1, sizeof *made);
  int status =
      made ? client_allocate(&made->condition.handle, sizeof(struct condition), 0) : ERROR_MEMORY_ALLOCATION;
  if (!status) status = write_value(made->condition.handle, value, 0);
  if (status) return free(made), status;
  made->condition.assigned = assigned;
  made->condition.value = value;
  made->graph = graph;
  pthread_mutex_lock(&client->graphs_mutex);
  made->next = client->conditions;
  client->conditions = made;
  pthread_mutex_unlock(&client->graphs_mutex);
  *handle = made->condition.handle;
  return 0;
}

// Gives the handle's condition to one more node.
static bool take(uint64_t handle, struct client_condition *taken) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->graphs_mutex);
  struct client_condition_handle *known = client->conditions;
  while (known && known->condition.handle != handle)
    known = known->next;
  if (known) *taken = known->condition;
  if (known) known->nodes++;
  pthread_mutex_unlock(&client->graphs_mutex);
  return known != NULL;
}

// Frees the handles that no node and no graph has. The caller holds the mutex.
static void sweep(struct client *client) {
  for (struct client_condition_handle **at = &client->conditions; *at;) {
    struct client_condition_handle *h = *at;
    if (h->graph || h->nodes) {
      at = &h->next;
      continue;
    }
    *at = h->next;
    (void)client_free(h->condition.handle, 0);
    free(h);
  }
}

void client_conditions_end(const struct client_graph *graph) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->graphs_mutex);
  for (struct client_condition_handle *h = client->conditions; h; h = h->next)
    if (h->graph == graph) h->graph = NULL;
  sweep(client);
  pthread_mutex_unlock(&client->graphs_mutex);
}

void client_condition_count(const struct client_condition *condition, bool more) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->graphs_mutex);
  for (struct client_condition_handle *h = client->conditions; h; h = h->next)
    if (h->condition.handle == condition->handle) h->nodes += more ? 1u : -1u;
  sweep(client);
  pthread_mutex_unlock(&client->graphs_mutex);
}

int client_condition_node(struct client_node *node, uint64_t handle, enum client_condition_kind kind,
                          uint32_t count) {
  *node = (struct client_node){.kind = NODE_CONDITION};
  const uint32_t most = kind == CONDITION_WHILE ? 1 : kind == CONDITION_IF ? 2 : UINT32_MAX;
  if (!count || count > most || kind > CONDITION_SWITCH || !take(handle, &node->condition))
    return ERROR_INVALID_VALUE;
  node->condition.kind = kind;
  for (struct client_graph **at = &node->child; count; count--, at = &(*at)->other) {
    *at = client_graph_create();
    if (!*at) return client_doing_drop(node), ERROR_MEMORY_ALLOCATION;
    (*at)->belongs = true;
  }
  return 0;
}

int client_condition_read(const struct client_condition *condition, uint32_t in, uint32_t *value) {
  struct condition c = {0};
  const struct client_rows rows = {&c, sizeof c, sizeof c, 1};
  const int status = client_read(&rows, condition->handle, sizeof c, in | PROTOCOL_HOST_WAITS);
  *value = c.value;
  return status;
}

int client_conditions_assign(const struct client_graph *graph, uint32_t in) {
  int status = 0;
  for (uint32_t i = 0; i < graph->count && !status; i++) {
    const struct client_node *node = graph->nodes[i];
    if (node->kind == NODE_CONDITION && node->condition.assigned)
      status = write_value(node->condition.handle, node->condition.value, in);
    for (const struct client_graph *child = node->child; child && !status; child = child->other)
      status = client_conditions_assign(child, in);
  }
  return status;
}
