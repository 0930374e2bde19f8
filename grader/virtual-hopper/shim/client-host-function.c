// Host functions in a stream. In: the program's functions. Out: calls of them, and notes of what a copy in
// another stream has read too early. One idea: on a GPU such a function runs some time after its call. So
// where it may matter it runs late here: at the program's next call, or, should the program wait for it by
// means of its own, after a moment. If the next call copies page-locked memory to the device in another
// stream, the program cannot have waited: what the function then changes there was not ordered.
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAST_DEFAULT_STREAM = 2, MOMENT_MS = 100, MOST_BYTES = 64 << 20 };

// The caller holds functions_mutex. The function makes no call of CUDA (CUDA Runtime API,
// cudaLaunchHostFunc).
static void run_pending(struct client *client) {
  const struct client_host_function f = client->host_function;
  client->host_function.function = NULL;
  atomic_store(&client->host_function_waits, false);
  if (f.function) f.function(f.data);
}

void client_host_function_end(void) {
  struct client *client = client_state();
  if (!atomic_load(&client->host_function_waits)) return;
  pthread_mutex_lock(&client->functions_mutex);
  run_pending(client);
  pthread_mutex_unlock(&client->functions_mutex);
}

// The program has made no call since: it waits for the function, so those to come needn't be late.
static void *run_after_a_moment(void *number) {
  struct client *client = client_state();
  const struct timespec moment = {0, MOMENT_MS * 1000000L};
  (void)nanosleep(&moment, NULL);
  pthread_mutex_lock(&client->functions_mutex);
  if (client->host_function.function && client->host_function.number == (uintptr_t)number) {
    client->awaits_host_functions = true;
    run_pending(client);
  }
  pthread_mutex_unlock(&client->functions_mutex);
  return NULL;
}

static bool begin_moment(uint64_t number) {
  pthread_attr_t detached;
  pthread_t thread;
  if (pthread_attr_init(&detached) != 0) return false;
  const bool begun = pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0 &&
                     pthread_create(&thread, &detached, run_after_a_moment, (void *)(uintptr_t)number) == 0;
  (void)pthread_attr_destroy(&detached);
  return begun;
}

// Page-locked memory, and a stream that copies in another one don't wait for.
static bool may_matter(struct client *client, uint32_t stream) {
  pthread_mutex_lock(&client->handles_mutex);
  const bool any = client->hosts && client->streams && client->streams->next;
  pthread_mutex_unlock(&client->handles_mutex);
  return any && stream > LAST_DEFAULT_STREAM && stream < PROTOCOL_GRAPH && !client->awaits_host_functions;
}

void client_host_function(void (*function)(void *), void *data, uint32_t stream) {
  struct client *client = client_state();
  client_launches_end();
  client_settle();
  client_order(PROTOCOL_ORDER_HOST_STREAM, stream, 0, 0); // all that comes before the function is done
  client_guards_check();
  const bool is_late = may_matter(client, stream);
  pthread_mutex_lock(&client->functions_mutex);
  client->host_function = (struct client_host_function){function, data, stream, ++client->host_functions};
  if (is_late && begin_moment(client->host_functions))
    atomic_store(&client->host_function_waits, true);
  else
    run_pending(client);
  pthread_mutex_unlock(&client->functions_mutex);
}

static size_t bytes_of(const struct client_rows *rows) {
  return rows->rows && rows->width && rows->pitch < MOST_BYTES && rows->rows < MOST_BYTES
             ? (rows->rows - 1) * rows->pitch + rows->width
             : 0;
}

// Of the bytes that the copy reads, the first that differs from what was there; NULL: none does.
static const char *first_changed(const struct client_rows *rows, const char *before) {
  const char *base = rows->base;
  for (size_t row = 0; row < rows->rows; row++) {
    const size_t at = row * rows->pitch;
    for (size_t i = at; memcmp(base + at, before + at, rows->width) != 0 && i < at + rows->width; i++)
      if (base[i] != before[i]) return base + i;
  }
  return NULL;
}

static char *copy_of(const struct client_rows *rows, size_t bytes) {
  char *copy = malloc(bytes);
  if (copy) memcpy(copy, rows->base, bytes);
  return copy;
}

void client_host_function_meets(const struct client_rows *from, uint32_t stream) {
  struct client *client = client_state();
  struct client_host host;
  if (!atomic_load(&client->host_function_waits)) return;
  const size_t bytes = bytes_of(from);
  const bool is_locked = bytes && bytes <= MOST_BYTES && client_host_find(from->base, &host);
  const char *changed = NULL;
  client_guards_lend(from);
  pthread_mutex_lock(&client->functions_mutex);
  const uint32_t other = client->host_function.function ? client->host_function.stream : stream;
  char *before = is_locked && other != stream && stream > LAST_DEFAULT_STREAM ? copy_of(from, bytes) : NULL;
  run_pending(client);
  if (before) changed = first_changed(from, before);
  pthread_mutex_unlock(&client->functions_mutex);
  client_guards_return(from);
  if (changed) client_order(PROTOCOL_ORDER_HOST_FUNCTION, stream, (uint64_t)(uintptr_t)changed, other);
  free(before);
}
