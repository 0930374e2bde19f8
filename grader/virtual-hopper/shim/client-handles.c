// Streams and events. In: the program's handles, which may be stale; out: whether a handle is live.
// Every handle is looked up in a list of live streams or events. So a stale or invented handle is never
// dereferenced.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>

struct client_stream *client_stream_create(unsigned flags, int priority) {
  struct client *client = client_state();
  struct client_stream *stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  *stream = (struct client_stream){.flags = flags, .priority = priority};
  stream->identifier = atomic_fetch_add(&client->next_identifier, 1) + 3; // 1 and 2: default streams
  pthread_mutex_lock(&client->handles_mutex);
  stream->next = client->streams;
  client->streams = stream;
  pthread_mutex_unlock(&client->handles_mutex);
  enum { NON_BLOCKING = 1 };
  const uint32_t number = (uint32_t)stream->identifier & PROTOCOL_STREAM;
  client_order(PROTOCOL_ORDER_STREAM, number | (flags & NON_BLOCKING ? PROTOCOL_NON_BLOCKING : 0), 0, 0);
  return stream;
}

bool client_stream_destroy(void *handle) {
  struct client *client = client_state();
  struct client_stream *found = NULL;
  pthread_mutex_lock(&client->handles_mutex);
  for (struct client_stream **link = &client->streams; *link; link = &(*link)->next) {
    if (*link != handle) continue;
    found = *link;
    *link = found->next;
    break;
  }
  pthread_mutex_unlock(&client->handles_mutex);
  if (found) client_order(PROTOCOL_ORDER_STREAM_ENDS, (uint32_t)found->identifier & PROTOCOL_STREAM, 0, 0);
  free(found);
  return found != NULL;
}

bool client_stream_find(void *handle, struct client_stream *copy) {
  uintptr_t number = (uintptr_t)handle;
  if (number <= 2) {
    const bool own = number == 2 || (number == 0 && client_has_own_default());
    *copy = (struct client_stream){.identifier = own ? client_thread_stream() : CLIENT_DEFAULT};
    return true;
  }
  struct client *client = client_state();
  bool found = false;
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_stream *stream = client->streams; stream && !found; stream = stream->next) {
    found = stream == handle;
    if (found) *copy = *stream;
  }
  pthread_mutex_unlock(&client->handles_mutex);
  return found;
}

struct client_event *client_event_create(unsigned flags) {
  struct client *client = client_state();
  struct client_event *event = calloc(1, sizeof *event);
  if (!event) return NULL;
  event->flags = flags;
  pthread_mutex_lock(&client->events_mutex);
  event->next = client->events;
  client->events = event;
  pthread_mutex_unlock(&client->events_mutex);
  return event;
}

bool client_event_destroy(void *handle) {
  struct client *client = client_state();
  struct client_event *found = NULL;
  pthread_mutex_lock(&client->events_mutex);
  for (struct client_event **link = &client->events; *link; link = &(*link)->next) {
    if (*link != handle) continue;
    found = *link;
    *link = found->next;
    break;
  }
  pthread_mutex_unlock(&client->events_mutex);
  if (found) client_capture_forget(handle);
  if (found) client_order(PROTOCOL_ORDER_FORGET, CLIENT_DEFAULT, (uint64_t)(uintptr_t)handle, 0);
  free(found);
  return found != NULL;
}

bool client_stream_is_busy(void *handle) {
  enum { LEGACY_STREAM = 1 }; // waits for the others, and they for it
  struct client *client = client_state();
  struct client_stream stream = {0};
  if (!client_is_busy()) return false;
  const uint64_t running = client->running_stream;
  (void)client_stream_find(handle, &stream);
  return stream.identifier == running || stream.identifier == LEGACY_STREAM || running == LEGACY_STREAM;
}

bool client_launch_follows(void *handle) {
  struct client_stream stream = {0};
  (void)client_stream_find(handle, &stream);
  return atomic_exchange(&client_state()->last_launch, stream.identifier) == stream.identifier;
}

void client_launches_end(void) {
  atomic_store(&client_state()->last_launch, 0);
}

static struct client_event *find_event(struct client *client, const void *handle) {
  struct client_event *event = client->events;
  while (event && event != handle)
    event = event->next;
  return event;
}

bool client_event_find(void *handle, struct client_event *copy) {
  struct client *client = client_state();
  client_launches_end();  // because the program waits for the event or queries it
  (void)client_is_busy(); // a launch that has ended gives its events their time
  pthread_mutex_lock(&client->events_mutex);
  const struct client_event *event = find_event(client, handle);
  if (event) *copy = *event;
  pthread_mutex_unlock(&client->events_mutex);
  if (event && client_later_has(0, (uint64_t)(uintptr_t)handle)) copy->waits = true;
  return event != NULL;
}

bool client_event_record_in(void *handle, uint32_t in) {
  struct client *client = client_state();
  client_launches_end();
  const bool later = client_later_record(handle, in);
  if (!later) client_order(PROTOCOL_ORDER_RECORD, in, (uint64_t)(uintptr_t)handle, 0);
  const bool busy = client_is_busy();
  const uint64_t functions = client_functions_called();
  struct client_request now = {.operation = PROTOCOL_STATUS};
  if (!busy && !later) (void)client_call(&now); // the device's clock has gone on since its last answer
  pthread_mutex_lock(&client->events_mutex);
  struct client_event *event = find_event(client, handle);
  if (event) {
    event->recorded = true;
    event->waits = busy && atomic_load(&client->launch_runs);
    event->time = atomic_load(&client->virtual_time);
    event->in = in;
    event->functions = functions;
  }
  pthread_mutex_unlock(&client->events_mutex);
  return event != NULL;
}

int client_event_record(void *handle, void *stream, bool external) {
  struct client_event copy;
  bool captured = false;
  if (!client_event_find(handle, &copy)) return ERROR_INVALID_RESOURCE_HANDLE;
  const int status = client_captures(client_in(stream), &captured);
  if (status) return status;
  if (captured) return client_capture_record(handle, client_in(stream), external);
  client_capture_forget(handle);
  return client_event_record_in(handle, client_in(stream)) ? 0 : ERROR_INVALID_RESOURCE_HANDLE;
}

int client_event_wait(void *handle, void *stream, bool external) {
  struct client_event copy;
  bool captured = false;
  if (!client_event_find(handle, &copy)) return ERROR_INVALID_RESOURCE_HANDLE;
  const int status = client_capture_wait(handle, stream, external, &captured);
  if (!status && !captured)
    client_order(PROTOCOL_ORDER_WAIT, client_in(stream), (uint64_t)(uintptr_t)handle, 0);
  return status;
}

void client_events_end(uint64_t time) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->events_mutex);
  for (struct client_event *event = client->events; event; event = event->next) {
    if (event->waits) event->time = time;
    event->waits = false;
  }
  pthread_mutex_unlock(&client->events_mutex);
}
