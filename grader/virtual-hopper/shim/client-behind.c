// What comes after the launch that runs on beside the host: its stream, events recorded there, streams that
// wait for them. In: launches, and notes about streams and events. Out: whether a stream's next operation
// must not be done before the launch has ended.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client.h"

// The caller holds orders_mutex, here and in the next two.
static struct client_behind *find(struct client *client, uint64_t key, bool is_stream) {
  for (uint32_t i = 0; i < client->behind_count; i++)
    if (client->behind[i].key == key && client->behind[i].is_stream == is_stream) return &client->behind[i];
  return NULL;
}

// Where there is no room, the stream counts as one that runs beside the launch.
static void add(struct client *client, uint64_t key, bool is_stream) {
  if (!find(client, key, is_stream) && client->behind_count < CLIENT_BEHIND)
    client->behind[client->behind_count++] = (struct client_behind){key, is_stream};
}

static void forget_event(struct client *client, uint64_t event) {
  struct client_behind *gone = find(client, event, false);
  if (gone) *gone = client->behind[--client->behind_count];
}

void client_behind_begin(uint32_t stream) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->orders_mutex);
  client->behind_count = 0;
  add(client, stream, true);
  pthread_mutex_unlock(&client->orders_mutex);
}

// The default stream and those that don't forbid it wait for each other.
static bool is_blocking(uint32_t stream) {
  return stream != CLIENT_DEFAULT && !client_is_non_blocking(client_state(), stream);
}

bool client_is_behind(uint32_t stream) {
  struct client *client = client_state();
  struct client_behind all[CLIENT_BEHIND];
  pthread_mutex_lock(&client->orders_mutex);
  const uint32_t count = client->behind_count;
  for (uint32_t i = 0; i < count; i++)
    all[i] = client->behind[i];
  pthread_mutex_unlock(&client->orders_mutex);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t other = (uint32_t)all[i].key;
    if (!all[i].is_stream) continue;
    if (other == stream || (other == CLIENT_DEFAULT && is_blocking(stream)) ||
        (stream == CLIENT_DEFAULT && is_blocking(other)))
      return true;
  }
  return false;
}

void client_behind_note(enum protocol_order_kind kind, uint32_t stream, uint64_t event) {
  struct client *client = client_state();
  if (!atomic_load(&client->launch_runs)) return;
  const bool records = kind == PROTOCOL_ORDER_RECORD && client_is_behind(stream & PROTOCOL_STREAM);
  pthread_mutex_lock(&client->orders_mutex);
  if (kind == PROTOCOL_ORDER_RECORD || kind == PROTOCOL_ORDER_FORGET) forget_event(client, event);
  if (records) add(client, event, false);
  if (kind == PROTOCOL_ORDER_WAIT && find(client, event, false)) add(client, stream & PROTOCOL_STREAM, true);
  pthread_mutex_unlock(&client->orders_mutex);
}
