// What orders streams, events and the host: notes that go to the device before the next request. In: the
// program's calls; out: requests. And guards: pages of page-locked memory that an asynchronous copy reads or
// writes are protected until the host has waited for the copy. The host's own code that touches them meets a
// memory fault, which opens the page, goes on, and is reported to the device.
#include "virtual-hopper/shim/client.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { HOST_PAGE = 4096, DEFAULT_STREAM = 1 };

uint32_t client_in(void *stream) {
  struct client_stream found = {0};
  (void)client_stream_find(stream, &found);
  return (uint32_t)found.identifier & PROTOCOL_STREAM;
}

// ---- notes ------------------------------------------------------------------------------------------------

// The caller holds orders_mutex. When there is no room, everything counts as ordered from here on.
static void append(struct client *client, const struct protocol_order *order) {
  if (client->order_count == CLIENT_ORDERS) {
    client->orders[CLIENT_ORDERS - 1] =
        (struct protocol_order){.kind = PROTOCOL_ORDER_HOST_ALL, .stream = DEFAULT_STREAM};
    return;
  }
  client->orders[client->order_count++] = *order;
}

static void collect_touched(struct client *client) {
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    struct client_guard *g = &client->guards[i];
    int touched = GUARD_TOUCHED;
    const uint32_t kind = g->wrote ? PROTOCOL_ORDER_HOST_WRITES : PROTOCOL_ORDER_HOST_READS;
    const struct protocol_order order = {
        .kind = kind, .stream = DEFAULT_STREAM, .object = g->touched, .bytes = 1};
    if (atomic_load(&g->state) == GUARD_TOUCHED) append(client, &order);
    (void)atomic_compare_exchange_strong(&g->state, &touched, GUARD_FREE);
  }
}

void client_order(enum protocol_order_kind kind, uint32_t stream, uint64_t object, uint64_t bytes) {
  struct client *client = client_state();
  const struct protocol_order order = {.kind = kind, .stream = stream, .object = object, .bytes = bytes};
  pthread_mutex_lock(&client->orders_mutex);
  collect_touched(client);
  append(client, &order);
  pthread_mutex_unlock(&client->orders_mutex);
}

bool client_order_take(struct protocol_order *order) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->orders_mutex);
  collect_touched(client);
  const bool any = client->order_count > 0;
  if (any) {
    *order = client->orders[0];
    memmove(client->orders, client->orders + 1, --client->order_count * sizeof *order);
  }
  pthread_mutex_unlock(&client->orders_mutex);
  return any;
}

static uint64_t ask_about(enum protocol_order_kind kind, uint32_t stream, uint64_t object, uint64_t bytes) {
  struct protocol_order body = {.kind = kind, .stream = stream, .object = object, .bytes = bytes};
  struct protocol_number answer = {0};
  struct client_request request = {.operation = PROTOCOL_ORDER,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .answer = &answer,
                                   .answer_bytes = sizeof answer};
  return client_call(&request) ? 0 : answer.number;
}

static uint64_t ask(enum protocol_order_kind kind, uint32_t stream, uint64_t object) {
  return ask_about(kind, stream, object, 0);
}

static bool is_done(enum protocol_order_kind kind, uint32_t stream, uint64_t object) {
  struct protocol_order body = {.kind = kind, .stream = stream, .object = object};
  struct protocol_number answer = {0};
  struct client_request request = {.operation = PROTOCOL_ORDER,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .answer = &answer,
                                   .answer_bytes = sizeof answer};
  return client_call(&request) || answer.number; // the caller learns of a device that has failed
}

bool client_stream_is_done(uint32_t stream) {
  if (!client_is_busy()) return is_done(PROTOCOL_ORDER_ASKS, stream, 0);
  client_order(PROTOCOL_ORDER_HOST_STREAM, stream, 0, 0); // a request would wait for the launch
  return true;
}

bool client_event_is_done(const void *event) {
  const uint64_t object = (uint64_t)(uintptr_t)event;
  if (!client_is_busy()) return is_done(PROTOCOL_ORDER_ASKS_EVENT, DEFAULT_STREAM, object);
  client_order(PROTOCOL_ORDER_HOST_EVENT, DEFAULT_STREAM, object, 0);
  return true;
}

// ---- guards -----------------------------------------------------------------------------------------------

static bool was_a_write(const void *context) {
#ifdef __x86_64__
  enum { WRITE_ACCESS = 2 };
  return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & WRITE_ACCESS;
#else
  (void)context;
  return false;
#endif
}

// Calls only what a signal's handler may call.
static void on_memory_fault(int signal, siginfo_t *info, void *context) {
  struct client *client = client_state(); // known since the guard was set
  char *at = info->si_addr;
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    struct client_guard *g = &client->guards[i];
    if (at < g->start || at >= g->start + g->bytes) continue;
    const int state = atomic_load(&g->state);
    if (state == GUARD_TOUCHED) return; // by another thread, just now
    if (state != GUARD_CLOSED || mprotect(g->start, g->bytes, PROT_READ | PROT_WRITE) != 0) continue;
    g->touched = (uint64_t)(uintptr_t)at;
    g->wrote = was_a_write(context);
    atomic_store(&g->state, GUARD_TOUCHED);
    return;
  }
  (void)sigaction(signal, &client->other_action, NULL); // the program's own fault: it happens again
}

// False: the program has a handler of its own.
static bool watch_faults(struct client *client) {
  struct sigaction now, ours = {.sa_sigaction = on_memory_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  if (sigaction(SIGSEGV, NULL, &now) != 0) return false;
  if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_memory_fault) return true;
  if (now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL) return false;
  client->other_action = now;
  return sigaction(SIGSEGV, &ours, NULL) == 0;
}

static void open_guard(struct client_guard *g) {
  int closed = GUARD_CLOSED;
  if (atomic_load(&g->state) != GUARD_CLOSED) return;
  (void)mprotect(g->start, g->bytes, PROT_READ | PROT_WRITE);
  (void)atomic_compare_exchange_strong(&g->state, &closed, GUARD_FREE);
}

void client_guards_open(const void *start, size_t bytes) {
  struct client *client = client_state();
  const char *from = start;
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    struct client_guard *g = &client->guards[i];
    if (g->start < from + bytes && from < g->start + g->bytes) open_guard(g);
  }
}

void client_guards_open_rows(const struct client_rows *rows) {
  if (rows && rows->rows && rows->width)
    client_guards_open(rows->base, (rows->rows - 1) * rows->pitch + rows->width);
}

void client_guards_check(void) {
  struct client *client = client_state();
  bool managed = false;
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    struct client_guard *g = &client->guards[i];
    const bool closed = atomic_load(&g->state) == GUARD_CLOSED;
    managed |= closed && !g->operation;
    if (closed && g->operation &&
        (client_device_error() || ask(PROTOCOL_ORDER_SEEN, g->stream, g->operation)))
      open_guard(g);
  }
  if (managed) client_managed_guard();
}

// The host has touched what was guarded, and no request has told the device since.
static bool has_news_of_touches(struct client *client) {
  bool news = false;
  pthread_mutex_lock(&client->orders_mutex);
  collect_touched(client);
  for (uint32_t i = 0; i < client->order_count; i++) {
    const uint32_t kind = client->orders[i].kind;
    news = news || kind == PROTOCOL_ORDER_HOST_READS || kind == PROTOCOL_ORDER_HOST_WRITES;
  }
  pthread_mutex_unlock(&client->orders_mutex);
  return news;
}

void client_guards_finish(void) {
  struct client_request now = {.operation = PROTOCOL_STATUS};
  if (has_news_of_touches(client_state())) (void)client_call(&now);
}

// Whole pages, in which the program has nothing but the copy's bytes: anything else would meet the fault,
// too, and a system call would fail.
static bool whole_pages(const struct client_host *host, const char *start, size_t bytes, char **from,
                        size_t *span) {
  const uintptr_t low = ((uintptr_t)start + HOST_PAGE - 1) / HOST_PAGE * HOST_PAGE;
  uintptr_t high = ((uintptr_t)start + bytes) / HOST_PAGE * HOST_PAGE;
  if (host->allocated &&
      host->span == HOST_PAGE) { // the program has nothing else in the page that is shorter
    *from = host->start;
    *span = HOST_PAGE;
    return true;
  }
  if (host->allocated && start + bytes == (char *)host->start + host->bytes)
    high = (uintptr_t)host->start + host->span;
  *from = (char *)low;
  *span = high - low;
  return high > low;
}

// A part that is closed already, for the same stream, needs no other guard.
static void close_guard(const struct client_guard *wanted, int protection) {
  struct client *client = client_state();
  struct client_guard *room = NULL;
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    struct client_guard *g = &client->guards[i];
    const int state = atomic_load(&g->state);
    if (state == GUARD_CLOSED && g->start == wanted->start && g->bytes == wanted->bytes &&
        g->stream == wanted->stream && g->operation == wanted->operation)
      return;
    if (state == GUARD_FREE && !room) room = g;
  }
  if (!room) return;
  room->start = wanted->start;
  room->bytes = wanted->bytes;
  room->stream = wanted->stream;
  room->operation = wanted->operation;
  atomic_store(&room->state, GUARD_CLOSED);
  if (mprotect(room->start, room->bytes, protection) != 0) atomic_store(&room->state, GUARD_FREE);
}

void client_guard(const struct client_rows *rows, uint32_t stream, bool written) {
  struct client *client = client_state();
  struct client_host host;
  const size_t bytes = rows->width * rows->rows;
  if (!client_host_find(rows->base, &host) || (rows->rows > 1 && rows->pitch != rows->width)) return;
  client_order(written ? PROTOCOL_ORDER_WRITES : PROTOCOL_ORDER_READS, stream,
               (uint64_t)(uintptr_t)rows->base, bytes);
  const uint64_t operation = ask(PROTOCOL_ORDER_LAST, stream, 0);
  char *start;
  size_t span;
  if (!operation || !whole_pages(&host, rows->base, bytes, &start, &span) || !watch_faults(client)) return;
  close_guard(&(struct client_guard){.start = start, .bytes = span, .stream = stream, .operation = operation},
              written ? PROT_NONE : PROT_READ);
}

// In parts: the first access to one opens it, and others in that part are not seen.
void client_guard_parameter(const void *pointer, uint32_t stream, uint64_t operation) {
  enum { PARTS = 8 };
  struct client *client = client_state();
  struct client_host host;
  char *start;
  size_t span;
  if (!client_host_find(pointer, &host) || !whole_pages(&host, host.start, host.bytes, &start, &span) ||
      !watch_faults(client))
    return;
  for (int i = 0; i < CLIENT_GUARDS; i++) { // what an earlier launch has been given stays closed for longer
    struct client_guard *g = &client->guards[i];
    if (atomic_load(&g->state) != GUARD_CLOSED || g->stream != stream) continue;
    if (g->start < start + span && start < g->start + g->bytes) g->operation = operation;
  }
  const size_t part = (span / HOST_PAGE + PARTS - 1) / PARTS * HOST_PAGE;
  for (size_t at = 0; at < span; at += part)
    close_guard(&(struct client_guard){.start = start + at,
                                       .bytes = span - at < part ? span - at : part,
                                       .stream = stream,
                                       .operation = operation},
                PROT_NONE);
}

void client_guard_managed(void *start, size_t bytes) {
  enum { MOST_RUNS = 8 };
  client_guards_open(start, bytes);
  if (client_device_error() || !watch_faults(client_state())) return;
  char *from = start;
  for (size_t left = bytes, runs = 0; left && runs < MOST_RUNS; runs++) {
    const uint64_t answer =
        ask_about(PROTOCOL_ORDER_TOUCHED, DEFAULT_STREAM, (uint64_t)(uintptr_t)from, left);
    const size_t first = (size_t)(answer >> PROTOCOL_TOUCHED_FIRST) * HOST_PAGE,
                 count = (size_t)((uint32_t)answer >> PROTOCOL_TOUCHED_COUNT) * HOST_PAGE;
    if (!count) return;
    close_guard(&(struct client_guard){.start = from + first, .bytes = count, .stream = DEFAULT_STREAM},
                answer & PROTOCOL_TOUCHED_WRITTEN ? PROT_NONE : PROT_READ);
    const size_t past = first + count < left ? first + count : left;
    from += past;
    left -= past;
  }
}

uint64_t client_last_operation(uint32_t stream) {
  return ask(PROTOCOL_ORDER_LAST, stream, 0);
}
