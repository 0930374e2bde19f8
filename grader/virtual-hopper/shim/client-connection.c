// The connection to the device's process. In: requests; out: replies, each with a CUDA error.
// A mutex allows one request at a time. After fork the child can't use the connection. CUDA has the same
// limit.
#include "virtual-hopper/shim/client-later.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum {
  ROWS_AT_ONCE = 64,
};

void client_complain(const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "vhopper: %s\n", line);
}

// ---- the state that all libraries of a process share ------------------------------------------------------

// libcuda.so.1 lies in the same directory as the library that contains this code. It is loaded by its path,
// so that no other libcuda.so.1 is found.
static struct client *find_state(void) {
  Dl_info here;
  char path[PATH_MAX];
  if (!dladdr((void *)(uintptr_t)client_complain, &here) || !here.dli_fname) here.dli_fname = "";
  const char *slash = strrchr(here.dli_fname, '/');
  int length = slash ? (int)(slash - here.dli_fname + 1) : 0;
  snprintf(path, sizeof path, "%.*slibcuda.so.1", length, here.dli_fname);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  struct client *state = library ? dlsym(library, "vhopper_client_state") : NULL;
  if (state) return state;
  client_complain("%s is missing or not the virtual Hopper's; build the kit anew", path);
  exit(2);
}

struct client *client_state(void) {
  // Static, because this library runs inside any program: no caller could keep the state for it.
  static _Atomic(struct client *) state;
  struct client *known = atomic_load(&state);
  if (!known) atomic_store(&state, known = find_state());
  return known;
}

// ---- bytes ------------------------------------------------------------------------------------------------

// The program passed a pointer to host memory that it can't access. Reading that memory here ends the program
// with a memory fault, as CUDA's own copy would.
static void touch_rows(const struct iovec *vectors, int count) {
  for (int i = 0; i < count; i++) {
    volatile const char *bytes = vectors[i].iov_base;
    for (size_t at = 0; at < vectors[i].iov_len; at += 4096)
      (void)bytes[at];
    if (vectors[i].iov_len) (void)bytes[vectors[i].iov_len - 1];
  }
}

static bool transfer(int socket, struct iovec *vectors, int count, bool sending) {
  while (count) {
    if (!vectors->iov_len) {
      vectors++, count--;
      continue;
    }
    struct msghdr message = {.msg_iov = vectors, .msg_iovlen = (size_t)count};
    ssize_t done = sending ? sendmsg(socket, &message, MSG_NOSIGNAL) : recvmsg(socket, &message, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EFAULT) {
      client_complain("a copy %s host memory at %p, %zu bytes, that the program doesn't own",
                      sending ? "reads" : "writes", vectors->iov_base, vectors->iov_len);
      touch_rows(vectors, count);
    }
    if (done <= 0) return false;
    while (count && (size_t)done >= vectors->iov_len) {
      done -= (ssize_t)vectors->iov_len;
      vectors++, count--;
    }
    if (count) {
      vectors->iov_base = (char *)vectors->iov_base + done;
      vectors->iov_len -= (size_t)done;
    }
  }
  return true;
}

static bool transfer_rows(int socket, const struct client_rows *rows, size_t first, struct iovec *vectors,
                          int used, bool sending) {
  size_t row = first;
  do {
    int count = used;
    for (; row < rows->rows && count < ROWS_AT_ONCE; row++)
      vectors[count++] = (struct iovec){(char *)rows->base + row * rows->pitch, rows->width};
    if (!transfer(socket, vectors, count, sending)) return false;
    used = 0;
  } while (row < rows->rows);
  return true;
}

static bool send_request(int socket, const struct client_request *request) {
  struct protocol_request header = {.magic = PROTOCOL_REQUEST_MAGIC, .operation = request->operation};
  header.body_bytes = (uint32_t)request->body_bytes;
  header.stream = request->in;
  header.payload_bytes =
      request->source ? request->source->width * request->source->rows : request->payload_bytes;
  struct iovec vectors[ROWS_AT_ONCE] = {{&header, sizeof header},
                                        {(void *)(uintptr_t)request->body, request->body_bytes}};
  if (request->source && header.payload_bytes)
    return transfer_rows(socket, request->source, 0, vectors, 2, true);
  vectors[2] = (struct iovec){(void *)(uintptr_t)request->payload, request->payload_bytes};
  return transfer(socket, vectors, request->source ? 2 : 3, true);
}

// A descriptor comes with the first byte of a reply.
static bool receive_header(int socket, struct protocol_reply *reply, int *file) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec head = {reply, sizeof *reply};
  if (file) {
    struct msghdr message = {
        .msg_iov = &head, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got;
    do {
      got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
      memcpy(file, CMSG_DATA(header), sizeof *file);
    head = (struct iovec){(char *)reply + got, sizeof *reply - (size_t)got};
  }
  return transfer(socket, &head, 1, false) && reply->magic == PROTOCOL_REPLY_MAGIC;
}

// Receives the header first, because it says how many bytes follow. Then receives body and payload together.
static bool receive_reply(int socket, struct client_request *request, struct protocol_reply *reply) {
  if (!receive_header(socket, reply, request->file)) return false;
  if (reply->body_bytes && reply->body_bytes != request->answer_bytes) return false;
  struct iovec vectors[ROWS_AT_ONCE] = {{request->answer, reply->body_bytes}};
  if (!reply->payload_bytes) return transfer(socket, vectors, 1, false);
  if (request->destination) {
    const struct client_rows *rows = request->destination;
    if (reply->payload_bytes != rows->width * rows->rows) return false;
    return transfer_rows(socket, rows, 0, vectors, 1, false);
  }
  if (!request->reply_payload) return false;
  *request->reply_payload = malloc(reply->payload_bytes);
  *request->reply_bytes = reply->payload_bytes;
  if (!*request->reply_payload) return false;
  vectors[1] = (struct iovec){*request->reply_payload, reply->payload_bytes};
  return transfer(socket, vectors, 2, false);
}

// ---- calls ------------------------------------------------------------------------------------------------

static int lose(struct client *client) {
  if (!atomic_exchange(&client->loss_was_reported, true))
    client_complain(
        "the device's process has gone or refuses to go on; the program can't use the GPU any more");
  atomic_store(&client->launch_runs, false);
  client->failure = ERROR_DEVICES_UNAVAILABLE;
  return client->failure;
}

static int take_reply(struct client *client, const struct protocol_reply *reply) {
  atomic_store(&client->device_error, reply->device_error);
  atomic_store(&client->output_waits, reply->output_waits != 0);
  atomic_store(&client->virtual_time, reply->virtual_time);
  if (reply->has_polled) atomic_store(&client->told_calls, atomic_load(&client->later_calls));
  return reply->status;
}

// The caller holds the mutex, here and in the next. Receives another answer of a launch that runs on.
static int hear_launch(struct client *client) {
  struct client_request none = {0};
  struct protocol_reply reply;
  if (!receive_reply(client->socket, &none, &reply)) return lose(client);
  if (reply.runs_on) {
    atomic_store(&client->launch_waits, true);
    return 0;
  }
  (void)take_reply(client, &reply);
  atomic_store(&client->launch_runs, false);
  client_events_end(reply.virtual_time);
  return 0;
}

static int await_launch(struct client *client) {
  int status = 0;
  while (!status && atomic_load(&client->launch_runs))
    status = hear_launch(client);
  return status;
}

// The launch may wait for the host, in vain.
static int await_at_rest(struct client *client, bool has_kept) {
  enum { MOMENT_MS = 20 };
  struct pollfd answer = {client->socket, POLLIN, 0};
  struct client_request rests = {.operation = PROTOCOL_HOST_RESTS};
  struct protocol_reply reply;
  int status = 0;
  if (has_kept && !atomic_load(&client->launch_waits)) (void)poll(&answer, 1, MOMENT_MS);
  while (!status && atomic_load(&client->launch_runs) && !atomic_load(&client->launch_waits) &&
         (!has_kept || poll(&answer, 1, 0) > 0))
    status = hear_launch(client);
  if (status || !atomic_load(&client->launch_runs)) return status;
  if (!atomic_load(&client->launch_waits) || !client_is_at_rest(client, has_kept))
    return has_kept ? 0 : await_launch(client);
  if (!send_request(client->socket, &rests)) return lose(client);
  status = await_launch(client);
  if (status) return status;
  if (!receive_reply(client->socket, &rests, &reply)) return lose(client);
  return take_reply(client, &reply);
}

static int exchange(struct client *client, struct client_request *request) {
  struct protocol_reply reply;
  int status = await_launch(client);
  if (status) return status;
  if (!send_request(client->socket, request) || !receive_reply(client->socket, request, &reply))
    return lose(client);
  request->runs_on = reply.runs_on && !reply.status;
  if (request->runs_on) {
    client->running_stream = request->stream;
    client_behind_begin(request->in & PROTOCOL_STREAM);
    atomic_store(&client->launch_waits, reply.runs_on == PROTOCOL_WAITS);
    atomic_store(&client->launch_runs, true);
  }
  return take_reply(client, &reply);
}

// A launch of the parent's, or none: nothing to wait for.
static bool runs_here(struct client *client) {
  return atomic_load(&client->launch_runs) && atomic_load(&client->process) == getpid();
}

void client_settle(void) {
  struct client *client = client_state();
  if (!runs_here(client)) return;
  pthread_mutex_lock(&client->mutex);
  (void)await_launch(client);
  pthread_mutex_unlock(&client->mutex);
}

void client_settle_stream(uint32_t stream) {
  struct client *client = client_state();
  if (!runs_here(client) || (stream && stream != ((uint32_t)client->running_stream & PROTOCOL_STREAM)))
    return;
  pthread_mutex_lock(&client->mutex);
  if (atomic_load(&client->launch_runs)) (void)await_at_rest(client, false);
  pthread_mutex_unlock(&client->mutex);
}

void client_settle_at_rest(void) {
  struct client *client = client_state();
  if (!runs_here(client)) return;
  pthread_mutex_lock(&client->mutex);
  if (atomic_load(&client->launch_runs)) (void)await_at_rest(client, true);
  pthread_mutex_unlock(&client->mutex);
}

bool client_launch_waits(const struct client *client) {
  return atomic_load(&client->launch_runs) && atomic_load(&client->launch_waits);
}

bool client_is_busy(void) {
  struct client *client = client_state();
  if (!runs_here(client)) return false;
  if (pthread_mutex_trylock(&client->mutex) != 0) return true; // another thread waits for the launch
  struct pollfd answer = {client->socket, POLLIN, 0};
  while (atomic_load(&client->launch_runs) && poll(&answer, 1, 0) > 0)
    (void)hear_launch(client);
  pthread_mutex_unlock(&client->mutex);
  return atomic_load(&client->launch_runs);
}

// Every process connects by itself to the name that `vhopper run` has put into the environment.
static int connect_by_name(const char *text) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t length = strlen(text);
  const int file = length < sizeof address.sun_path ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
  if (file < 0) return -1;
  memcpy(address.sun_path + 1, text + 1, length - 1); // @ stands for a zero
  if (connect(file, (struct sockaddr *)&address,
              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) == 0)
    return file;
  close(file);
  return -1;
}

// `vhopper run` hears of a process that has loaded a library, even if it never uses CUDA.
__attribute__((constructor)) static void announce(void) {
  const char *text = getenv(PROTOCOL_SOCKET_VARIABLE);
  const int file = text && text[0] == '@' ? connect_by_name(text) : -1;
  if (file >= 0) close(file);
}

static int find_socket(void) {
  const char *text = getenv(PROTOCOL_SOCKET_VARIABLE);
  if (text && text[0] == '@') {
    const int file = connect_by_name(text);
    if (file < 0) client_complain("the device's process, %s, is gone", text);
    return file;
  }
  if (!text) {
    client_complain(
        "this is the virtual Hopper's CUDA library, but no device was started for it: vhopper run -- "
        "PROGRAM");
    return -1;
  }
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  int type = 0;
  socklen_t size = sizeof type;
  if (errno || *end || end == text || number < 0 || number > INT_MAX ||
      getsockopt((int)number, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) {
    client_complain(
        "%s=%s is no socket of this process; a program started by one that uses the GPU can't use it as well",
        PROTOCOL_SOCKET_VARIABLE, text);
    return -1;
  }
  // Programs that this program starts must not write into its connection.
  (void)fcntl((int)number, F_SETFD, FD_CLOEXEC);
  return (int)number;
}

// The caller holds the mutex. Returns 0, or the CUDA error that every later call returns.
static int connect_once(struct client *client) {
  if (atomic_load(&client->process)) return client->failure;
  client->socket = find_socket();
  client->is_run = getenv(PROTOCOL_SOCKET_VARIABLE) && getenv(PROTOCOL_SOCKET_VARIABLE)[0] == '@';
  client->failure = client->socket < 0 ? ERROR_NO_DEVICE : 0;
  if (!client->failure) {
    struct protocol_hello hello = {PROTOCOL_VERSION, getpid()};
    struct protocol_number processors = {0};
    struct client_request request = {.operation = PROTOCOL_HELLO,
                                     .body = &hello,
                                     .body_bytes = sizeof hello,
                                     .answer = &processors,
                                     .answer_bytes = sizeof processors};
    int status = exchange(client, &request);
    client->processors = (int)processors.number;
    if (status && !client->failure) {
      client_complain("the device's process speaks another version of the protocol; build the kit anew");
      client->failure = ERROR_NO_DEVICE;
    }
  }
  atomic_store(&client->process, getpid());
  return client->failure;
}

static int check_fork(struct client *client) {
  pid_t process = atomic_load(&client->process);
  if (!process || process == getpid()) return 0;
  if (!atomic_exchange(&client->fork_was_reported, true))
    client_complain(
        "process %d was forked from one that uses CUDA, and can't use it: fork before the first CUDA call",
        (int)getpid());
  return ERROR_INITIALIZATION_ERROR;
}

// True for an operation that is not part of a stream and waits for no stream. A launch counts here, too:
// client_launch_follows keeps track of launches.
static bool is_beside_streams(enum protocol_operation operation) {
  switch (operation) {
  case PROTOCOL_ALLOCATE:
  case PROTOCOL_FREE:
  case PROTOCOL_WRITE:
  case PROTOCOL_READ:
  case PROTOCOL_COPY:
  case PROTOCOL_FILL:
  case PROTOCOL_PIN:
  case PROTOCOL_UNPIN:
  case PROTOCOL_UNLOAD:
  case PROTOCOL_RESET: return false;
  default: return true;
  }
}

// The caller holds the mutex.
static int send_orders(struct client *client) {
  struct protocol_order order;
  int status = 0;
  while (!status && client_order_take(&order)) {
    struct protocol_number unused;
    struct client_request request = {.operation = PROTOCOL_ORDER,
                                     .body = &order,
                                     .body_bytes = sizeof order,
                                     .answer = &unused,
                                     .answer_bytes = sizeof unused};
    (void)exchange(client, &request);
    status = client->failure;
  }
  return status;
}

static bool has_callers(enum protocol_operation operation) {
  return operation == PROTOCOL_LAUNCH || operation == PROTOCOL_ALLOCATE ||
         operation == PROTOCOL_CALL_FAILED || operation == PROTOCOL_WRITE || operation == PROTOCOL_READ ||
         operation == PROTOCOL_COPY || operation == PROTOCOL_FILL;
}

// The caller holds the mutex.
static int send_callers(struct client *client) {
  char text[PROTOCOL_MAX_CALLERS];
  if (!client->is_run || !client_callers(client, text, sizeof text)) return 0;
  struct client_request request = {
      .operation = PROTOCOL_CALLERS, .payload = text, .payload_bytes = strlen(text)};
  (void)exchange(client, &request);
  return client->failure;
}

// Host functions that this request comes after must have ended.
static void call_functions(const struct client_request *request) {
  const uint32_t stream = request->in & PROTOCOL_STREAM;
  if (request->operation == PROTOCOL_ORDER) return;
  if (stream)
    client_functions_await(stream);
  else if (request->operation == PROTOCOL_ALLOCATE || request->operation == PROTOCOL_PIN)
    client_functions_try_all(); // on a GPU the call returns at once
  else if (request->operation == PROTOCOL_FREE || request->operation == PROTOCOL_UNPIN ||
           request->operation == PROTOCOL_UNLOAD || request->operation == PROTOCOL_RESET)
    client_functions_all();
}

// The host knows more when the request is done.
static bool tells_host(const struct client_request *request) {
  if (request->operation != PROTOCOL_ORDER) return request->in & (PROTOCOL_HOST_WAITS | PROTOCOL_HOST_STAGES);
  return client_order_is_news((enum protocol_order_kind)((const struct protocol_order *)request->body)->kind);
}

int client_call(struct client_request *request) {
  struct client *client = client_state();
  int status = check_fork(client);
  if (status) return status;
  call_functions(request);
  const bool is_news = tells_host(request);
  if (is_news) client_later_look();
  const bool counts =
      request->operation != PROTOCOL_ORDER && request->operation != PROTOCOL_STATUS && !request->is_peek;
  if (counts) atomic_fetch_add(&client->calls, 1), atomic_fetch_add(&client->calls_under_way, 1);
  if (!is_beside_streams(request->operation) && !request->is_peek) client_launches_end();
  client_guards_lend(request->source);
  client_guards_lend(request->destination);
  pthread_mutex_lock(&client->mutex);
  status = connect_once(client);
  if (!status) status = send_orders(client);
  if (!status && (has_callers(request->operation) || request->tells_callers)) status = send_callers(client);
  if (!status) status = exchange(client, request);
  pthread_mutex_unlock(&client->mutex);
  if (is_news) atomic_fetch_add(&client->host_news, 1);
  client_guards_return(request->source);
  client_guards_return(request->destination);
  if (counts) atomic_fetch_sub(&client->calls_under_way, 1);
  return status;
}

int client_connect(void) {
  struct client *client = client_state();
  int status = check_fork(client);
  if (status || atomic_load(&client->process)) return status ? status : client->failure;
  pthread_mutex_lock(&client->mutex);
  status = connect_once(client);
  pthread_mutex_unlock(&client->mutex);
  return status;
}

int client_device_error(void) {
  return atomic_load(&client_state()->device_error);
}

void client_flush_output(void) {
  struct client *client = client_state();
  client_launches_end(); // because the program waits
  client_settle();
  client_guards_check();
  if (!atomic_load(&client->output_waits)) return;
  void *text = NULL;
  size_t bytes = 0;
  struct client_request request = {
      .operation = PROTOCOL_OUTPUT, .reply_payload = &text, .reply_bytes = &bytes};
  if (client_call(&request) == 0 && bytes) {
    fwrite(text, 1, bytes, stdout);
    fflush(stdout);
  }
  free(text);
}

// A loop over an unsupported call is told once.
static bool is_new_complaint(const char *text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *text; text++)
    hash = (hash ^ (uint8_t)*text) * 0x00000100000001b3ull;
  const uint64_t bit = 1ull << (hash >> 58);
  return !(atomic_fetch_or(&client_state()->complained, bit) & bit);
}

int client_unsupported(const char *what, ...) {
  char text[PROTOCOL_MAX_MESSAGE];
  va_list arguments;
  va_start(arguments, what);
  vsnprintf(text, sizeof text, what, arguments);
  va_end(arguments);
  char caller[PATH_MAX + 32];
  client_caller_text(caller, sizeof caller);
  const char *instead = client_instead(text);
  if (is_new_complaint(text))
    client_complain("%s is not supported by the virtual Hopper%s%s%s", text, caller, *instead ? ". " : "",
                    instead);
  struct client_request request = {
      .operation = PROTOCOL_UNSUPPORTED, .payload = text, .payload_bytes = strlen(text)};
  (void)client_call(&request);
  return ERROR_NOT_SUPPORTED;
}
