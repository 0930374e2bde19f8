// What orders streams, events and the host: notes that go to the device before the next request. In: the
// program's calls, and what it has touched of guarded memory (client-guards.c). Out: requests.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client-probe.h"
#include "virtual-hopper/shim/client.h"

#include <string.h>
#include <sys/single_threaded.h>
#include <time.h>

#include "virtual-hopper/base/stream-value.h"
#include "virtual-hopper/shim/client-value.h"

enum { DEFAULT_STREAM = 1 };

uint32_t client_in(void *stream) {
  struct client_stream found = {0};
  (void)client_stream_find(stream, &found);
  return (uint32_t)found.identifier & PROTOCOL_STREAM;
}

// ---- notes ------------------------------------------------------------------------------------------------

// The caller holds orders_mutex. When there is no room, everything counts as ordered from here on.
static void append(struct client *client, const struct protocol_order *order) {
  struct protocol_order all = {.kind = PROTOCOL_ORDER_HOST_ALL, .stream = DEFAULT_STREAM};
  const bool fits = client->order_count < CLIENT_ORDERS;
  client->order_count += fits;
  client->orders[(client->order_first + client->order_count - 1) % CLIENT_ORDERS] = fits ? *order : all;
  if (client_order_is_news((enum protocol_order_kind)order->kind)) atomic_fetch_add(&client->host_news, 1);
}

static bool is_touched(struct client_guard *g, bool value) {
  return atomic_load(&g->state) == GUARD_TOUCHED && (g->operation == CLIENT_GUARD_VALUE) == value;
}

static void collect(struct client *client, struct client_guard *g, enum protocol_order_kind kind) {
  append(client,
         &(struct protocol_order){.kind = kind, .stream = DEFAULT_STREAM, .object = g->touched, .bytes = 1});
  atomic_store(&g->state, GUARD_FREE);
}

// The host may have looked at a value first, and then known that it may touch the rest: so what is touched is
// found before the values, and told after them. What may have been looked at unseen matters when the program
// touches something, or makes a call, not when a kept call is made.
static void collect_touched(struct client *client) {
  bool touched[CLIENT_GUARDS], any = !client_later_makes();
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    touched[i] = is_touched(&client->guards[i], false);
    any |= touched[i];
  }
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    int unseen = GUARD_UNSEEN;
    struct client_guard *g = &client->guards[i];
    if (any) (void)atomic_compare_exchange_strong(&g->state, &unseen, GUARD_TOUCHED);
    if (is_touched(g, true)) collect(client, g, PROTOCOL_ORDER_HOST_LOOKS);
  }
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    struct client_guard *g = &client->guards[i];
    if (touched[i]) collect(client, g, g->wrote ? PROTOCOL_ORDER_HOST_WRITES : PROTOCOL_ORDER_HOST_READS);
  }
}

void client_order_note(enum protocol_order_kind kind, uint32_t stream, uint64_t object, uint64_t bytes) {
  struct client *client = client_state();
  const struct protocol_order order = {.kind = kind, .stream = stream, .object = object, .bytes = bytes};
  pthread_mutex_lock(&client->orders_mutex);
  collect_touched(client);
  append(client, &order);
  pthread_mutex_unlock(&client->orders_mutex);
}

void client_order_value(enum protocol_order_kind kind, uint32_t stream, const struct client_value *v,
                        uint64_t before) {
  struct client *client = client_state();
  const struct protocol_order values = {
      .kind = PROTOCOL_ORDER_VALUE, .stream = stream, .object = v->value, .bytes = before};
  const struct protocol_order deed = {.kind = kind, .stream = stream, .object = v->address, .bytes = v->how};
  pthread_mutex_lock(&client->orders_mutex);
  collect_touched(client);
  append(client, &values);
  append(client, &deed);
  pthread_mutex_unlock(&client->orders_mutex);
}

// The device is told before anybody can see the value; what was touched before is told before.
void client_order_value_written(const struct client_value *v, const struct client_host *host,
                                uint32_t stream) {
  struct client *client = client_state();
  const size_t bytes = v->how & STREAM_VALUE_WIDE ? sizeof(uint64_t) : sizeof(uint32_t);
  pthread_mutex_lock(&client->orders_mutex);
  collect_touched(client);
  append(client, &(struct protocol_order){.kind = PROTOCOL_ORDER_VALUE,
                                          .stream = stream,
                                          .object = v->value,
                                          .bytes = client_value_in(host, v)});
  append(client,
         &(struct protocol_order){
             .kind = PROTOCOL_ORDER_VALUE_WRITTEN, .stream = stream, .object = v->address, .bytes = v->how});
  if (!client_guard_value(host, (char *)(uintptr_t)v->address, stream, v->value, bytes))
    append(client,
           &(struct protocol_order){
               .kind = PROTOCOL_ORDER_HOST_LOOKS, .stream = stream, .object = v->address, .bytes = bytes});
  pthread_mutex_unlock(&client->orders_mutex);
}

void client_order_rows(enum protocol_order_kind kind, uint32_t stream, const struct client_rows *rows) {
  struct client *client = client_state();
  const bool is_whole = rows->rows == 1 || rows->pitch == rows->width;
  const struct protocol_order shape = {
      .kind = PROTOCOL_ORDER_ROWS, .stream = stream, .object = rows->pitch, .bytes = rows->rows};
  const struct protocol_order deed = {.kind = kind,
                                      .stream = stream,
                                      .object = (uint64_t)(uintptr_t)rows->base,
                                      .bytes = is_whole ? rows->width * rows->rows : rows->width};
  pthread_mutex_lock(&client->orders_mutex);
  collect_touched(client);
  if (!is_whole) append(client, &shape);
  append(client, &deed);
  pthread_mutex_unlock(&client->orders_mutex);
}

// What one thread of the program waits for counts as done for all. So others that have not been told of it
// get a moment to do what they shouldn't, and more of them while one could go on and gets no processor.
static void let_others_go_on(struct client *client) {
  enum { MOMENT_US = 1000, IN_A_ROW_US = 20000, MOST_US = 200000, MOST = 2000 };
  const struct timespec moment = {.tv_nsec = MOMENT_US * 1000};
  struct client_pace pace = {0};
  if (__libc_single_threaded || client_is_alone(client)) return;
  (void)client_pace_of_others(&pace);
  for (int64_t us = 0, n = 0; us < IN_A_ROW_US && n < MOST && atomic_load(&client->moments) < MOST_US; n++) {
    (void)nanosleep(&moment, NULL);
    if (client_others_sleep()) return;
    const int64_t passed = client_pace_of_others(&pace);
    us += passed;
    atomic_fetch_add(&client->moments, (uint32_t)passed);
  }
}

void client_order(enum protocol_order_kind kind, uint32_t stream, uint64_t object, uint64_t bytes) {
  switch (kind) {
  case PROTOCOL_ORDER_RECORD:
  case PROTOCOL_ORDER_WAIT:
  case PROTOCOL_ORDER_FORGET:
  case PROTOCOL_ORDER_STREAM_ENDS:
    if (client_later_note(kind, stream, object)) return;
    client_behind_note(kind, stream, object);
    break;
  case PROTOCOL_ORDER_HOST_STREAM: client_later_await(stream, 0); break;
  case PROTOCOL_ORDER_HOST_EVENT: client_later_await(0, object); break;
  case PROTOCOL_ORDER_HOST_ALL: client_later_await(0, 0); break;
  default: break;
  }
  const bool waits = kind == PROTOCOL_ORDER_HOST_STREAM || kind == PROTOCOL_ORDER_HOST_EVENT ||
                     kind == PROTOCOL_ORDER_HOST_ALL;
  if (waits) {
    let_others_go_on(client_state());
    client_later_look();
    client_later_settle();
    if (kind != PROTOCOL_ORDER_HOST_ALL)
      client_probe_functions(kind == PROTOCOL_ORDER_HOST_STREAM ? stream & PROTOCOL_STREAM : 0, NULL, 0,
                             false);
  }
  client_order_note(kind, stream, object, bytes);
  if (waits) client_functions_waited();
}

bool client_order_take(struct protocol_order *order) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->orders_mutex);
  collect_touched(client);
  const bool any = client->order_count > 0;
  if (any) {
    *order = client->orders[client->order_first];
    client->order_first = (client->order_first + 1) % CLIENT_ORDERS;
    client->order_count--;
  }
  pthread_mutex_unlock(&client->orders_mutex);
  return any;
}

void client_order_collect(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->orders_mutex);
  collect_touched(client);
  pthread_mutex_unlock(&client->orders_mutex);
}

uint64_t client_order_ask(enum protocol_order_kind kind, uint32_t stream, uint64_t object, uint64_t bytes) {
  struct protocol_order body = {.kind = kind, .stream = stream, .object = object, .bytes = bytes};
  struct protocol_number answer = {0};
  struct client_request request = {.operation = PROTOCOL_ORDER,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .answer = &answer,
                                   .answer_bytes = sizeof answer};
  return client_call(&request) ? 0 : answer.number;
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
  if (client_later_has(stream, 0)) return false;
  if (!client_is_busy()) {
    if (!client_functions_asked(stream, UINT64_MAX)) return false;
    client_probe_functions(stream, NULL, 0, false);
    client_later_look();
    const bool done = is_done(PROTOCOL_ORDER_ASKS, stream, 0);
    if (done) client_functions_waited();
    return done;
  }
  client_order(PROTOCOL_ORDER_HOST_STREAM, stream, 0, 0); // a request would wait for the launch
  return true;
}

bool client_event_is_done(const void *event) {
  const uint64_t object = (uint64_t)(uintptr_t)event;
  struct client_event copy = {0};
  if (client_later_has(0, object)) return false;
  if (!client_is_busy()) {
    if (client_event_find((void *)(uintptr_t)event, &copy) && copy.in &&
        !client_functions_asked(copy.in, copy.functions))
      return false;
    client_probe_functions(0, NULL, 0, false);
    client_later_look();
    const bool done = is_done(PROTOCOL_ORDER_ASKS_EVENT, DEFAULT_STREAM, object);
    if (done) client_functions_waited();
    return done;
  }
  client_order(PROTOCOL_ORDER_HOST_EVENT, DEFAULT_STREAM, object, 0);
  return true;
}

uint64_t client_last_operation(uint32_t stream) {
  return client_order_ask(PROTOCOL_ORDER_LAST, stream, 0, 0);
}

// The host has touched what was guarded, and no request has told the device since.
static bool has_news_of_touches(struct client *client) {
  bool news = false;
  pthread_mutex_lock(&client->orders_mutex);
  collect_touched(client);
  for (uint32_t i = 0; i < client->order_count; i++) {
    const uint32_t kind = client->orders[(client->order_first + i) % CLIENT_ORDERS].kind;
    news = news || kind == PROTOCOL_ORDER_HOST_READS || kind == PROTOCOL_ORDER_HOST_WRITES ||
           kind == PROTOCOL_ORDER_FUNCTION_READS || kind == PROTOCOL_ORDER_FUNCTION_WRITES ||
           kind == PROTOCOL_ORDER_READS || kind == PROTOCOL_ORDER_WRITES;
  }
  pthread_mutex_unlock(&client->orders_mutex);
  return news;
}

void client_guards_finish(void) {
  struct client_request now = {.operation = PROTOCOL_STATUS};
  if (has_news_of_touches(client_state())) (void)client_call(&now);
}
