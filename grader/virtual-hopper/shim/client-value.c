// Values that streams write and wait for. In: operations of streams. Out: what is in memory, and notes for
// the device (order/stream-values.c). One idea: a wait whose value isn't there is kept, and with it all that
// comes after (client-later.c). A value in memory that the host shares is read and written here: a launch
// that still runs may wait for it.
// CUDA Driver API, "Stream Memory Operations".
#include "virtual-hopper/shim/client-value.h"
#include "virtual-hopper/shim/client-later.h"

#include <string.h>

#include "virtual-hopper/base/stream-value.h"

static void *host_memory(uint64_t address) {
  struct client_host host;
  void *at = (void *)(uintptr_t)address; // page-locked memory has one address
  return client_host_find(at, &host) ? at : NULL;
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
  if (host_memory(v->address) || client_locate(v->address, size_of(v), &location) == 0) return 0;
  return client_device_error() ? client_device_error() : ERROR_INVALID_VALUE;
}

// No other thread of the program's could look at a value while it is read or written here.
static bool is_alone(void) {
  return client_is_alone(client_state());
}

static uint64_t read_value(const struct client_value *v, bool alone) {
  uint64_t now = 0;
  void *at = host_memory(v->address);
  const struct client_rows here = {at, size_of(v), size_of(v), 1}, to = {&now, size_of(v), size_of(v), 1};
  if (!at) {
    (void)client_peek(&to, v->address);
    return now;
  }
  client_guards_lend(&here);
  now = v->how & STREAM_VALUE_WIDE ? __atomic_load_n((uint64_t *)at, __ATOMIC_ACQUIRE)
                                   : __atomic_load_n((uint32_t *)at, __ATOMIC_ACQUIRE);
  client_guards_return_value(at, here.width, alone);
  return now;
}

static void write_value(const struct client_value *v, bool alone) {
  uint64_t value = v->value;
  void *at = host_memory(v->address);
  const struct client_rows here = {at, size_of(v), size_of(v), 1}, from = {&value, size_of(v), size_of(v), 1};
  if (!at) {
    (void)client_write(v->address, 0, &from, CLIENT_BESIDE);
    return;
  }
  client_guards_lend(&here);
  if (v->how & STREAM_VALUE_WIDE)
    __atomic_store_n((uint64_t *)at, value, __ATOMIC_RELEASE);
  else
    __atomic_store_n((uint32_t *)at, (uint32_t)value, __ATOMIC_RELEASE);
  client_guards_return_value(at, here.width, alone);
}

bool client_value_is_there(const struct client_value *v) {
  if (client_device_error()) return true;
  if (client_is_busy() && !host_memory(v->address)) return false;
  return stream_value_meets(v->how, read_value(v, !atomic_load(&client_state()->helpers) && is_alone()),
                            v->value);
}

// Where another thread may look at the value as soon as it is there, the device is told before that.
static void write_beside_others(const struct client_value *v, uint32_t stream, uint64_t before) {
  client_order_value(PROTOCOL_ORDER_VALUE_WRITTEN, stream, v, before);
  client_guard_value_unseen(host_memory(v->address), stream, size_of(v));
  write_value(v, false);
}

// A launch that the stream comes after may still run: what it has written is there before the value.
static void await_launch_before(uint32_t stream) {
  if (client_is_busy() && client_is_behind(stream)) client_settle();
}

void client_value_now(const struct client_value *v, uint32_t in) {
  const uint32_t stream = in & PROTOCOL_STREAM;
  void *at = host_memory(v->address);
  if (!v->waits && at) await_launch_before(stream);
  const bool alone = !at || is_alone();
  const uint64_t before = read_value(v, alone);
  if (!v->waits && !alone) {
    write_beside_others(v, stream, before);
    return;
  }
  if (!v->waits) write_value(v, alone);
  client_order_value(v->waits ? PROTOCOL_ORDER_VALUE_AWAITED : PROTOCOL_ORDER_VALUE_WRITTEN, stream, v,
                     before);
  if (!v->waits && at) client_guard_value(at, stream, size_of(v));
}

int client_value(const struct client_value *v, uint32_t in) {
  client_launches_end();
  if (client_later_value(v, in)) return 0;
  client_value_now(v, in);
  return 0;
}

void client_value_hangs(const struct client_value *v, uint32_t in) {
  const uint64_t now = read_value(v, is_alone());
  struct client_request tell = {.operation = PROTOCOL_STATUS, .tells_callers = true};
  (void)client_call(&tell);
  client_order_value(PROTOCOL_ORDER_VALUE_HANGS, in & PROTOCOL_STREAM, v, now);
  tell.tells_callers = false;
  (void)client_call(&tell);
}

bool client_value_is_private(const struct client_value *v) {
  struct client_host host;
  const void *at = (const void *)(uintptr_t)v->address;
  return !client_host_find(at, &host) || host.allocated;
}
