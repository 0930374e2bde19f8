// What orders streams, events and the host. In: untrusted requests and headers. Out: notes for
// order/streams.h, and numbers of operations.
#include "virtual-hopper/server/internal.h"

#include <assert.h>

#include "virtual-hopper/base/stream-value.h"

static_assert(PROTOCOL_GRAPH == STREAM_OF_GRAPH && PROTOCOL_THREAD == STREAM_OF_THREAD,
              "both ends know by its number a graph's branch and a thread's default stream");

enum { MOST_NOTED_ROWS = 1 << 16 };

static struct stream_region region_of(const struct protocol_region *region) {
  return (struct stream_region){region->address, region->pitch, region->width, region->rows};
}

// Up to this size a kernel launched behind such a copy was never seen to come before the bytes: 0 of 200 runs
// at 256 KiB, 1 of 60 at 288 KiB, 200 of 200 at 1 MiB (H100, docs/measurements.md).
static const uint64_t LANDS_AT_ONCE = 256 << 10;

void server_order_copy(struct server *server, enum stream_actor actor, const struct protocol_region *reads,
                       const struct protocol_region *writes) {
  struct stream_order *s = vhopper_streams(server->device);
  const uint32_t stream = server->request.stream & PROTOCOL_STREAM;
  if (!stream) return;
  stream_order_called_from(s, server->callers);
  const struct stream_region from = reads ? region_of(reads) : (struct stream_region){0};
  const struct stream_region to = writes ? region_of(writes) : (struct stream_region){0};
  const bool is_staged = server->request.stream & PROTOCOL_HOST_STAGES;
  const bool lands = is_staged && !stream_order_is_strict(s) && to.width * to.rows <= LANDS_AT_ONCE;
  stream_order_copy(s, stream, actor, is_staged, &from, &to);
  if (lands || server->request.stream & PROTOCOL_HOST_WAITS) stream_order_host_waits(s, stream);
}

static uint64_t touched_pages(const struct stream_order *s, const struct protocol_order *o) {
  const struct stream_touched run = stream_order_touched(s, o->object, o->bytes);
  return run.first << PROTOCOL_TOUCHED_FIRST | run.count << PROTOCOL_TOUCHED_COUNT | run.written;
}

// The rows that the note before this one has told, or one.
static struct stream_region noted_rows(struct server *server) {
  const struct protocol_order *o = &server->body.order, rows = server->rows;
  server->rows = (struct protocol_order){0};
  if (!rows.bytes) return (struct stream_region){o->object, o->bytes, o->bytes, 1};
  return (struct stream_region){o->object, rows.object, o->bytes, rows.bytes};
}

static int order_page_locked(struct server *server, struct stream_order *s, uint32_t stream) {
  const struct protocol_order *o = &server->body.order;
  const struct stream_region region = noted_rows(server);
  const bool is_function =
      o->kind == PROTOCOL_ORDER_FUNCTION_READS || o->kind == PROTOCOL_ORDER_FUNCTION_WRITES;
  if (!is_function && !vhopper_is_the_hosts(server->device, o->object)) return ERROR_INVALID_VALUE;
  if (region.rows > 1 && region.pitch < region.width) return ERROR_INVALID_VALUE;
  switch (o->kind) {
  case PROTOCOL_ORDER_HOST_READS:
  case PROTOCOL_ORDER_HOST_WRITES:
    stream_order_host_touches(s, &region, o->kind == PROTOCOL_ORDER_HOST_WRITES);
    return 0;
  case PROTOCOL_ORDER_FUNCTION_READS:
  case PROTOCOL_ORDER_FUNCTION_WRITES:
    stream_order_function_touches(s, stream, o->object, o->bytes, o->kind == PROTOCOL_ORDER_FUNCTION_WRITES);
    return 0;
  case PROTOCOL_ORDER_FILLS: stream_order_fill(s, stream, &region); return 0;
  case PROTOCOL_ORDER_TOUCHED: server->answer.number.number = touched_pages(s, o); return 0;
  default:
    if (vhopper_is_pinned(server->device, o->object) &&
        !vhopper_host_view(server->device, o->object, (region.rows - 1) * region.pitch + region.width))
      return ERROR_INVALID_VALUE;
    stream_order_also(s, stream, &region, o->kind == PROTOCOL_ORDER_WRITES);
    return 0;
  }
}

static int order_function(struct server *server, struct stream_order *s, uint32_t stream) {
  const struct protocol_order *o = &server->body.order;
  uint64_t *number = &server->answer.number.number;
  switch (o->kind) {
  case PROTOCOL_ORDER_ROWS:
    if (o->bytes > MOST_NOTED_ROWS || o->object > SIZE_MAX / MOST_NOTED_ROWS) return ERROR_INVALID_VALUE;
    if (!server_charge_rows(server, o->bytes, 1)) return ERROR_INVALID_VALUE;
    server->rows = *o;
    return 0;
  case PROTOCOL_ORDER_FUNCTION: *number = stream_order_function_called(s, stream); return 0;
  case PROTOCOL_ORDER_AFTER:
    if (!(o->bytes & PROTOCOL_STREAM)) return ERROR_INVALID_VALUE;
    *number = stream_order_comes_after(s, stream, (uint32_t)o->bytes & PROTOCOL_STREAM, o->object);
    return 0;
  case PROTOCOL_ORDER_FUNCTION_RUNS: *number = stream_order_function_runs(s, stream); return 0;
  case PROTOCOL_ORDER_FUNCTION_ENDS: stream_order_function_ends(s, stream); return 0;
  case PROTOCOL_ORDER_SOURCE: {
    const struct stream_region region = {o->object, o->bytes, o->bytes, 1};
    *number = stream_order_source(s, stream, &region, !vhopper_is_the_hosts(server->device, o->object));
    return 0;
  }
  default: return order_page_locked(server, s, stream);
  }
}

static int order_tried(struct server *server, struct stream_order *s, uint32_t stream) {
  const struct protocol_order *o = &server->body.order;
  switch (o->kind) {
  case PROTOCOL_ORDER_TRIED:
    server->answer.number.number = stream_order_wants_try(s, stream, o->object);
    return 0;
  case PROTOCOL_ORDER_FUNCTION_WAITS:
    stream_order_function_waits(s, stream, o->object, o->bytes == 1);
    return 0;
  case PROTOCOL_ORDER_FUNCTION_WOULD: stream_order_function_would(s, stream, o->bytes, o->object); return 0;
  default: stream_order_function_meets(s, stream, o->bytes >> 1, o->object, o->bytes & 1); return 0;
  }
}

bool server_notes_values(const struct server *server) {
  const uint32_t kind = server->body.order.kind;
  if (server->request.operation == PROTOCOL_HOST_RESTS) return true; // comes before what was noted earlier
  return server->request.operation == PROTOCOL_ORDER &&
         (kind == PROTOCOL_ORDER_VALUE || kind == PROTOCOL_ORDER_VALUE_WRITTEN);
}

static int order_value(struct server *server, struct stream_order *s, uint32_t stream) {
  const struct protocol_order *o = &server->body.order;
  const uint64_t value = server->value.object, before = server->value.bytes;
  const unsigned how = (unsigned)o->bytes;
  if (o->kind == PROTOCOL_ORDER_VALUE) {
    server->value = *o;
    return 0;
  }
  if (o->kind == PROTOCOL_ORDER_HOST_LOOKS) {
    stream_order_host_looks(s, o->object);
    return 0;
  }
  if (!o->object || o->bytes >= STREAM_VALUE_WIDE + STREAM_VALUE_WAYS) return ERROR_INVALID_VALUE;
  if (o->kind == PROTOCOL_ORDER_VALUE_WRITTEN) {
    stream_order_value_written(s, stream, o->object, how, value, before);
  } else if (o->kind == PROTOCOL_ORDER_VALUE_AWAITED) {
    stream_order_value_awaited(s, stream, o->object, how, value, before);
  } else {
    struct stream_hang_facts facts = {.stream = stream, .how = how, .wanted = value, .now = before};
    struct fault fault;
    stream_order_value_hangs(s, o->object, &facts);
    stream_hang_words(&facts, &fault);
    fault.callers = server->callers;
    fault_record(vhopper_report(server->device), &fault);
    vhopper_fail(server->device, ERROR_LAUNCH_TIMEOUT);
  }
  return 0;
}

static int order_mark(struct stream_order *s, const struct protocol_order *o, uint32_t stream) {
  switch (o->kind) {
  case PROTOCOL_ORDER_MARK: stream_order_mark(s, o->object); return 0;
  case PROTOCOL_ORDER_AS_OF: stream_order_as_of(s, stream, o->object); return 0;
  case PROTOCOL_ORDER_FOUND: stream_order_value_found(s, o->object, o->bytes == 1); return 0;
  default: stream_order_forget_marks(s, o->object); return 0;
  }
}

int server_handle_order(struct server *server) {
  const struct protocol_order *o = &server->body.order;
  struct stream_order *s = vhopper_streams(server->device);
  const uint32_t stream = o->stream & PROTOCOL_STREAM;
  const bool of_copy = o->kind == PROTOCOL_ORDER_READS || o->kind == PROTOCOL_ORDER_WRITES;
  stream_order_called_from(s, of_copy ? server->callers : NULL); // others' callers are not known
  if (o->kind >= PROTOCOL_ORDER_KINDS || !stream) return ERROR_INVALID_VALUE;
  switch ((enum protocol_order_kind)o->kind) {
  case PROTOCOL_ORDER_STREAM: stream_order_make(s, stream, o->stream & PROTOCOL_NON_BLOCKING); return 0;
  case PROTOCOL_ORDER_STREAM_ENDS: stream_order_end(s, stream); return 0;
  case PROTOCOL_ORDER_RECORD: stream_order_record(s, stream, o->object); return 0;
  case PROTOCOL_ORDER_WAIT: stream_order_wait(s, stream, o->object); return 0;
  case PROTOCOL_ORDER_FORGET: stream_order_forget(s, o->object); return 0;
  case PROTOCOL_ORDER_HOST_STREAM: stream_order_host_waits(s, stream); return 0;
  case PROTOCOL_ORDER_HOST_EVENT: stream_order_host_waits_event(s, o->object); return 0;
  case PROTOCOL_ORDER_HOST_ALL: stream_order_host_waits_all(s); return 0;
  case PROTOCOL_ORDER_LAST: server->answer.number.number = stream_order_last(s, stream); return 0;
  case PROTOCOL_ORDER_SEEN:
    server->answer.number.number = stream_order_host_has_seen(s, stream, o->object);
    return 0;
  case PROTOCOL_ORDER_ASKS: server->answer.number.number = stream_order_host_asks(s, stream); return 0;
  case PROTOCOL_ORDER_ASKS_EVENT:
    server->answer.number.number = stream_order_host_asks_event(s, o->object);
    return 0;
  case PROTOCOL_ORDER_VALUE:
  case PROTOCOL_ORDER_VALUE_WRITTEN:
  case PROTOCOL_ORDER_VALUE_AWAITED:
  case PROTOCOL_ORDER_HOST_LOOKS:
  case PROTOCOL_ORDER_VALUE_HANGS: return order_value(server, s, stream);
  case PROTOCOL_ORDER_MARK:
  case PROTOCOL_ORDER_AS_OF:
  case PROTOCOL_ORDER_FOUND:
  case PROTOCOL_ORDER_FORGET_MARKS: return order_mark(s, o, stream);
  case PROTOCOL_ORDER_TRIED:
  case PROTOCOL_ORDER_FUNCTION_WAITS:
  case PROTOCOL_ORDER_FUNCTION_WOULD:
  case PROTOCOL_ORDER_FUNCTION_MEETS: return order_tried(server, s, stream);
  default: return order_function(server, s, stream);
  }
}
