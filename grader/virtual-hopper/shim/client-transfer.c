// Copies and fills, of which the addresses and the kind decide who does them: the device, or the host itself.
// In: the program's pointers, pitches and kinds; out: CUDA errors.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client-probe.h"
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>
#include <string.h>

// The numbers of enum cudaMemcpyKind.
enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

static uint64_t address_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

static bool is_device(const void *pointer) {
  return client_is_device(pointer) && !client_is_managed(pointer);
}

// Memory of the host that kernels reach as well.
static bool is_on_host(const void *pointer) {
  struct client_host host;
  return client_is_managed(pointer) || client_host_find(pointer, &host);
}

// Returns the kind of copy to do. Managed memory and page-locked memory count as host memory. With
// cudaMemcpyDefault the addresses decide.
static int true_kind(const struct client_box *box) {
  const bool by_address = box->kind == BY_ADDRESS;
  const bool to =
      by_address ? is_device(box->to)
                 : (box->kind == HOST_TO_DEVICE || box->kind == DEVICE_TO_DEVICE) && !is_on_host(box->to);
  const bool from =
      by_address ? is_device(box->from)
                 : (box->kind == DEVICE_TO_HOST || box->kind == DEVICE_TO_DEVICE) && !is_on_host(box->from);
  if (to) return from ? DEVICE_TO_DEVICE : HOST_TO_DEVICE;
  return from ? DEVICE_TO_HOST : HOST_TO_HOST;
}

// Copies of host memory are done by the host, when the stream is; fills at once.
static void wait_on_host(uint32_t in) {
  client_settle();
  client_order(PROTOCOL_ORDER_HOST_STREAM, in & PROTOCOL_STREAM, 0, 0);
}

// From pageable memory the host waits before the copy. The bytes then lie in the driver's own memory, and may
// still be on their way when the call returns (CUDA Runtime API, "API synchronization behavior").
static uint32_t wait_before(const struct client_box *box, uint32_t in) {
  if (!(in & PROTOCOL_HOST_WAITS) || is_on_host(box->from)) return in;
  wait_on_host(in);
  return (in & PROTOCOL_STREAM) | PROTOCOL_HOST_STAGES;
}

static int copy_on_host(const struct client_rows *to, const struct client_rows *from, uint32_t in) {
  wait_on_host(in);
  client_guards_lend(to);
  client_guards_lend(from);
  for (size_t row = 0; row < to->rows; row++)
    memmove((char *)to->base + row * to->pitch, (char *)from->base + row * from->pitch, to->width);
  client_guards_return(to);
  client_guards_return(from);
  if (is_on_host(from->base)) client_order_rows(PROTOCOL_ORDER_HOST_READS, CLIENT_DEFAULT, from);
  if (is_on_host(to->base)) client_order_rows(PROTOCOL_ORDER_HOST_WRITES, CLIENT_DEFAULT, to);
  return 0;
}

// The host waits for a copy of its own memory: functions in other streams may run beside it.
static void try_functions(const struct client_rows *rows, uint32_t in, bool written) {
  const size_t bytes = (rows->rows - 1) * rows->pitch + rows->width;
  const bool whole = (rows->rows == 1 || rows->pitch == rows->width) && !is_on_host(rows->base);
  if (in & (PROTOCOL_HOST_WAITS | PROTOCOL_HOST_STAGES))
    client_probe_functions(in & PROTOCOL_STREAM, whole ? rows->base : NULL, bytes, written);
}

// One slice.
static int copy(const struct client_box *box, uint32_t in) {
  const struct client_rows to = {box->to, box->to_pitch, box->width, box->rows},
                           from = {(void *)(uintptr_t)box->from, box->from_pitch, box->width, box->rows};
  int status;
  switch (true_kind(box)) {
  case HOST_TO_HOST: return copy_on_host(&to, &from, in);
  case HOST_TO_DEVICE:
    in = wait_before(box, in);
    if (is_on_host(box->from)) try_functions(&from, in, false); // else client_source has
    status = client_write(address_of(box->to), box->to_pitch, &from, in);
    if (!status) client_guard(&from, in, false);
    return status;
  case DEVICE_TO_HOST:
    // into pageable memory, the call returns when the copy is done
    if (!is_on_host(box->to)) in |= PROTOCOL_HOST_WAITS;
    try_functions(&to, in, true);
    status = client_read(&to, address_of(box->from), box->from_pitch, in);
    if (!status) client_guard(&to, in, true);
    if (!status) client_probe_copied();
    return status;
  default: // the host never waits for a copy on the device
    return client_copy(address_of(box->to), box->to_pitch, address_of(box->from), box->from_pitch, box->width,
                       box->rows, in & PROTOCOL_STREAM);
  }
}

static int fill(const struct client_box *box, uint32_t in) {
  const uint32_t stream = in & PROTOCOL_STREAM;
  const struct client_rows to = {box->to, box->to_pitch, box->width, box->rows};
  if (!is_on_host(box->to))
    return client_fill(address_of(box->to), box->to_pitch, box->pattern, box->pattern_bytes, box->width,
                       box->rows, stream);
  client_settle();
  if (in & PROTOCOL_HOST_WAITS) client_order(PROTOCOL_ORDER_HOST_STREAM, stream, 0, 0);
  client_guards_lend(&to);
  for (size_t row = 0; row < box->rows; row++)
    for (size_t i = 0; i + box->pattern_bytes <= box->width; i += box->pattern_bytes)
      memcpy(box->to + row * box->to_pitch + i, &box->pattern, box->pattern_bytes);
  client_guards_return(&to);
  client_guard_filled(&to, in);
  return 0;
}

// A copy reads pageable memory when it is called, although what comes before it in its stream may not be
// done. (In a graph it is another matter.)
static void read_source(struct client_box *box, uint32_t in) {
  const size_t bytes = box->width * box->rows;
  if (!box->from || box->slices != 1 || (box->rows > 1 && box->from_pitch != box->width)) return;
  if (!atomic_load(&client_state()->functions_wait) || true_kind(box) != HOST_TO_DEVICE ||
      is_on_host(box->from))
    return;
  const void *now = client_source(box->from, bytes, in & PROTOCOL_STREAM);
  if (now) box->from = now;
}

// A small copy in the default stream takes the bytes of page-locked memory that are there when it is called,
// although a function in a stream that waits for the default stream may still change them (an H100, an H200:
// up to 16 KiB; not with 1 MiB). Returns them, to be freed; NULL: nothing is special.
static void *read_early(struct client_box *box, uint32_t in) {
  enum { MOST_EARLY_BYTES = 16384 };
  const size_t bytes = box->width * box->rows;
  struct client_host host;
  if (!box->from || box->rows != 1 || box->slices != 1 || bytes > MOST_EARLY_BYTES || in != CLIENT_DEFAULT ||
      !atomic_load(&client_state()->functions_wait) || true_kind(box) != HOST_TO_DEVICE ||
      !client_host_find(box->from, &host) ||
      !client_order_ask(PROTOCOL_ORDER_SOURCE, CLIENT_DEFAULT, address_of(box->from), bytes))
    return NULL;
  const struct client_rows rows = {(void *)(uintptr_t)box->from, bytes, bytes, 1};
  void *kept = malloc(bytes);
  if (!kept) return NULL;
  client_guards_lend(&rows);
  box->from = memcpy(kept, box->from, bytes);
  client_guards_return(&rows);
  return kept;
}

// Whether the call returns at once, wherever the stream is.
static bool may_come_later(const struct client_box *box, uint32_t in) {
  if (in & (PROTOCOL_HOST_WAITS | PROTOCOL_HOST_STAGES) || !(in & PROTOCOL_STREAM)) return false;
  if (!box->from) return true;
  switch (true_kind(box)) {
  case HOST_TO_HOST: return false;
  case DEVICE_TO_HOST: return is_on_host(box->to);
  default: return true;
  }
}

// Host functions that the transfer comes after have ended; or true: it comes later.
static bool comes_later(const struct client_box *box, uint32_t in) {
  if (may_come_later(box, in))
    return client_later_box(box, in, box->from && true_kind(box) == HOST_TO_DEVICE && !is_on_host(box->from));
  if (in & PROTOCOL_STREAM) client_functions_await(in & PROTOCOL_STREAM);
  return false;
}

int client_transfer_now(const struct client_box *box, uint32_t in) {
  int status = client_connect();
  if (!box->width || !box->rows) return status;
  if (!status && (!box->to || (!box->from && !box->pattern_bytes))) return ERROR_INVALID_VALUE;
  if (box->kind < 0 || box->kind > BY_ADDRESS) return ERROR_INVALID_MEMCPY_DIRECTION;
  if (!status && comes_later(box, in)) return 0;
  for (size_t slice = 0; slice < box->slices && !status; slice++) {
    struct client_box one = *box;
    one.to += slice * box->to_slice;
    if (box->from) one.from += slice * box->from_slice;
    status = box->from ? copy(&one, in) : fill(&one, in);
  }
  return status;
}

int client_transfer(const struct client_box *box, uint32_t in) {
  bool captured = false;
  const int status = client_captures(in, &captured);
  if (status) return status;
  if (captured) return client_capture_box(box, in);
  struct client_box now = *box;
  void *kept = NULL;
  if (!client_connect()) {
    read_source(&now, in);
    kept = read_early(&now, in);
  }
  const int done = client_transfer_now(&now, in);
  free(kept);
  return done;
}
