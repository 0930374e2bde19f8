// Pageable memory that a copy to the device reads while host functions have not ended. Such a copy reads its
// source when it is called, whatever comes before it in its stream. In: sources of copies. Out: which of
// their bytes a function has changed. One idea: the bytes are kept as the copy has read them.
// What no longer holds them when a function begins, or has been given back, is nobody's source any more.
#include "virtual-hopper/shim/client-probe.h"
#include "virtual-hopper/shim/client.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_SOURCE_BYTES = 1 << 20, PIECE = 4096 };

// The caller holds the guards' lock, here and below where it says nothing else.
static void drop(struct client *client, uint32_t at) {
  client->sources[at].start = NULL;
  atomic_fetch_sub(&client->source_count, 1);
}

static bool meets(const struct client_source *s, const char *start, size_t bytes) {
  return s->start && s->start < start + bytes && start < s->start + s->bytes;
}

void client_source_gone(const void *block) {
  struct client *client = client_state();
  if (!block || !atomic_load(&client->source_count)) return;
  const size_t bytes = malloc_usable_size((void *)(uintptr_t)block);
  const sigset_t signals = client_guards_lock(client);
  for (uint32_t i = 0; i < CLIENT_SOURCES; i++)
    if (meets(&client->sources[i], block, bytes)) drop(client, i);
  client_guards_unlock(client, &signals);
}

// ---- copies -----------------------------------------------------------------------------------------------

static bool is_on_own_stack(const char *at) {
  pthread_attr_t attributes;
  void *low = NULL;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return true;
  (void)pthread_attr_getstack(&attributes, &low, &bytes);
  (void)pthread_attr_destroy(&attributes);
  return (const char *)low <= at && at < (const char *)low + bytes;
}

// Buffers live as long as the process: at most CLIENT_SOURCES.
static struct client_source *find_room(struct client *client) {
  for (uint32_t i = 0; i < CLIENT_SOURCES; i++) {
    struct client_source *s = &client->sources[i];
    if (s->start) continue;
    if (!s->before) s->before = malloc(MOST_SOURCE_BYTES);
    return s->before ? s : NULL;
  }
  return NULL;
}

const void *client_source(const void *start, size_t bytes, uint32_t stream) {
  struct client *client = client_state();
  if (!atomic_load(&client->functions_wait)) {
    client_sources_forget(client);
    return NULL;
  }
  if (bytes > MOST_SOURCE_BYTES || !client_guards_watch_faults(client) || !atomic_load(&client->hears_frees))
    return NULL;
  client_probe_functions(0, start, bytes, false);
  if (!client_order_ask(PROTOCOL_ORDER_SOURCE, stream, (uint64_t)(uintptr_t)start, bytes)) return NULL;
  const int thread = is_on_own_stack(start) ? (int)syscall(SYS_gettid) : 0;
  const void *kept = NULL;
  const sigset_t signals = client_guards_lock(client);
  struct client_source *s = find_room(client);
  if (s) {
    kept = memcpy(s->before, start, bytes);
    s->start = start;
    s->bytes = bytes;
    s->thread = thread;
    atomic_fetch_add(&client->source_count, 1);
  }
  client_guards_unlock(client, &signals);
  return kept;
}

void client_sources_forget(struct client *client) {
  if (!atomic_load(&client->source_count)) return;
  const sigset_t signals = client_guards_lock(client);
  for (uint32_t i = 0; i < CLIENT_SOURCES; i++)
    if (client->sources[i].start) drop(client, i);
  client_guards_unlock(client, &signals);
}

// ---- functions --------------------------------------------------------------------------------------------

// The memory may be gone: a pipe takes what is there, and fails at what is not.
static bool still_holds(const int *pipe, const struct client_source *s) {
  char now[PIECE];
  for (size_t at = 0; at < s->bytes; at += PIECE) {
    const size_t bytes = s->bytes - at < PIECE ? s->bytes - at : PIECE;
    if (write(pipe[1], s->start + at, bytes) != (ssize_t)bytes ||
        read(pipe[0], now, bytes) != (ssize_t)bytes || memcmp(now, s->before + at, bytes) != 0)
      return false;
  }
  return true;
}

// What lies above a function's frame belongs to functions that have not returned.
static bool may_be_alive(const struct client_source *s, int thread, const char *frame) {
  return !s->thread || (s->thread == thread && s->start > frame);
}

void client_sources_begin(struct client *client, int thread, const char *frame) {
  int ends[2];
  if (!atomic_load(&client->source_count)) return;
  const bool can_look = pipe2(ends, O_CLOEXEC) == 0;
  const sigset_t signals = client_guards_lock(client);
  for (uint32_t i = 0; i < CLIENT_SOURCES; i++) {
    const struct client_source *s = &client->sources[i];
    if (s->start && (!can_look || !may_be_alive(s, thread, frame) || !still_holds(ends, s))) drop(client, i);
  }
  client_guards_unlock(client, &signals);
  if (!can_look) return;
  close(ends[0]);
  close(ends[1]);
}

bool client_sources_next_change(struct client *client, struct client_watched *change) {
  bool found = false;
  const sigset_t signals = client_guards_lock(client);
  for (uint32_t i = 0; i < CLIENT_SOURCES && !found; i++) {
    const struct client_source *s = &client->sources[i];
    size_t from = 0;
    if (!s->start) continue;
    while (from < s->bytes && s->start[from] == s->before[from])
      from++;
    size_t past = from;
    while (past < s->bytes && s->start[past] != s->before[past])
      past++;
    found = past > from;
    if (!found) continue;
    *change = (struct client_watched){(char *)(uintptr_t)s->start + from, past - from};
    drop(client, i); // the first change in each is enough
  }
  client_guards_unlock(client, &signals);
  return found;
}
