// Memory that nodes of graphs allocate and free. In: sizes, addresses; out: device memory. One idea: the
// address is fixed when the node is made, as CUDA has it, so the memory is there from then on, and until no
// node has it any more. A node that allocates fills it: what an earlier launch left there is no content. Uses
// before the allocation, or behind the free, are not noticed.
#include "virtual-hopper/shim/client-graph.h"

#include <stdlib.h>

enum { FRESH = 0xcd };

static struct client *lock(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->graphs_mutex);
  return client;
}

static void unlock(void) {
  pthread_mutex_unlock(&client_state()->graphs_mutex);
}

int client_graph_allocate(struct client_node *node, size_t bytes) {
  if (!bytes) return ERROR_INVALID_VALUE;
  struct client_graph_memory *m = calloc(1, sizeof *m);
  const int status = m ? client_allocate(&m->address, bytes, 0) : ERROR_MEMORY_ALLOCATION;
  if (status) return free(m), status;
  m->bytes = bytes;
  m->owners = 1;
  struct client *client = lock();
  m->next = client->graph_memory;
  client->graph_memory = m;
  unlock();
  *node = (struct client_node){.kind = NODE_ALLOCATE, .memory = m};
  return 0;
}

static struct client_graph_memory *find(const struct client *client, uint64_t address) {
  struct client_graph_memory *m = client->graph_memory;
  while (m && m->address != address)
    m = m->next;
  return m;
}

int client_graph_free(struct client_node *node, uint64_t address) {
  struct client_graph_memory *m = find(lock(), address);
  if (m) {
    m->owners++;
    m->is_freed = true;
    *node = (struct client_node){.kind = NODE_FREE, .memory = m};
  }
  unlock();
  return m ? 0 : ERROR_INVALID_VALUE;
}

void client_graph_memory_keep(struct client_graph_memory *m) {
  lock();
  m->owners++;
  unlock();
}

// Ends memory that no node has and that somebody frees. The caller holds the lock.
static void end(struct client *client, struct client_graph_memory *m) {
  if (m->owners || !m->is_freed) return;
  struct client_graph_memory **at = &client->graph_memory;
  while (*at != m)
    at = &(*at)->next;
  *at = m->next;
  (void)client_free(m->address, 0);
  free(m);
}

void client_graph_memory_drop(struct client_graph_memory *m) {
  struct client *client = lock();
  m->owners--;
  end(client, m);
  unlock();
}

int client_graph_memory_fill(const struct client_graph_memory *m, uint32_t in) {
  return client_fill(m->address, m->bytes, FRESH, 1, m->bytes, 1, in);
}

bool client_graph_memory_freed(uint64_t address) {
  struct client *client = lock();
  struct client_graph_memory *m = client->graph_memory ? find(client, address) : NULL;
  if (m) {
    m->is_freed = true;
    end(client, m);
  }
  unlock();
  return m != NULL;
}

// An H100 takes memory for graphs in pages of 32 MiB, which allocations share.
enum { GRAPH_MEMORY_PAGE = 32 << 20 };

size_t client_graph_memory_used(void) {
  size_t bytes = 0;
  for (const struct client_graph_memory *m = lock()->graph_memory; m; m = m->next)
    bytes += m->bytes;
  unlock();
  return (bytes + GRAPH_MEMORY_PAGE - 1) / GRAPH_MEMORY_PAGE * GRAPH_MEMORY_PAGE;
}
