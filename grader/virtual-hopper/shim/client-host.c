// Page-locked host memory. In: memory that the program allocates or registers; out: the same memory, at the
// same address, which kernels reach as well. One idea: the device's process makes a file in memory, and both
// processes map it. The program's pages are copied to the file and then replaced by it.
#include "virtual-hopper/shim/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HOST_PAGE = 4096, PLACES_TO_TRY = 16 };

static void *pointer_to(uint64_t address) {
  return (void *)(uintptr_t)address;
}

// ---- the device's side ------------------------------------------------------------------------------------

static int pin(const void *start, size_t bytes, struct protocol_location *pages, int *file) {
  struct protocol_pin body = {(uint64_t)(uintptr_t)start, bytes};
  struct client_request request = {.operation = PROTOCOL_PIN,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .answer = pages,
                                   .answer_bytes = sizeof *pages,
                                   .file = file};
  int status = client_call(&request);
  if (!status && *file < 0) status = ERROR_MEMORY_ALLOCATION; // this process has too many files open
  return status;
}

static int unpin(const void *start) {
  struct protocol_free body = {(uint64_t)(uintptr_t)start};
  struct client_request request = {.operation = PROTOCOL_UNPIN, .body = &body, .body_bytes = sizeof body};
  return client_call(&request);
}

// ---- pages ------------------------------------------------------------------------------------------------

struct replacement {
  const struct protocol_location *pages;
  int file;
  bool keep; // what the pages hold
  bool done;
};

static void *replace_pages(void *context) {
  struct replacement *r = context;
  const size_t bytes = r->pages->bytes;
  void *there = pointer_to(r->pages->base);
  const int protection = PROT_READ | PROT_WRITE;
  if (r->keep) {
    void *copy = mmap(NULL, bytes, protection, MAP_SHARED, r->file, 0);
    if (copy == MAP_FAILED) return NULL;
    memcpy(copy, there, bytes);
    r->done = mmap(there, bytes, protection, MAP_SHARED | MAP_FIXED, r->file, 0) == there;
    munmap(copy, bytes);
  } else {
    r->done = mmap(there, bytes, protection, MAP_SHARED | MAP_FIXED, r->file, 0) == there;
  }
  return NULL;
}

// Pages of this thread's stack would change between the copy and the replacement. Another thread replaces
// them, while this one waits.
static bool map_file(const struct protocol_location *pages, int file, bool keep) {
  struct replacement r = {.pages = pages, .file = file, .keep = keep};
  pthread_t thread;
  if ((uint64_t)(uintptr_t)&r - pages->base >= pages->bytes)
    (void)replace_pages(&r);
  else if (pthread_create(&thread, NULL, replace_pages, &r) == 0)
    pthread_join(thread, NULL);
  return r.done;
}

static bool map_again(struct client_host *host, const struct protocol_location *pages, int file) {
  void *again = mmap(NULL, pages->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (again == MAP_FAILED) return false;
  host->mapped = again;
  host->mapped_bytes = pages->bytes;
  host->again = (char *)again + ((uint64_t)(uintptr_t)host->start - pages->base);
  return true;
}

static void forget(struct client_host *host) {
  if (host->mapped) munmap(host->mapped, host->mapped_bytes);
  if (host->allocated) munmap(host->start, host->span);
  free(host);
}

// ---- the list ---------------------------------------------------------------------------------------------

static bool overlap(const struct client_host *a, const struct client_host *b) {
  return (char *)a->start < (char *)b->start + b->bytes && (char *)b->start < (char *)a->start + a->bytes;
}

// Returns false, and adds nothing, when a part of the memory is page-locked already.
static bool add(struct client *client, struct client_host *host) {
  bool free_place = true;
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_host *other = client->hosts; other && free_place; other = other->next)
    free_place = !overlap(host, other);
  if (free_place) {
    host->next = client->hosts;
    client->hosts = host;
  }
  pthread_mutex_unlock(&client->handles_mutex);
  return free_place;
}

// `allocated`: allocated memory, else registered memory. NULL: no such memory begins at `start`.
static struct client_host *take_out(struct client *client, const void *start, bool allocated) {
  struct client_host *found = NULL;
  pthread_mutex_lock(&client->handles_mutex);
  for (struct client_host **link = &client->hosts; *link && !found;) {
    if ((*link)->start == start && (*link)->allocated == allocated) {
      found = *link;
      *link = found->next;
    } else {
      link = &(*link)->next;
    }
  }
  pthread_mutex_unlock(&client->handles_mutex);
  return found;
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

bool client_has_hosts(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->handles_mutex);
  bool has = client->hosts != NULL;
  pthread_mutex_unlock(&client->handles_mutex);
  return has;
}

// ---- memory that this library allocates -------------------------------------------------------------------

// Reserves addresses at which the device has nothing else, and makes them page-locked.
static int pin_new(struct client_host *host, size_t span, int *file) {
  void *tried[PLACES_TO_TRY];
  struct protocol_location pages = {0};
  int count = 0, status = ERROR_INVALID_VALUE;
  while (status == ERROR_INVALID_VALUE && count < PLACES_TO_TRY) {
    void *place =
        mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) {
      status = ERROR_MEMORY_ALLOCATION;
      break;
    }
    tried[count++] = host->start = place;
    status = pin(place, host->bytes, &pages, file);
  }
  if (!status && !(map_file(&pages, *file, false) && map_again(host, &pages, *file))) {
    (void)unpin(host->start);
    status = ERROR_MEMORY_ALLOCATION;
  }
  for (int i = 0; i < count; i++) // the last one is kept
    if (status || tried[i] != host->start) munmap(tried[i], span);
  return status;
}

int client_host_allocate(void **start, size_t bytes, unsigned flags) {
  struct client *client = client_state();
  size_t span;
  if (__builtin_add_overflow(bytes, HOST_PAGE - 1, &span)) return ERROR_MEMORY_ALLOCATION;
  span = span / HOST_PAGE * HOST_PAGE;
  struct client_host *host = calloc(1, sizeof *host);
  if (!host) return ERROR_MEMORY_ALLOCATION;
  *host = (struct client_host){.bytes = bytes, .span = span, .flags = flags, .allocated = true};
  int file = -1, status = pin_new(host, span, &file);
  if (file >= 0) close(file);
  if (!status && add(client, host)) {
    *start = host->start;
    return 0;
  }
  free(host);
  return status ? status : ERROR_MEMORY_ALLOCATION;
}

int client_host_free(void *start) {
  client_functions_all();
  struct client_host *host = take_out(client_state(), start, true);
  if (!host) return ERROR_INVALID_VALUE;
  client_guards_open(start, host->span);
  int status = unpin(start);
  forget(host);
  return status;
}

// ---- memory that the program registers --------------------------------------------------------------------

// Memory that is shared with a file or with another process would no longer be so.
static bool is_shared(uint64_t low, uint64_t high) {
  char line[512], permissions[8];
  bool shared = false;
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && !shared && fgets(line, sizeof line, maps)) {
    unsigned long long from, to;
    if (sscanf(line, "%llx-%llx %7s", &from, &to, permissions) != 3) continue;
    shared = from < high && low < to && permissions[3] == 's' && !strstr(line, "/memfd:page-locked");
  }
  if (maps) fclose(maps);
  return shared;
}

int client_host_register(void *start, size_t bytes, unsigned flags) {
  struct client *client = client_state();
  const uint64_t low = (uint64_t)(uintptr_t)start / HOST_PAGE * HOST_PAGE;
  const uint64_t end = (uint64_t)(uintptr_t)start + bytes,
                 high = (end + HOST_PAGE - 1) / HOST_PAGE * HOST_PAGE;
  if (end < low || high < end || msync(pointer_to(low), high - low, MS_ASYNC) != 0)
    return ERROR_INVALID_VALUE; // the program has no memory there
  if (is_shared(low, high))
    return client_unsupported("cudaHostRegister of memory shared with a file or another process");
  struct client_host *host = calloc(1, sizeof *host);
  if (!host) return ERROR_MEMORY_ALLOCATION;
  *host = (struct client_host){.start = start, .bytes = bytes, .flags = flags};
  if (!add(client, host)) return free(host), ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  struct protocol_location pages = {0};
  int file = -1, status = pin(start, bytes, &pages, &file);
  if (!status && !(map_file(&pages, file, true) && map_again(host, &pages, file))) {
    (void)unpin(start);
    status = ERROR_MEMORY_ALLOCATION;
  }
  if (file >= 0) close(file);
  if (status) free(take_out(client, start, false));
  return status;
}

// The program's pages stay those of the file: nobody else maps them now.
int client_host_unregister(void *start) {
  client_functions_all();
  struct client_host *host = take_out(client_state(), start, false);
  if (!host) return ERROR_HOST_MEMORY_NOT_REGISTERED;
  client_guards_open(start, host->bytes);
  forget(host);
  return unpin(start);
}

void client_hosts_forget(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->handles_mutex);
  struct client_host *hosts = client->hosts;
  client->hosts = NULL;
  pthread_mutex_unlock(&client->handles_mutex);
  while (hosts) {
    struct client_host *gone = hosts;
    hosts = gone->next;
    client_guards_open(gone->start, gone->bytes);
    forget(gone);
  }
}
