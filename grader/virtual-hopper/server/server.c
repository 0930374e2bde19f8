// In: bytes from the socket, whenever they arrive. Out: replies, whenever the socket takes bytes. A state
// machine that never blocks, with four phases: header, body, payload, reply; and a fifth, for a launch
// that was answered before it runs. Big transfers go directly between the socket and device memory.
#include "virtual-hopper/server/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "monotonic.h"
#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/rules/fault.h"

enum progress { PROGRESS_ON, PROGRESS_WAIT, PROGRESS_DONE, PROGRESS_END };
enum { STREAM_ROWS_AT_ONCE = 64, DISCARDED_AT_ONCE = 65536 };

// ---- life -------------------------------------------------------------------------------------------------

static void set_default_limits(struct server_limits *limits) {
  if (!limits->allocations) limits->allocations = 65536;
  if (!limits->modules) limits->modules = 1024;
  if (!limits->functions) limits->functions = 65536;
  if (!limits->kernels) limits->kernels = 4096;
  if (!limits->output_bytes) limits->output_bytes = (size_t)16 << 20;
  if (!limits->module_bytes) limits->module_bytes = (size_t)256 << 20;
  if (!limits->modules_memory) limits->modules_memory = (size_t)2 << 30;
  if (!(limits->file_seconds > 0)) limits->file_seconds = 10;
  if (!limits->memory_bytes) limits->memory_bytes = 85014937600u; // free memory of an idle H100 with 80 GiB
}

struct server *server_create(struct vhopper *device, int socket, const struct server_limits *limits) {
  struct server *server = calloc(1, sizeof *server);
  if (!server) die("no memory for a server");
  server->device = device;
  server->socket = socket;
  server->reply_file = -1;
  if (limits) server->limits = *limits;
  set_default_limits(&server->limits);
  // Larger buffers mean fewer switches between the two processes in a big copy. The kernel caps the size;
  // that's fine.
  int bytes = 4 << 20;
  (void)setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  (void)setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  return server;
}

static void close_reply_file(struct server *server) {
  if (server->reply_file >= 0) close(server->reply_file);
  server->reply_file = -1;
}

void server_destroy(struct server *server) {
  if (!server) return;
  close_reply_file(server);
  server_unload_modules(server);
  server_free_allocations(server);
  server_forget_host(server);
  for (size_t i = 0; i < server->kernel_count; i++)
    free((char *)server->kernels[i].name);
  free(server->kernels);
  free(server->modules);
  free(server->functions);
  free(server->allocations);
  free(server->own_modules);
  server_free_payload(server);
  free(server->reply_payload);
  budget_give(vhopper_budget(server->device), BUDGET_TEXT, server->output_bytes);
  free(server->output);
  free(server);
}

short server_events(const struct server *server) {
  return server->phase == PHASE_REPLY ? POLLOUT : POLLIN;
}

bool server_is_idle(const struct server *server) {
  if (server->phase == PHASE_ENDED) return true;
  return server->phase == PHASE_HEADER && server->input_start == server->input_end;
}

const char *server_reason(const struct server *server) {
  return server->reason;
}

const struct server_counters *server_counters(const struct server *server) {
  return &server->counters;
}

size_t server_kernel_count(const struct server *server) {
  return server->kernel_count;
}

struct server_kernel server_kernel_at(const struct server *server, size_t index) {
  return index < server->kernel_count ? server->kernels[index] : (struct server_kernel){"", 0};
}

bool server_grow(void **array, size_t count, size_t *room, size_t size, size_t limit) {
  if (count >= limit) return false;
  if (count < *room) return true;
  size_t wanted = *room ? *room * 2 : 16;
  void *grown = reallocarray(*array, wanted, size);
  if (!grown) die("no memory for %zu entries of %zu bytes", wanted, size);
  *array = grown;
  *room = wanted;
  return true;
}

int server_refuse_memory(struct server *server) {
  char text[320];
  budget_describe(vhopper_budget(server->device), text, sizeof text);
  fault_refuse(vhopper_report(server->device), "%s", text);
  return ERROR_MEMORY_ALLOCATION;
}

void server_free_payload(struct server *server) {
  if (server->payload)
    budget_give(vhopper_budget(server->device), BUDGET_MODULES, server->request.payload_bytes);
  free(server->payload);
  server->payload = NULL;
}

void server_copy_text(char *destination, size_t room, const uint8_t *text, uint64_t length) {
  size_t count = length < room ? (size_t)length : room - 1;
  for (size_t i = 0; i < count; i++)
    destination[i] = text[i] == '\n' || (text[i] >= 0x20 && text[i] < 0x7f) ? (char)text[i] : '?';
  destination[count] = '\0';
}

__attribute__((format(printf, 2, 3))) static enum progress drop(struct server *server, const char *format,
                                                                ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(server->reason, sizeof server->reason, format, arguments);
  va_end(arguments);
  (void)shutdown(server->socket, SHUT_RDWR);
  server->phase = PHASE_ENDED;
  return PROGRESS_END;
}

// Whoever answers the grader in the runner's place must not go on, so this is the end of the connection, not
// an error number.
static enum progress end_spent(struct server *server) {
  (void)shutdown(server->socket, SHUT_RDWR);
  server->phase = PHASE_ENDED;
  return PROGRESS_END;
}

bool server_is_crowded(const struct server *server) {
  return server->crowded;
}

bool server_is_spent(const struct server *server) {
  return server->spent;
}

void server_drop(struct server *server, const char *reason) {
  (void)drop(server, "%s", reason);
}

// ---- streams ----------------------------------------------------------------------------------------------

static uint64_t stream_left(const struct server_stream *stream) {
  if (stream->row >= stream->rows) return 0;
  return (stream->rows - stream->row) * stream->width - stream->offset;
}

// Fills in the next pieces of memory, at most `limit` bytes. Returns the number of pieces.
static int stream_vectors(const struct server_stream *stream, struct iovec *vectors, uint64_t limit) {
  int count = 0;
  uint64_t offset = stream->offset;
  for (uint64_t row = stream->row; row < stream->rows && count < STREAM_ROWS_AT_ONCE && limit; row++) {
    uint64_t bytes = stream->width - offset < limit ? stream->width - offset : limit;
    vectors[count++] = (struct iovec){stream->base + row * stream->pitch + offset, bytes};
    limit -= bytes;
    offset = 0;
  }
  return count;
}

static void stream_advance(struct server_stream *stream, uint64_t bytes) {
  if (!stream->width) return;
  uint64_t position = stream->offset + bytes;
  stream->row += position / stream->width;
  stream->offset = position % stream->width;
}

// ---- reading ----------------------------------------------------------------------------------------------

// Classifies the result of a socket call: PROGRESS_ON with bytes in *count, or another next step.
static enum progress judge_transfer(struct server *server, ssize_t result, bool may_end) {
  if (result > 0) return PROGRESS_ON;
  if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return PROGRESS_WAIT;
  if (result < 0 && errno == EINTR) return PROGRESS_WAIT;
  if (may_end || (result < 0 && (errno == EPIPE || errno == ECONNRESET))) {
    server->phase = PHASE_ENDED;
    return PROGRESS_END;
  }
  if (result == 0) return drop(server, "the program's end of the socket closed in the middle of a message");
  return drop(server, "the socket failed: %s", strerror(errno));
}

// Makes progress until `bytes` bytes are at input_start.
static enum progress want_input(struct server *server, size_t bytes) {
  if (server->input_end - server->input_start >= bytes) return PROGRESS_ON;
  memmove(server->input, server->input + server->input_start, server->input_end - server->input_start);
  server->input_end -= server->input_start;
  server->input_start = 0;
  bool between_messages = server->phase == PHASE_HEADER && server->input_end == 0;
  ssize_t got = recv(server->socket, server->input + server->input_end,
                     sizeof server->input - server->input_end, MSG_DONTWAIT);
  enum progress progress = judge_transfer(server, got, got == 0 && between_messages);
  if (progress == PROGRESS_ON) server->input_end += (size_t)got;
  return progress == PROGRESS_ON && server->input_end < bytes ? PROGRESS_WAIT : progress;
}

static void take_input(struct server *server, void *destination, size_t bytes) {
  memcpy(destination, server->input + server->input_start, bytes);
  server->input_start += bytes;
}

static enum progress read_header(struct server *server) {
  enum progress progress = want_input(server, sizeof server->request);
  if (progress != PROGRESS_ON) return progress;
  take_input(server, &server->request, sizeof server->request);
  const struct protocol_request *request = &server->request;
  const uint32_t known = PROTOCOL_STREAM | PROTOCOL_HOST_WAITS | PROTOCOL_HOST_STAGES;
  if (request->magic != PROTOCOL_REQUEST_MAGIC || request->stream & ~known)
    return drop(server, "request %" PRIu64 " doesn't begin as a message of this protocol does",
                server->counters.requests);
  const struct server_operation *operation = server_operation(request->operation);
  if (!operation) return drop(server, "there is no operation %u", request->operation);
  if (request->body_bytes != operation->body_bytes)
    return drop(server, "%s has %u bytes of arguments, not %u", operation->name, operation->body_bytes,
                request->body_bytes);
  if (request->payload_bytes > server_payload_limit(server))
    return drop(server, "%s may carry %" PRIu64 " bytes, not %" PRIu64, operation->name,
                server_payload_limit(server), request->payload_bytes);
  if (!server->greeted && request->operation != PROTOCOL_HELLO)
    return drop(server, "%s came before HELLO", operation->name);
  if (request->operation != PROTOCOL_CALL_FAILED && request->operation != PROTOCOL_CALLERS)
    server->detail[0] = '\0';
  server->phase = PHASE_BODY;
  return PROGRESS_ON;
}

static enum progress read_body(struct server *server) {
  const struct server_operation *operation = server_operation(server->request.operation);
  enum progress progress = want_input(server, operation->body_bytes);
  if (progress != PROGRESS_ON) return progress;
  memset(&server->body, 0, sizeof server->body);
  take_input(server, &server->body, operation->body_bytes);
  server->payload_done = 0;
  server->streams_in = operation->begin != NULL;
  server->begin_status = operation->begin ? operation->begin(server) : 0;
  if (server->spent) return end_spent(server);
  if (server->streams_in) {
    const struct protocol_region *region = &server->body.region;
    uint64_t bytes;
    if (__builtin_mul_overflow(region->width, region->rows, &bytes) || bytes != server->request.payload_bytes)
      return drop(server, "WRITE of %" PRIu64 " rows of %" PRIu64 " bytes carries %" PRIu64 " bytes",
                  region->rows, region->width, server->request.payload_bytes);
  } else if (operation->has_payload) {
    server_free_payload(server);
    budget_count(vhopper_budget(server->device), BUDGET_MODULES, server->request.payload_bytes);
    server->payload = malloc(server->request.payload_bytes + 1);
    if (!server->payload) die("no memory for a message of %" PRIu64 " bytes", server->request.payload_bytes);
    server->payload[server->request.payload_bytes] = '\0';
  }
  server->phase = PHASE_PAYLOAD;
  return PROGRESS_ON;
}

// Uses the part of the payload that arrived with the header.
static void use_buffered_payload(struct server *server) {
  uint64_t left = server->request.payload_bytes - server->payload_done;
  size_t buffered = server->input_end - server->input_start;
  size_t bytes = buffered < left ? buffered : (size_t)left;
  if (!bytes) return;
  if (!server->streams_in) {
    if (!server->payload) die("an operation without payload has been given one");
    take_input(server, server->payload + server->payload_done, bytes);
  } else if (!server->stream.base) {
    server->input_start += bytes;
  } else {
    for (size_t done = 0; done < bytes;) {
      struct iovec vector = {0};
      struct server_stream one = server->stream;
      one.rows = one.row + 1; // one piece at a time
      if (!stream_vectors(&one, &vector, bytes - done)) die("a payload is longer than the rows it fills");
      take_input(server, vector.iov_base, vector.iov_len);
      stream_advance(&server->stream, vector.iov_len);
      done += vector.iov_len;
    }
  }
  server->payload_done += bytes;
}

static ssize_t receive_payload(struct server *server, uint64_t left) {
  if (!server->streams_in)
    return recv(server->socket, server->payload + server->payload_done, left, MSG_DONTWAIT);
  if (!server->stream.base) {
    uint8_t discarded[DISCARDED_AT_ONCE];
    return recv(server->socket, discarded, left < sizeof discarded ? left : sizeof discarded, MSG_DONTWAIT);
  }
  struct iovec vectors[STREAM_ROWS_AT_ONCE];
  struct msghdr message = {.msg_iov = vectors};
  message.msg_iovlen = (size_t)stream_vectors(&server->stream, vectors, left);
  ssize_t got = recvmsg(server->socket, &message, MSG_DONTWAIT);
  if (got > 0) stream_advance(&server->stream, (uint64_t)got);
  return got;
}

void server_pass_time(struct server *server) {
  if (!server->limits.real_time) return;
  const double now = monotonic_seconds();
  if (server->counted_until > 0)
    vhopper_pass_time(server->device, (uint64_t)((now - server->counted_until) * 1e9));
  server->counted_until = now;
}

static void prepare_reply(struct server *server, int status);

static enum progress read_payload(struct server *server) {
  use_buffered_payload(server);
  uint64_t left = server->request.payload_bytes - server->payload_done;
  if (left) {
    ssize_t got = receive_payload(server, left);
    enum progress progress = judge_transfer(server, got, false);
    if (progress != PROGRESS_ON) return progress;
    server->payload_done += (uint64_t)got;
    return PROGRESS_ON;
  }
  const struct server_operation *operation = server_operation(server->request.operation);
  memset(&server->answer, 0, sizeof server->answer);
  memset(&server->reply, 0, sizeof server->reply);
  server->streams_out = false;
  server->counters.requests++;
  if (!server_charge_request(server)) return end_spent(server);
  if (!server_notes_values(server)) stream_order_settle(vhopper_streams(server->device));
  const int status = server->begin_status ? server->begin_status : operation->handle(server);
  if (server->spent) return end_spent(server);
  prepare_reply(server, status);
  return PROGRESS_ON;
}

// ---- answering --------------------------------------------------------------------------------------------

static void prepare_reply(struct server *server, int status) {
  struct protocol_reply *reply = &server->reply;
  if (!server->launch_is_early) server_free_payload(server);
  server_pass_time(server);
  reply->magic = PROTOCOL_REPLY_MAGIC;
  reply->status = status;
  reply->device_error = vhopper_sticky_error(server->device);
  reply->output_waits = server->output_bytes != 0;
  reply->runs_on = server->launch_is_early ? PROTOCOL_RUNS : PROTOCOL_ENDED;
  reply->has_polled = stream_order_has_polled(vhopper_streams(server->device));
  reply->virtual_time = vhopper_virtual_time(server->device);
  if (status) {
    server->counters.failed_requests++;
    server->streams_out = false;
    reply->payload_bytes = 0;
  } else {
    reply->body_bytes = server_operation(server->request.operation)->answer_bytes;
  }
  server->reply_done = 0;
  server->phase = PHASE_REPLY;
}

static void attach_file(struct msghdr *message, void *control, size_t bytes, int file) {
  memset(control, 0, bytes);
  message->msg_control = control;
  message->msg_controllen = bytes;
  struct cmsghdr *header = CMSG_FIRSTHDR(message);
  *header =
      (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof file)};
  memcpy(CMSG_DATA(header), &file, sizeof file);
}

// The kernel counts the descriptors on their way of all processes of a user, and refuses one more for any of
// them that may have few open: so others' can be in the way, for a moment. Whoever watches the program would
// count our sleep as its own, so we don't sleep.
static enum progress wait_for_others_files(struct server *server) {
  const double now = monotonic_seconds();
  if (!(server->file_since > 0)) server->file_since = now;
  if (now - server->file_since < server->limits.file_seconds) return PROGRESS_WAIT;
  server->crowded = true;
  return drop(server, "other processes of this user's have too many descriptors on their way");
}

static enum progress send_reply(struct server *server) {
  const struct protocol_reply *reply = &server->reply;
  uint64_t head = sizeof *reply + reply->body_bytes, total = head + reply->payload_bytes;
  struct iovec vectors[2 + STREAM_ROWS_AT_ONCE];
  int count = 0;
  uint64_t done = server->reply_done;
  if (done < sizeof *reply)
    vectors[count++] = (struct iovec){(uint8_t *)&server->reply + done, sizeof *reply - done};
  if (done < head && reply->body_bytes) {
    uint64_t skip = done > sizeof *reply ? done - sizeof *reply : 0;
    vectors[count++] = (struct iovec){(uint8_t *)&server->answer + skip, reply->body_bytes - skip};
  }
  if (server->streams_out) {
    count += stream_vectors(&server->stream, vectors + count, stream_left(&server->stream));
  } else if (reply->payload_bytes) {
    uint64_t skip = done > head ? done - head : 0;
    vectors[count++] = (struct iovec){server->reply_payload + skip, reply->payload_bytes - skip};
  }
  struct msghdr message = {.msg_iov = vectors, .msg_iovlen = (size_t)count};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  if (server->reply_file >= 0) attach_file(&message, &control, sizeof control, server->reply_file);
  ssize_t sent = sendmsg(server->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno == ETOOMANYREFS) return wait_for_others_files(server);
  enum progress progress = judge_transfer(server, sent, false);
  if (progress != PROGRESS_ON) return progress;
  server->file_since = 0;
  close_reply_file(server);
  uint64_t before = done > head ? done : head;
  server->reply_done += (uint64_t)sent;
  if (server->streams_out && server->reply_done > before)
    stream_advance(&server->stream, server->reply_done - before);
  if (server->reply_done < total) return PROGRESS_ON;
  free(server->reply_payload);
  server->reply_payload = NULL;
  server->phase = server->launch_is_early ? PHASE_LAUNCH : PHASE_HEADER;
  return server->launch_is_early ? PROGRESS_ON : PROGRESS_DONE;
}

// The launch has been answered: runs it, and answers again.
static enum progress run_early_launch(struct server *server) {
  stream_order_judge_later(vhopper_streams(server->device));
  server->tells_waiting = true;
  int status = server_run_launch(server);
  memset(&server->reply, 0, sizeof server->reply);
  prepare_reply(server, status);
  return PROGRESS_ON;
}

enum server_state server_step(struct server *server) {
  for (;;) {
    enum progress progress = PROGRESS_END;
    switch (server->phase) {
    case PHASE_HEADER: progress = read_header(server); break;
    case PHASE_BODY: progress = read_body(server); break;
    case PHASE_PAYLOAD: progress = read_payload(server); break;
    case PHASE_REPLY: progress = send_reply(server); break;
    case PHASE_LAUNCH: progress = run_early_launch(server); break;
    case PHASE_ENDED: break;
    }
    if (progress == PROGRESS_WAIT) return SERVER_WAITING;
    if (progress == PROGRESS_DONE) return SERVER_HANDLED;
    if (progress == PROGRESS_END) return server->reason[0] ? SERVER_DROPPED : SERVER_CLOSED;
  }
}
