// What calls may ask of the device, in whatever way they ask. In: requests, one by one. Out: the connection
// ends, for that reason, at a request that is too large or one too many; and a next case may ask anew.
#include "server-client.h"

#include <stdio.h>
#include <string.h>

enum { WORK = 1 << 17 }; // a message fits into the socket

static const char empty_kernel[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry empty()\n{\nret;\n}\n";

static int set_up(void **state) {
  return set_up_with(state, &(struct server_limits){.work = WORK});
}

enum way { FILL, COPY, READ, WRITE, ALLOCATE, MODULE, CALLS, LAUNCHES, ALLOCATIONS, MODULES };

struct request {
  uint32_t operation;
  union {
    struct protocol_fill fill;
    struct protocol_copy copy;
    struct protocol_region region;
    struct protocol_allocate allocate;
    struct protocol_launch launch;
  } body;
  size_t body_bytes, payload_bytes;
};

// One request of the kind; `address` has 1 MiB.
static struct request request_of(enum way way, uint64_t address, uint64_t function) {
  const uint64_t rows = WORK + 1;
  const struct protocol_region region = {address, 1, 1, rows};
  switch (way) {
  case FILL:
    return (struct request){PROTOCOL_FILL, {.fill = {region, 0, 1}}, sizeof(struct protocol_fill), 0};
  case COPY:
    return (struct request){
        PROTOCOL_COPY, {.copy = {region, address + 1, 1}}, sizeof(struct protocol_copy), 0};
  case READ: return (struct request){PROTOCOL_READ, {.region = region}, sizeof region, 0};
  // As many rows as it says would follow.
  case WRITE: return (struct request){PROTOCOL_WRITE, {.region = region}, sizeof region, rows};
  case ALLOCATE:
    return (struct request){
        PROTOCOL_ALLOCATE, {.allocate = {(uint64_t)WORK << 9}}, sizeof(struct protocol_allocate), 0};
  case MODULE: return (struct request){.operation = PROTOCOL_MODULE, .payload_bytes = WORK / 2 + 1};
  case LAUNCHES:
    return (struct request){PROTOCOL_LAUNCH,
                            {.launch = {.function = function, .grid = {1, 1, 1}, .block = {1, 1, 1}}},
                            sizeof(struct protocol_launch),
                            0};
  case ALLOCATIONS:
    return (struct request){PROTOCOL_ALLOCATE, {.allocate = {1 << 20}}, sizeof(struct protocol_allocate), 0};
  case MODULES:
    return (struct request){.operation = PROTOCOL_MODULE, .payload_bytes = sizeof empty_kernel - 1};
  default: return (struct request){.operation = PROTOCOL_STATUS};
  }
}

static void send_one(struct fixture *f, const struct request *request, const char *payload) {
  const bool streams = request->operation == PROTOCOL_WRITE; // it is refused before the first byte
  struct protocol_request head = {PROTOCOL_REQUEST_MAGIC, request->operation, (uint32_t)request->body_bytes,
                                  0, request->payload_bytes};
  put(f, &head, sizeof head);
  if (request->body_bytes) put(f, &request->body, request->body_bytes);
  if (request->payload_bytes && !streams) put(f, payload, request->payload_bytes);
}

static enum server_state answer_one(struct fixture *f) {
  static uint8_t thrown_away[1 << 16];
  const enum server_state state = settle(f);
  while (recv(f->ends[0], thrown_away, sizeof thrown_away, MSG_DONTWAIT) > 0) {
  }
  return state;
}

// How many requests of that kind are answered before the connection ends. Each row of the table has a device
// of its own, since memory and modules are not given back.
static unsigned answered(enum way way, const char *reason) {
  static char text[WORK];
  struct fixture *f;
  unsigned count = 0;
  assert_int_equal(set_up((void **)&f), 0);
  greet(f);
  const uint64_t address = allocate(f, 1 << 20);
  assert_int_equal(ask(f, PROTOCOL_MODULE, NULL, 0, empty_kernel, strlen(empty_kernel)), 0);
  struct protocol_module module = {((struct protocol_handle *)f->answer)->handle};
  assert_int_equal(ask(f, PROTOCOL_FUNCTION, &module, sizeof module, "empty", 5), 0);
  const uint64_t function = ((struct protocol_function *)f->answer)->function;
  memset(text, '\n', sizeof text);
  if (way == MODULES) memcpy(text, empty_kernel, sizeof empty_kernel - 1);
  const struct request request = request_of(way, address, function);
  enum server_state state;
  for (;; count++) {
    send_one(f, &request, text);
    state = answer_one(f);
    if (state != SERVER_WAITING || count > WORK) break;
  }
  assert_int_equal(state, SERVER_DROPPED);
  assert_true(server_is_spent(f->server));
  if (!strstr(server_reason(f->server), reason))
    fail_msg("the reason is '%s', not '%s'", server_reason(f->server), reason);
  void *fixture = f;
  tear_down(&fixture);
  return count;
}

static void ends_what_asks_too_much(void **state) {
  (void)state;
  static const struct {
    enum way way;
    const char *reason;
    unsigned least, most; // requests that are answered before
  } rows[] = {{FILL, "131073 rows of 1 byte that", 0, 0},
              {COPY, "131073 rows of 1 byte that", 0, 0},
              {READ, "131073 rows of 1 byte that", 0, 0},
              {WRITE, "131073 rows of 1 byte that", 0, 0},
              {ALLOCATE, "1 row of 67108864 bytes that", 0, 0},
              {MODULE, "module", 0, 0},
              {CALLS, "call number", 500, 1024},
              {LAUNCHES, "launch number", 30, 64},
              {ALLOCATIONS, "1 row of 1048576 bytes", 10, 40},
              {MODULES, "module", 100, 600}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_in_range(answered(rows[i].way, rows[i].reason), rows[i].least, rows[i].most);
}

// Each case may ask for as much.
static void begins_anew(void **state) {
  struct fixture *f = *state;
  greet(f);
  struct protocol_fill fill = {{allocate(f, 1 << 20), 1, 1, WORK / 2}, 0, 1};
  for (int i = 0; i < 5; i++) {
    server_renew_work(f->server);
    assert_int_equal(ASK(f, PROTOCOL_FILL, fill), 0);
  }
  send_request(f, PROTOCOL_FILL, &fill, sizeof fill, NULL, 0);
  assert_int_equal(settle(f), SERVER_DROPPED);
  server_renew_work(f->server); // what has ended stays so
  assert_int_equal(settle(f), SERVER_DROPPED);
  assert_true(server_is_spent(f->server));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_what_asks_too_much),
      cmocka_unit_test_setup_teardown(begins_anew, set_up, tear_down),
  };
  return cmocka_run_group_tests_name("server-work", tests, NULL, NULL);
}
