// Values that streams write and wait for. In: operations of streams. Out: what is in memory, and notes for
// the device (order/stream-values.c). One idea: a wait whose value isn't there is kept, and with it all that
// comes after (client-later.c). A value in memory that the host shares is read and written here: a launch
// that still runs may wait for it.
// CUDA Driver API, "Stream Memory Operations".
#include "virtual-hopper/shim/client-value.h"
#include "virtual-hopper/shim/client-later.h"

#include <string.h>

#include "virtual-hopper/base/stream-value.h"

static bool find_host_memory(const struct client_value *v, struct client_host *host) {
  return client_host_find((void *)(uintptr_t)v->address, host); // page-locked memory has one address
}

static size_t size_of(const struct client_value *v) {
  return v->how & STREAM_VALUE_WIDE ? sizeof(uint64_t) : sizeof(uint32_t);
}

int client_value_check(const struct client_value *v) {
  struct protocol_location location;
  const int status = client_connect();
  if (status) return status;
  if (!v->address || v->address % size_of(v)) return ERROR_INVALID_VALUE;
  if (client_is_managed((const void *)(uintptr_t)v->address)) return ERROR_INVALID_VALUE; // as on an H100
  if (client_value_is_shared(v) || client_locate(v->address, size_of(v), &location) == 0) return 0;
  return client_device_error() ? client_device_error() : ERROR_INVALID_VALUE;
}

uint64_t client_value_in(const struct client_host *host, const struct client_value *v) {
  const void *at = host->again + (v->address - (uint64_t)(uintptr_t)host->start);
  return v->how & STREAM_VALUE_WIDE ? __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE)
                                    : __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

static uint64_t read_value(const struct client_value *v) {
  struct client_host host;
  uint64_t now = 0;
  const struct client_rows to = {&now, size_of(v), size_of(v), 1};
  if (find_host_memory(v, &host)) return client_value_in(&host, v);
  (void)client_peek(&to, v->address);
  return now;
}

bool client_value_look(const struct client_value *v, bool *looked) {
  *looked = client_device_error() || !client_is_busy() || client_value_is_shared(v);
  if (client_device_error()) return true;
  return *looked && stream_value_meets(v->how, read_value(v), v->value);
}

bool client_value_is_there(const struct client_value *v) {
  bool looked;
  return client_value_look(v, &looked);
}

// A launch that the stream comes after may still run: what it has written is there before the value.
static void await_launch_before(uint32_t stream) {
  if (client_is_busy() && client_is_behind(stream)) client_settle();
}

static void write_value(const struct client_value *v, uint32_t stream) {
  struct client_host host;
  uint64_t value = v->value;
  const struct client_rows from = {&value, size_of(v), size_of(v), 1};
  if (find_host_memory(v, &host)) {
    await_launch_before(stream);
    client_order_value_written(v, &host, stream);
    return;
  }
  const uint64_t before = read_value(v);
  (void)client_write(v->address, 0, &from, CLIENT_BESIDE);
  client_order_value(PROTOCOL_ORDER_VALUE_WRITTEN, stream, v, before);
}

void client_value_now(const struct client_value *v, uint32_t in) {
  const uint32_t stream = in & PROTOCOL_STREAM;
  if (v->waits)
    client_order_value(PROTOCOL_ORDER_VALUE_AWAITED, stream, v, read_value(v));
  else
    write_value(v, stream);
}

int client_value(const struct client_value *v, uint32_t in) {
  client_launches_end();
  if (client_later_value(v, in)) return 0;
  client_value_now(v, in);
  return 0;
}

void client_value_hangs(const struct client_value *v, uint32_t in) {
  const uint64_t now = read_value(v);
  struct client_request tell = {.operation = PROTOCOL_STATUS, .tells_callers = true};
  (void)client_call(&tell);
  client_order_value(PROTOCOL_ORDER_VALUE_HANGS, in & PROTOCOL_STREAM, v, now);
  tell.tells_callers = false;
  (void)client_call(&tell);
}

bool client_value_is_shared(const struct client_value *v) {
  struct client_host host;
  return find_host_memory(v, &host);
}

bool client_value_is_private(const struct client_value *v) {
  struct client_host host;
  const void *at = (const void *)(uintptr_t)v->address;
  return !client_host_find(at, &host) || host.allocated;
}
