// Managed memory: one address for host and device. In: sizes and pointers; out: CUDA errors.
// One idea: the device gives each allocation pages of a file, and the host maps them at the device's address.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HOST_PAGE = 4096 };

struct client_managed {
  struct client_managed *next;
  char *start;
  size_t bytes;
};

// The file of the device's pages; -1: it has none to give.
static int share(uint64_t address) {
  struct protocol_free body = {address};
  int file = -1;
  struct client_request request = {
      .operation = PROTOCOL_MANAGED, .body = &body, .body_bytes = sizeof body, .file = &file};
  return client_call(&request) ? -1 : file;
}

static bool map_at(void *wanted, size_t bytes, int file) {
  const int how = MAP_SHARED | MAP_FIXED_NOREPLACE;
  void *start =
      (uintptr_t)wanted % HOST_PAGE ? MAP_FAILED : mmap(wanted, bytes, PROT_READ | PROT_WRITE, how, file, 0);
  if (start == wanted) return true;
  if (start != MAP_FAILED) munmap(start, bytes);
  client_complain(
      "managed memory: the host has something else at the device's address %p; run the program again",
      wanted);
  return false;
}

// Maps the device's pages at their address, and keeps the record.
static int map_pages(uint64_t address, size_t bytes) {
  struct client *client = client_state();
  struct client_managed *managed = calloc(1, sizeof *managed);
  if (!managed) return ERROR_MEMORY_ALLOCATION;
  *managed = (struct client_managed){.start = (char *)(uintptr_t)address, .bytes = bytes};
  const int file = share(address);
  const bool mapped = file >= 0 && map_at(managed->start, bytes, file);
  if (file >= 0) close(file);
  if (!mapped) return free(managed), ERROR_MEMORY_ALLOCATION;
  pthread_mutex_lock(&client->handles_mutex);
  managed->next = client->managed;
  client->managed = managed;
  pthread_mutex_unlock(&client->handles_mutex);
  return 0;
}

int client_managed_allocate(void **pointer, size_t bytes) {
  uint64_t address = 0;
  int status = client_allocate(&address, bytes, 0);
  if (status) return status;
  status = map_pages(address, bytes);
  if (status) return (void)client_free(address, 0), status;
  *pointer = (void *)(uintptr_t)address;
  return 0;
}

int client_managed_variable(struct client_module *module, const char *name, void **pointer) {
  struct protocol_location location = {0};
  int status = client_variable(module, name, &location);
  if (!status) status = map_pages(location.base, location.bytes);
  if (!status) *pointer = (void *)(uintptr_t)location.base;
  return status;
}

bool client_managed_free(void *pointer, int *status) {
  struct client *client = client_state();
  struct client_managed *found = NULL;
  client_functions_all();
  pthread_mutex_lock(&client->handles_mutex);
  for (struct client_managed **link = &client->managed; *link; link = &(*link)->next) {
    if ((*link)->start != pointer) continue;
    found = *link;
    *link = found->next;
    break;
  }
  pthread_mutex_unlock(&client->handles_mutex);
  if (!found) return false;
  client_guards_open(found->start, found->bytes);
  munmap(found->start, found->bytes);
  *status = client_free((uint64_t)(uintptr_t)found->start, 0);
  free(found);
  return true;
}

void client_managed_forget(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->handles_mutex);
  while (client->managed) {
    struct client_managed *gone = client->managed;
    client->managed = gone->next;
    client_guards_open(gone->start, gone->bytes);
    munmap(gone->start, gone->bytes);
    free(gone);
  }
  pthread_mutex_unlock(&client->handles_mutex);
}

bool client_is_managed(const void *pointer) {
  struct client *client = client_state();
  bool found = false;
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_managed *one = client->managed; one && !found; one = one->next)
    found = (const char *)pointer >= one->start && (const char *)pointer < one->start + one->bytes;
  pthread_mutex_unlock(&client->handles_mutex);
  return found;
}

bool client_has_managed(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->handles_mutex);
  bool has = client->managed != NULL;
  pthread_mutex_unlock(&client->handles_mutex);
  return has;
}

uint32_t client_managed_list(const struct client *client, struct client_watched *regions, size_t *spans,
                             uint32_t count) {
  for (const struct client_managed *one = client->managed; one && count < CLIENT_WATCHED; one = one->next) {
    regions[count] = (struct client_watched){one->start, one->bytes};
    spans[count++] = (one->bytes + HOST_PAGE - 1) / HOST_PAGE * HOST_PAGE;
  }
  return count;
}

bool client_managed_find(const void *pointer, struct client_host *as_host) {
  struct client *client = client_state();
  bool found = false;
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_managed *one = client->managed; one && !found; one = one->next) {
    found = one->start <= (const char *)pointer && (const char *)pointer < one->start + one->bytes;
    if (found)
      *as_host = (struct client_host){.start = one->start,
                                      .bytes = one->bytes,
                                      .span = (one->bytes + HOST_PAGE - 1) / HOST_PAGE * HOST_PAGE,
                                      .allocated = true};
  }
  pthread_mutex_unlock(&client->handles_mutex);
  return found;
}

void client_managed_guard(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->managed_mutex);
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_managed *one = client->managed; one; one = one->next)
    client_guard_managed(one->start, one->bytes);
  pthread_mutex_unlock(&client->handles_mutex);
  pthread_mutex_unlock(&client->managed_mutex);
}
