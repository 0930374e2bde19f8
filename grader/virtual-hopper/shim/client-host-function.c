// Host functions in a stream. In: the program's functions. Out: calls of them, and notes of what they have
// changed of page-locked memory. One idea: on a GPU such a function runs some time after its call. So where
// it may matter it runs late here: when something that the streams order behind it needs it, when the host
// waits for it, or, should the program wait for it by means of its own, after a moment. Whatever the program
// puts into other streams until then has not waited for it.
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOMENT_MS = 100, PAGE = 4096, MOST_BYTES = 16 << 20, MOST_RANGES = 16, MOST_CHANGES = 4 };

struct range { // of page-locked memory, as it was
  const char *start;
  size_t bytes;
  char *before;
};
struct change {
  const char *start;
  size_t bytes;
};
struct changes {
  struct range ranges[MOST_RANGES];
  struct change list[MOST_CHANGES];
  int range_count, count;
};

// This thread runs a host function, or the operation that it is in does not wait for the one that is to run.
static _Thread_local bool runs, leaves;

// ---- what a function changes ------------------------------------------------------------------------------

// `handles_mutex` may be held already, by whoever has called us: then nothing is looked at.
static void find_ranges(struct client *client, struct changes *c) {
  size_t bytes = 0;
  if (pthread_mutex_trylock(&client->handles_mutex) != 0) return;
  for (const struct client_host *h = client->hosts; h && c->range_count < MOST_RANGES; h = h->next) {
    bytes += h->bytes;
    if (bytes > MOST_BYTES) break;
    c->ranges[c->range_count++] = (struct range){.start = h->start, .bytes = h->bytes};
  }
  pthread_mutex_unlock(&client->handles_mutex);
}

static void look_before(struct client *client, struct changes *c) {
  find_ranges(client, c);
  for (int i = 0; i < c->range_count; i++) {
    struct range *r = &c->ranges[i];
    r->before = malloc(r->bytes);
    if (r->before) client_guards_look(r->before, r->start, r->bytes);
  }
}

static void add_byte(struct changes *c, const char *at) {
  struct change *last = c->count ? &c->list[c->count - 1] : NULL;
  if (last && last->start + last->bytes == at)
    last->bytes++;
  else if (c->count < MOST_CHANGES)
    c->list[c->count++] = (struct change){at, 1};
}

static void look_after(struct changes *c) {
  char now[PAGE];
  for (int i = 0; i < c->range_count; i++) {
    const struct range *r = &c->ranges[i];
    for (size_t at = 0; r->before && at < r->bytes; at += PAGE) {
      const size_t bytes = r->bytes - at < PAGE ? r->bytes - at : PAGE;
      client_guards_look(now, r->start + at, bytes);
      if (memcmp(now, r->before + at, bytes) == 0) continue;
      for (size_t k = 0; k < bytes; k++)
        if (now[k] != r->before[at + k]) add_byte(c, r->start + at + k);
    }
    free(r->before);
  }
}

// ---- calls ------------------------------------------------------------------------------------------------

// The caller holds functions_mutex. The function makes no call of CUDA (CUDA Runtime API,
// cudaLaunchHostFunc). Afterwards the host counts as having waited for it, unless the caller says so later.
static void run_pending(struct client *client, struct changes *changes, bool is_seen) {
  const struct client_host_function f = client->host_function;
  client->host_function.function = NULL;
  if (!f.function) return;
  runs = true;
  if (f.operation) {
    client_order(PROTOCOL_ORDER_FUNCTION_RUNS, f.stream, f.operation, 0);
    if (client_is_busy())
      client_guards_open_all(); // a request would wait for the launch, which may wait for the function
    else
      (void)client_guards_open_seen();
    look_before(client, changes);
  }
  f.function(f.data);
  look_after(changes);
  for (int i = 0; i < changes->count; i++)
    client_order(PROTOCOL_ORDER_FUNCTION_WRITES, f.stream, (uint64_t)(uintptr_t)changes->list[i].start,
                 changes->list[i].bytes);
  if (f.operation && is_seen) client_order(PROTOCOL_ORDER_HOST_STREAM, f.stream, 0, 0);
  atomic_store(&client->host_function_waits, false);
  runs = false;
}

// Something waits for the function.
static void finish(void) {
  struct client *client = client_state();
  struct changes changes = {0};
  if (!atomic_load(&client->host_function_waits) || runs) return;
  pthread_mutex_lock(&client->functions_mutex);
  run_pending(client, &changes, true);
  pthread_mutex_unlock(&client->functions_mutex);
}

// It may run already, in another thread, and wait for this one.
void client_host_function_end(void) {
  struct client *client = client_state();
  struct changes changes = {0};
  if (!atomic_load(&client->host_function_waits) || runs || leaves) return;
  if (pthread_mutex_trylock(&client->functions_mutex) != 0) return;
  run_pending(client, &changes, true);
  pthread_mutex_unlock(&client->functions_mutex);
}

// The program has not waited by means of ours: it may do so by means of its own, so those to come needn't be
// late.
static void *run_after_a_moment(void *number) {
  struct client *client = client_state();
  struct changes changes = {0};
  const struct timespec moment = {0, MOMENT_MS * 1000000L};
  (void)nanosleep(&moment, NULL);
  pthread_mutex_lock(&client->functions_mutex);
  if (client->host_function.function && client->host_function.number == (uintptr_t)number) {
    client->awaits_host_functions = true;
    run_pending(client, &changes, true);
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

// Page-locked memory, and a stream beside the default one. Managed memory is the host's only while nothing
// runs: then there is nothing to be late for.
static bool may_matter(struct client *client, uint32_t stream) {
  pthread_mutex_lock(&client->handles_mutex);
  const bool any = client->hosts && client->streams;
  pthread_mutex_unlock(&client->handles_mutex);
  return any && stream && stream < PROTOCOL_GRAPH && !client->awaits_host_functions && !client_has_managed();
}

void client_host_function(void (*function)(void *), void *data, uint32_t stream) {
  struct client *client = client_state();
  struct changes none = {0};
  client_host_function_end();
  client_launches_end();
  client_settle();
  const bool is_late = may_matter(client, stream);
  const uint64_t operation = is_late ? client_order_ask(PROTOCOL_ORDER_FUNCTION, stream, 0, 0) : 0;
  if (!operation) {
    client_order(PROTOCOL_ORDER_HOST_STREAM, stream, 0, 0); // all that comes before the function is done
    client_guards_check();
  }
  pthread_mutex_lock(&client->functions_mutex);
  client->host_function =
      (struct client_host_function){function, data, stream, ++client->host_functions, operation};
  atomic_store(&client->host_function_waits, operation != 0);
  if (!operation || !begin_moment(client->host_functions)) run_pending(client, &none, true);
  pthread_mutex_unlock(&client->functions_mutex);
}

// ---- what meets them --------------------------------------------------------------------------------------

// The function that is to run, if there is one. One that runs in another thread is none any more.
static bool is_pending(struct client_host_function *f) {
  struct client *client = client_state();
  if (!atomic_load(&client->host_function_waits) || runs || leaves) return false;
  if (pthread_mutex_trylock(&client->functions_mutex) != 0) return false;
  *f = client->host_function;
  pthread_mutex_unlock(&client->functions_mutex);
  return f->function != NULL;
}

// Whether what the stream does next comes after the function. A request would wait for a launch that runs.
static bool is_before(const struct client_host_function *f, uint32_t stream) {
  return stream == f->stream || stream >= PROTOCOL_GRAPH || client_is_busy() ||
         client_order_ask(PROTOCOL_ORDER_AFTER, f->stream, stream, f->operation);
}

void client_host_function_before(enum protocol_order_kind kind, uint32_t stream, uint64_t object) {
  struct client_host_function f;
  switch (kind) {
  case PROTOCOL_ORDER_HOST_ALL: finish(); return;
  case PROTOCOL_ORDER_HOST_STREAM:
    if (!is_pending(&f) || is_before(&f, stream)) finish();
    return;
  case PROTOCOL_ORDER_HOST_EVENT:
    if (!is_pending(&f) || client_is_busy() ||
        client_order_ask(PROTOCOL_ORDER_AFTER_EVENT, f.stream, object, f.operation))
      finish();
    return;
  default: return;
  }
}

// Runs the function now: what comes next in the stream has not waited for it.
static uint32_t run_beside(struct changes *changes, bool is_seen) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->functions_mutex);
  const uint32_t stream = client->host_function.function ? client->host_function.stream : 0;
  run_pending(client, changes, is_seen);
  pthread_mutex_unlock(&client->functions_mutex);
  return stream;
}

static const char *first_in(const struct client_rows *rows, const struct changes *c) {
  for (size_t row = 0; row < rows->rows; row++) {
    const char *from = (const char *)rows->base + row * rows->pitch, *to = from + rows->width;
    for (int i = 0; i < c->count; i++) {
      const char *start = c->list[i].start, *end = start + c->list[i].bytes;
      if (start < to && from < end) return start > from ? start : from;
    }
  }
  return NULL;
}

// As the answer of those that meet one: the operation leaves the function alone.
enum { LEAVES = UINT32_MAX };

static uint32_t leave(void) {
  leaves = true;
  return LEAVES;
}

uint32_t client_host_function_meets(const struct client_rows *rows, bool writes, uint32_t stream) {
  struct client_host_function f;
  struct client_host host;
  struct changes changes = {0};
  if (!is_pending(&f)) return 0;
  client_settle(); // the copy waits for a launch, too
  if (is_before(&f, stream)) {
    finish();
    return 0;
  }
  if (!rows || !client_host_find(rows->base, &host)) return leave();
  const uint32_t other = run_beside(&changes, true);
  const char *changed = other ? first_in(rows, &changes) : NULL;
  if (changed)
    client_order(PROTOCOL_ORDER_HOST_FUNCTION, stream, (uint64_t)(uintptr_t)changed,
                 other | (writes ? (uint64_t)PROTOCOL_COPY_WRITES : 0));
  return 0;
}

static bool has_locked(const void *parameters, size_t bytes) {
  struct client_host host;
  uint64_t word;
  for (size_t at = 0; at + sizeof word <= bytes; at += sizeof word) {
    memcpy(&word, (const char *)parameters + at, sizeof word);
    if (client_host_find((const void *)(uintptr_t)word, &host)) return true;
  }
  return false;
}

// The kernel meets the function's changes on the device. The host waits for the function only after that.
uint32_t client_host_function_meets_launch(const void *parameters, size_t bytes, uint32_t stream) {
  struct client_host_function f;
  struct changes changes = {0};
  if (!is_pending(&f)) return 0;
  client_settle(); // one launch at a time
  if (!is_before(&f, stream)) return has_locked(parameters, bytes) ? run_beside(&changes, false) : leave();
  finish();
  return 0;
}

void client_host_function_was_met(uint32_t met) {
  if (met == LEAVES)
    leaves = false;
  else if (met)
    client_order(PROTOCOL_ORDER_HOST_STREAM, met, 0, 0);
}
