// Managed memory: one address for host and device. In: sizes and pointers; out: CUDA errors.
// The host's copy lies at the device's address. Between launches the host's copy is the valid one. A launch
// copies all managed memory to the device and back. So the host must not access managed memory while a kernel
// runs. That rule holds on every GPU without concurrent managed access.
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { HOST_PAGE = 4096 };

struct client_managed {
  struct client_managed *next;
  char *start;
  size_t bytes;
};

static int mark(uint64_t address) {
  struct protocol_free body = {address};
  struct client_request request = {.operation = PROTOCOL_MANAGED, .body = &body, .body_bytes = sizeof body};
  return client_call(&request);
}

// Maps the host's copy at the device's address, and keeps its record.
static int map_copy(uint64_t address, size_t bytes) {
  struct client *client = client_state();
  struct client_managed *managed = calloc(1, sizeof *managed);
  if (!managed) return ERROR_MEMORY_ALLOCATION;
  void *wanted = (void *)(uintptr_t)address;
  void *start = address % HOST_PAGE ? MAP_FAILED
                                    : mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (start != wanted) {
    if (start != MAP_FAILED) munmap(start, bytes);
    client_complain(
        "managed memory: the host has something else at the device's address %p; run the program again",
        wanted);
    return free(managed), ERROR_MEMORY_ALLOCATION;
  }
  *managed = (struct client_managed){.start = start, .bytes = bytes};
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
  status = map_copy(address, bytes);
  if (status) return (void)client_free(address, 0), status;
  (void)mark(address);
  *pointer = (void *)(uintptr_t)address;
  return 0;
}

int client_managed_variable(struct client_module *module, const char *name, void **pointer) {
  struct protocol_location location = {0};
  int status = client_variable(module, name, &location);
  if (!status) status = map_copy(location.base, location.bytes);
  if (status) return status;
  (void)mark(location.base);
  *pointer = (void *)(uintptr_t)location.base;
  struct client_rows rows = {*pointer, location.bytes, location.bytes, 1};
  return client_read(&rows, location.base, location.bytes, CLIENT_BESIDE);
}

bool client_managed_free(void *pointer, int *status) {
  struct client *client = client_state();
  struct client_managed *found = NULL;
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

void client_managed_guard(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_managed *one = client->managed; one; one = one->next)
    client_guard_managed(one->start, one->bytes);
  pthread_mutex_unlock(&client->handles_mutex);
}

static int carry_all(bool to_device) {
  struct client *client = client_state();
  int status = 0;
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_managed *one = client->managed; one && !status; one = one->next) {
    struct client_rows rows = {one->start, one->bytes, one->bytes, 1};
    uint64_t address = (uint64_t)(uintptr_t)one->start;
    status = to_device ? client_write(address, one->bytes, &rows, CLIENT_BESIDE)
                       : client_read(&rows, address, one->bytes, CLIENT_BESIDE);
  }
  pthread_mutex_unlock(&client->handles_mutex);
  return status;
}

int client_managed_to_device(void) {
  return carry_all(true);
}

int client_managed_to_host(void) {
  return carry_all(false);
}
