// Memory pools: handles, no more. In and out: handles. One idea: all pools take from the device's memory, and
// what is freed is free at once, so a pool has nothing to keep. The default pool's handle is the client's
// state.
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>

struct client_pool {
  struct client_pool *next;
};

void *client_pool_default(void) {
  return client_state();
}

bool client_pool_check(const void *pool) {
  struct client *client = client_state();
  if (pool == client) return true;
  pthread_mutex_lock(&client->handles_mutex);
  const struct client_pool *known = client->pools;
  while (known && known != pool)
    known = known->next;
  pthread_mutex_unlock(&client->handles_mutex);
  return known != NULL;
}

void *client_pool_create(void) {
  struct client *client = client_state();
  struct client_pool *pool = malloc(sizeof *pool);
  if (!pool) return NULL;
  pthread_mutex_lock(&client->handles_mutex);
  pool->next = client->pools;
  client->pools = pool;
  pthread_mutex_unlock(&client->handles_mutex);
  return pool;
}

bool client_pool_destroy(void *pool) {
  struct client *client = client_state();
  struct client_pool *found = NULL;
  pthread_mutex_lock(&client->handles_mutex);
  struct client_pool **at = &client->pools;
  while (*at && *at != pool)
    at = &(*at)->next;
  found = *at;
  if (found) *at = found->next;
  if (found && client->pool == pool) client->pool = NULL; // the default pool is the device's again
  pthread_mutex_unlock(&client->handles_mutex);
  free(found);
  return found != NULL;
}

void *client_pool_current(void) {
  struct client *client = client_state();
  return client->pool ? client->pool : client_pool_default();
}

bool client_pool_use(void *pool) {
  if (!client_pool_check(pool)) return false;
  client_state()->pool = pool;
  return true;
}
