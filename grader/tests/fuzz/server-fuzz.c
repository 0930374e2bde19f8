// In: any bytes, used either unchanged or as a script of requests with plausible fields. The server on the
// other end of the socket must answer or drop the connection, keep its limits (of memory, all kinds together,
// counted or not, and of time), notice each module that the program was not built with, and give all memory
// back.
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zstd.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/server/protocol.h"
#include "virtual-hopper/server/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

// The address sanitizer's, as in its header allocator_interface.h, which not every compiler brings.
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                              void (*)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *);

// The kernels access no memory. After an error the device would have stopped, and a new device costs
// milliseconds.
static const char module_text[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".global .align 4 .b8 table[64];\n"
    ".visible .entry none()\n{\nret;\n}\n"
    ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nadd.u32 %r1, %r1, 1;\nret;\n}\n";
static const char *const texts[] = {
    "none",
    "add",
    "table",
    "",
    "missing",
    module_text,
    ".version 9.0\n",
    "\x50\xED\x55\xBA\x01\0\x10\0\x40",
    "/usr/lib/a.so+0x10\n\x1b[2J\xe2\x80\xae<b>+0xffffffffffffffffff\n+\nprogram+0x"};
// Two containers as nvcc makes them; one byte of their PTX differs. The program was built with the first.
enum { CONTAINER_HEADER = 16, ENTRY_HEADER = 64, PTX_BYTES = sizeof module_text };
static struct container {
  uint8_t bytes[CONTAINER_HEADER + ENTRY_HEADER + PTX_BYTES];
} own_container, other_container;
// Some hundred bytes that hold a comment of half a MiB, which is read quickly; and many of them.
enum { COMMENT = 512 << 10, PACKED = 256, MOST_PACKED = 16 };
static uint8_t packed_containers[MOST_PACKED * PACKED];
static size_t packed_bytes; // of one

_Static_assert(PROTOCOL_HOST_RESTS + 1 == PROTOCOL_OPERATION_COUNT, "a new operation's body goes here");
static const size_t body_bytes[PROTOCOL_OPERATION_COUNT] = {
    [PROTOCOL_HELLO] = sizeof(struct protocol_hello),
    [PROTOCOL_ALLOCATE] = sizeof(struct protocol_allocate),
    [PROTOCOL_FREE] = sizeof(struct protocol_free),
    [PROTOCOL_WRITE] = sizeof(struct protocol_region),
    [PROTOCOL_READ] = sizeof(struct protocol_region),
    [PROTOCOL_COPY] = sizeof(struct protocol_copy),
    [PROTOCOL_FILL] = sizeof(struct protocol_fill),
    [PROTOCOL_LOCATE] = sizeof(struct protocol_locate),
    [PROTOCOL_UNLOAD] = sizeof(struct protocol_module),
    [PROTOCOL_FUNCTION] = sizeof(struct protocol_module),
    [PROTOCOL_VARIABLE] = sizeof(struct protocol_module),
    [PROTOCOL_SET_SHARED] = sizeof(struct protocol_set_shared),
    [PROTOCOL_LAUNCH] = sizeof(struct protocol_launch),
    [PROTOCOL_HOST_FAULT] = sizeof(struct protocol_host_fault),
    [PROTOCOL_ORDER] = sizeof(struct protocol_order),
    [PROTOCOL_PIN] = sizeof(struct protocol_pin),
    [PROTOCOL_UNPIN] = sizeof(struct protocol_free),
    [PROTOCOL_SET_LIMIT] = sizeof(struct protocol_set_limit),
    [PROTOCOL_CALL_FAILED] = sizeof(struct protocol_call_failed),
    [PROTOCOL_MANAGED] = sizeof(struct protocol_free),
};

struct session {
  const uint8_t *bytes;
  size_t left;
  struct server *server;
  int client;
  bool over;
  uint64_t address; // address of the last allocation, so that scripts can use it
  int modules_left; // parsing PTX is slow, and has a separate fuzz target
  struct vhopper *device;
};

enum { BUDGET = 1 << 22 }; // of the device; the limit on a program's own memory is larger

static const struct server_limits limits = {.allocations = 8,
                                            .modules = 3,
                                            .functions = 4,
                                            .kernels = 2,
                                            .module_bytes = 4096,
                                            .memory_bytes = BUDGET * 2,
                                            .launches = 4,
                                            .work = 1 << 15,
                                            .keeps_device = true};

static uint8_t take(struct session *s) {
  if (!s->left) return 0;
  s->left--;
  return *s->bytes++;
}

// ---- the client's end of the socket --------------------------------------------------------------------

static void check_limits(const struct server *server) {
  const struct server_counters *counters = server_counters(server);
  if (counters->live_allocations > limits.allocations || counters->live_bytes > limits.memory_bytes) abort();
  if (counters->live_modules > limits.modules || counters->launches > limits.launches) abort();
  if (server_kernel_count(server) > limits.kernels) abort();
}

// What malloc has given out, whoever asked, so that it is seen without anybody's counting.
static atomic_ptrdiff_t held, most_held;

static void on_malloc(const volatile void *place, size_t bytes) {
  (void)place;
  const ptrdiff_t now = atomic_fetch_add(&held, (ptrdiff_t)bytes) + (ptrdiff_t)bytes;
  if (now > atomic_load(&most_held)) atomic_store(&most_held, now);
}

static void on_free(const volatile void *place) {
  if (place) atomic_fetch_sub(&held, (ptrdiff_t)__sanitizer_get_allocated_size(place));
}

// One text may be there before the budget refuses it.
static void check_held(ptrdiff_t before) {
  enum { UNCOUNTED = 1 << 20 };
  const ptrdiff_t most = atomic_load(&most_held) - before;
  if (most > BUDGET + UNCOUNTED) die("a request held %td bytes, more than the budget", most);
}

// What is held already may be counted beyond the limit: a message, a module, what a launch needs.
static void check_budget(const struct session *s) {
  enum { COUNTED = 1 << 20 };
  const struct budget *budget = vhopper_budget(s->device);
  if (budget->limit != BUDGET || budget->used > BUDGET + COUNTED) die("more memory is held than the budget");
}

static uint32_t noticed_modules(const struct session *s) {
  const struct loaded_modules *modules = fault_loaded_modules(vhopper_report(s->device));
  return modules ? (uint32_t)modules->count : 0;
}

// Lets the server work, reads all its bytes, and looks for addresses in them.
static void settle(struct session *s) {
  uint8_t said[8192]; // the sanitizer poisons it around each call
  for (;;) {
    enum server_state state = s->over ? SERVER_CLOSED : server_step(s->server);
    ssize_t got = recv(s->client, said, sizeof said, MSG_DONTWAIT);
    struct {
      struct protocol_reply reply;
      struct protocol_address answer;
    } first;
    if (got >= (ssize_t)sizeof first) {
      memcpy(&first, said, sizeof first);
      if (first.reply.body_bytes == sizeof first.answer && !first.reply.status)
        s->address = first.answer.address;
    }
    check_limits(s->server);
    check_budget(s);
    if (state == SERVER_DROPPED && !server_reason(s->server)[0]) abort();
    if (state == SERVER_DROPPED || state == SERVER_CLOSED) s->over = true;
    if (s->over || (state == SERVER_WAITING && got <= 0)) return;
  }
}

static void say(struct session *s, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  for (int tries = 0; count && !s->over && tries < 100; tries++) {
    ssize_t sent = send(s->client, at, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      at += sent;
      count -= (size_t)sent;
    } else {
      settle(s);
    }
  }
}

// ---- scripts ----------------------------------------------------------------------------------------------

// Returns a value for a field of a structure: small, near the last address, near a limit of its type, or any
// value.
static uint64_t take_value(struct session *s) {
  uint8_t kind = take(s), byte = take(s);
  switch (kind % 6) {
  case 0: return byte;
  case 1: return s->address + byte;
  case 2: return s->address - byte;
  case 3: return UINT64_MAX - byte;
  case 4: return 1ull << (byte % 64);
  default: {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
      value = value << 8 | take(s);
    return value;
  }
  }
}

static void fill_body(struct session *s, uint8_t *body, size_t size, uint32_t operation) {
  bool halves = operation == PROTOCOL_LAUNCH || operation == PROTOCOL_HELLO ||
                operation == PROTOCOL_HOST_FAULT || operation == PROTOCOL_CALL_FAILED;
  for (size_t at = 0; at < size;) {
    uint64_t value = take_value(s);
    size_t width = halves && !(operation == PROTOCOL_LAUNCH && at == 0) ? 4 : 8;
    if (width > size - at) width = size - at;
    memcpy(body + at, &value, width);
    at += width;
  }
}

// Rows of a few bytes in the last allocation, of which there may be many: random fields rarely fit together.
static void fill_region(struct session *s, uint8_t *body, uint32_t operation) {
  const uint64_t width = 1ull << take(s) % 3;
  struct protocol_region region = {s->address, width + take(s) % 2, width, 1ull << take(s) % 17};
  memcpy(body, &region, sizeof region);
  const uint64_t source = s->address;
  if (operation == PROTOCOL_COPY) {
    memcpy(body + offsetof(struct protocol_copy, source), &source, sizeof source);
    memcpy(body + offsetof(struct protocol_copy, source_pitch), &region.pitch, sizeof region.pitch);
  } else {
    memcpy(body + offsetof(struct protocol_fill, pattern_bytes), &(uint32_t){1}, sizeof(uint32_t));
  }
}

static const void *take_text(struct session *s, uint32_t operation, uint64_t *length) {
  const uint8_t which = take(s);
  const struct container *containers[] = {&own_container, &other_container};
  if (operation == PROTOCOL_MODULE && (which & 0xe0) == 0x60) {
    *length = packed_bytes * (1u + which % MOST_PACKED);
    return packed_containers;
  }
  if (operation == PROTOCOL_MODULE && which & 128) {
    *length = sizeof own_container.bytes;
    return containers[which & 1]->bytes;
  }
  const char *text = texts[which % (sizeof texts / sizeof *texts)];
  *length = strlen(text);
  return text;
}

// A request of more rows than all may have together is not begun.
static void check_rows(const struct protocol_region *region, uint64_t processed) {
  if (region->rows > limits.work && processed)
    die("a request of %llu rows was carried out", (unsigned long long)region->rows);
}

static uint64_t processed_bytes(const struct server *server) {
  return server_counters(server)->bytes_filled + server_counters(server)->bytes_copied;
}

static void play_record(struct session *s) {
  struct protocol_request request = {.magic = PROTOCOL_REQUEST_MAGIC,
                                     .operation = take(s) % (PROTOCOL_OPERATION_COUNT + 1)};
  uint8_t body[256] = {0}, payload[512], odd = take(s);
  if (request.operation == PROTOCOL_MODULE && s->modules_left-- <= 0) request.operation = PROTOCOL_STATUS;
  if (request.operation < PROTOCOL_OPERATION_COUNT)
    request.body_bytes = (uint32_t)body_bytes[request.operation];
  fill_body(s, body, request.body_bytes, request.operation);
  if ((request.operation == PROTOCOL_COPY || request.operation == PROTOCOL_FILL) && odd >= 200 && odd < 248)
    fill_region(s, body, request.operation);
  const void *content = payload; // or a text or containers, which are sent whole
  switch (request.operation) {
  case PROTOCOL_MODULE:
  case PROTOCOL_FUNCTION:
  case PROTOCOL_VARIABLE:
  case PROTOCOL_UNSUPPORTED:
  case PROTOCOL_CALLERS:
  case PROTOCOL_CALL_FAILED:
  case PROTOCOL_HOST_FAULT: {
    content = take_text(s, request.operation, &request.payload_bytes);
    break;
  }
  case PROTOCOL_WRITE: {
    const struct protocol_region *region = (const void *)body;
    request.payload_bytes = region->width * region->rows;
    break;
  }
  case PROTOCOL_LAUNCH: request.payload_bytes = take(s) % 2 ? 12 : take(s) % 64; break;
  default: break;
  }
  size_t carried = content != payload || request.payload_bytes < sizeof payload
                       ? (size_t)request.payload_bytes
                       : sizeof payload;
  if (content == payload) {
    for (size_t i = 0; i < carried; i++)
      payload[i] = take(s);
  }
  if (odd == 255) request.body_bytes++;
  if (odd == 254) request.payload_bytes--;
  if (odd == 253) request.stream = UINT32_MAX;
  if (odd < 16) request.stream = odd;
  if (odd == 252) carried /= 2;
  const uint64_t before = processed_bytes(s->server), modules = server_counters(s->server)->live_modules;
  const uint32_t noticed = noticed_modules(s);
  const ptrdiff_t held_before = atomic_load(&held);
  atomic_store(&most_held, held_before);
  settle(s); // an early launch, whose second answer may still have been under way
  say(s, &request, sizeof request);
  say(s, body, request.body_bytes);
  say(s, content, carried);
  settle(s);
  check_held(held_before);
  if (request.operation == PROTOCOL_COPY || request.operation == PROTOCOL_FILL)
    check_rows((const void *)body, processed_bytes(s->server) - before);
  if (server_counters(s->server)->live_modules > modules &&
      (noticed_modules(s) > noticed) == (content == own_container.bytes))
    die("a module is taken for another's");
}

// The headers of a container with one PTX text of so many bytes; as they are, or packed into fewer.
static void make_headers(uint8_t *container, uint64_t bytes, uint32_t packed) {
  enum { ZSTD = 0x8000 };
  const uint32_t magic = 0xBA55ED50, entry_header = ENTRY_HEADER, architecture = 90;
  const uint64_t entries = ENTRY_HEADER + (packed ? packed : bytes), stored = entries - ENTRY_HEADER;
  uint8_t *entry = container + CONTAINER_HEADER;
  memcpy(container, &magic, sizeof magic);
  container[4] = 1;
  container[6] = CONTAINER_HEADER;
  memcpy(container + 8, &entries, sizeof entries);
  entry[0] = 1; // PTX
  memcpy(entry + 4, &entry_header, sizeof entry_header);
  memcpy(entry + 8, &stored, sizeof stored);
  memcpy(entry + 16, &packed, sizeof packed);
  memcpy(entry + 28, &architecture, sizeof architecture);
  if (packed) entry[41] = ZSTD >> 8;
  if (packed) memcpy(entry + 56, &bytes, sizeof bytes);
}

static void make_container(struct container *container, char change) {
  make_headers(container->bytes, PTX_BYTES, 0);
  char *text = (char *)container->bytes + CONTAINER_HEADER + ENTRY_HEADER;
  memcpy(text, module_text, sizeof module_text);
  text[strcspn(module_text, "\n")] = change;
}

static void make_packed_containers(void) {
  enum { HEADERS = CONTAINER_HEADER + ENTRY_HEADER };
  char *comment = malloc(COMMENT);
  if (!comment) die("no memory");
  memset(comment, ' ', COMMENT);
  memcpy(comment, "/*", 2);
  memcpy(comment + COMMENT - 3, "*/\n", 3);
  const size_t packed =
      ZSTD_compress(packed_containers + HEADERS, PACKED - HEADERS, comment, COMMENT, ZSTD_CLEVEL_DEFAULT);
  free(comment);
  if (ZSTD_isError(packed)) die("a comment cannot be packed: %s", ZSTD_getErrorName(packed));
  make_headers(packed_containers, COMMENT, (uint32_t)packed);
  packed_bytes = HEADERS + packed;
  for (size_t i = 1; i < MOST_PACKED; i++)
    memcpy(packed_containers + i * packed_bytes, packed_containers, packed_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static struct vhopper *device; // one device for many sessions, like in a referee
  if (!device) {
    device =
        vhopper_create(&(struct vhopper_options){.workers = 1, .launch_deadline = 1, .memory_limit = BUDGET});
    make_container(&own_container, ' ');
    make_container(&other_container, '\t');
    make_packed_containers();
    __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) die("no socket");
  struct session session = {
      .bytes = bytes, .left = length, .client = ends[0], .modules_left = 3, .device = device};
  session.server = server_create(device, ends[1], &limits);
  server_know_modules(session.server, own_container.bytes, sizeof own_container.bytes);
  if (take(&session) % 4 == 0) {
    say(&session, session.bytes, session.left);
  } else {
    struct protocol_request request = {PROTOCOL_REQUEST_MAGIC, PROTOCOL_HELLO, sizeof(struct protocol_hello),
                                       0, 0};
    struct protocol_hello hello = {PROTOCOL_VERSION, 1};
    say(&session, &request, sizeof request);
    say(&session, &hello, sizeof hello);
    while (session.left && !session.over)
      play_record(&session);
  }
  settle(&session);
  shutdown(ends[0], SHUT_RDWR);
  settle(&session);
  if (!session.over) abort();
  server_destroy(session.server);
  if (vhopper_sticky_error(device)) vhopper_reset(device);
  vhopper_clear_report(device);
  close(ends[0]);
  close(ends[1]);
  return 0;
}
