// Managed memory: one address for host and device. In: sizes and pointers; out: CUDA errors.
// The host's copy lies at the device's address. Between launches the host's copy is the valid one. A launch
// copies all managed memory to the device, and back what the kernel has changed: other threads of the host
// may write what the kernel doesn't. A kernel does not see what the host writes while it runs.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HOST_PAGE = 4096, PIECE = 1 << 20 }; // PIECE: bytes that are carried back at a time

struct client_managed {
  struct client_managed *next;
  char *start;
  size_t bytes;
  char *before; // what the launch under way was given; NULL: no launch was given this memory
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
  free(found->before);
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
    free(gone->before);
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

void client_managed_guard(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->managed_mutex);
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_managed *one = client->managed; one; one = one->next)
    client_guard_managed(one->start, one->bytes);
  pthread_mutex_unlock(&client->handles_mutex);
  pthread_mutex_unlock(&client->managed_mutex);
}

// After this library's own accesses: a kept call may hold the memory closed.
static void close_own(const struct client_rows *rows) {
  struct client *client = client_state();
  client_guards_return(rows);
  const sigset_t signals = client_guards_lock(client);
  client_early_renew(client);
  client_guards_unlock(client, &signals);
}

// What the device gets is what `before` keeps: the host's other threads may go on writing.
static int carry_to_device(struct client_managed *one) {
  if (!one->before) one->before = malloc(one->bytes);
  if (!one->before) return ERROR_MEMORY_ALLOCATION;
  const struct client_rows own = {one->start, one->bytes, one->bytes, 1};
  client_guards_lend(&own);
  memcpy(one->before, one->start, one->bytes);
  close_own(&own);
  const struct client_rows rows = {one->before, one->bytes, one->bytes, 1};
  return client_write((uint64_t)(uintptr_t)one->start, one->bytes, &rows, CLIENT_BESIDE);
}

static void copy_changed(char *to, const char *now, const char *before, size_t bytes) {
  for (size_t page = 0; page < bytes; page += HOST_PAGE) {
    const size_t past = bytes - page < HOST_PAGE ? bytes : page + HOST_PAGE;
    if (memcmp(now + page, before + page, past - page) == 0) continue;
    for (size_t i = page; i < past; i++)
      if (now[i] != before[i]) to[i] = now[i];
  }
}

static int carry_to_host(const struct client_managed *one, char *piece) {
  int status = 0;
  for (size_t at = 0; at < one->bytes && !status; at += PIECE) {
    const size_t bytes = one->bytes - at < PIECE ? one->bytes - at : PIECE;
    struct client_rows rows = {piece, bytes, bytes, 1};
    const struct client_rows own = {one->start + at, bytes, bytes, 1};
    status = client_read(&rows, (uint64_t)(uintptr_t)one->start + at, bytes, CLIENT_BESIDE);
    if (status) return status;
    client_guards_lend(&own);
    copy_changed(one->start + at, piece, one->before + at, bytes);
    close_own(&own);
  }
  return status;
}

int client_managed_begin(void) {
  struct client *client = client_state();
  int status = 0;
  pthread_mutex_lock(&client->managed_mutex);
  pthread_mutex_lock(&client->handles_mutex);
  for (struct client_managed *one = client->managed; one && !status; one = one->next)
    status = carry_to_device(one);
  pthread_mutex_unlock(&client->handles_mutex);
  return status;
}

int client_managed_end(bool ran) {
  struct client *client = client_state();
  int status = 0;
  pthread_mutex_lock(&client->handles_mutex);
  char *piece = ran && client->managed ? malloc(PIECE) : NULL;
  if (ran && client->managed && !piece) status = ERROR_MEMORY_ALLOCATION;
  for (const struct client_managed *one = client->managed; piece && one && !status; one = one->next)
    if (one->before) status = carry_to_host(one, piece);
  free(piece);
  pthread_mutex_unlock(&client->handles_mutex);
  pthread_mutex_unlock(&client->managed_mutex);
  return status;
}
