// Page-locked host memory. In: memory that the program allocates or registers; out: whether an address lies
// in such memory. It is ordinary memory of the program, and kernels can't access it. The list only says which
// memory is page-locked.
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>

static void add(struct client *client, struct client_host *host) {
  host->next = client->hosts;
  client->hosts = host;
}

void *client_host_allocate(size_t bytes) {
  struct client *client = client_state();
  struct client_host *host = calloc(1, sizeof *host);
  void *start = NULL;
  if (!host || posix_memalign(&start, 4096, bytes ? bytes : 1) != 0) return free(host), NULL;
  *host = (struct client_host){.start = start, .bytes = bytes, .allocated = true};
  pthread_mutex_lock(&client->handles_mutex);
  add(client, host);
  pthread_mutex_unlock(&client->handles_mutex);
  return start;
}

bool client_host_register(void *start, size_t bytes) {
  struct client *client = client_state();
  struct client_host *host = calloc(1, sizeof *host);
  if (!host) return false;
  *host = (struct client_host){.start = start, .bytes = bytes};
  bool overlaps = false;
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_host *other = client->hosts; other && !overlaps; other = other->next)
    overlaps =
        (char *)start < (char *)other->start + other->bytes && (char *)other->start < (char *)start + bytes;
  if (!overlaps) add(client, host);
  pthread_mutex_unlock(&client->handles_mutex);
  if (overlaps) free(host);
  return !overlaps;
}

bool client_host_release(void *start, bool allocated) {
  struct client *client = client_state();
  struct client_host *found = NULL;
  pthread_mutex_lock(&client->handles_mutex);
  for (struct client_host **link = &client->hosts; *link; link = &(*link)->next) {
    if ((*link)->start != start || (*link)->allocated != allocated) continue;
    found = *link;
    *link = found->next;
    break;
  }
  pthread_mutex_unlock(&client->handles_mutex);
  if (found && allocated) free(found->start);
  free(found);
  return found != NULL;
}

bool client_host_find(const void *pointer, struct client_host *copy) {
  struct client *client = client_state();
  bool found = false;
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_host *host = client->hosts; host && !found; host = host->next) {
    found = (const char *)pointer >= (char *)host->start &&
            (const char *)pointer < (char *)host->start + host->bytes;
    if (found) *copy = *host;
  }
  pthread_mutex_unlock(&client->handles_mutex);
  return found;
}
