// A client of the server that writes bytes by hand, well-formed or not, to the server of a real virtual
// Hopper. Both ends are in this process: the server handles the bytes before the client reads the reply.
#ifndef TESTS_UNIT_SERVER_CLIENT_H
#define TESTS_UNIT_SERVER_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/server/protocol.h"
#include "virtual-hopper/server/server.h"

struct fixture {
  struct vhopper *device;
  struct server *server;
  int ends[2]; // [0] is the client's end
  struct protocol_reply reply;
  uint8_t answer[8192]; // body and payload of the last reply
};

static inline int set_up_with(void **state, const struct server_limits *limits) {
  struct fixture *f = calloc(1, sizeof *f);
  if (!f || socketpair(AF_UNIX, SOCK_STREAM, 0, f->ends) != 0) return -1;
  f->device = vhopper_create(&(struct vhopper_options){.workers = 1, .check = true});
  f->server = server_create(f->device, f->ends[1], limits);
  *state = f;
  return 0;
}

static inline int tear_down(void **state) {
  struct fixture *f = *state;
  server_destroy(f->server);
  vhopper_destroy(f->device);
  close(f->ends[0]);
  close(f->ends[1]);
  free(f);
  return 0;
}

// ---- the client -------------------------------------------------------------------------------------------

static inline void put(struct fixture *f, const void *bytes, size_t count) {
  assert_int_equal(write(f->ends[0], bytes, count), (ssize_t)count);
}

static inline enum server_state settle(struct fixture *f) {
  enum server_state state;
  while ((state = server_step(f->server)) == SERVER_HANDLED) {
  }
  return state;
}

static inline void send_request(struct fixture *f, uint32_t operation, const void *body, size_t body_bytes,
                                const void *payload, size_t bytes) {
  struct protocol_request request = {PROTOCOL_REQUEST_MAGIC, operation, (uint32_t)body_bytes, 0, bytes};
  put(f, &request, sizeof request);
  if (body_bytes) put(f, body, body_bytes);
  if (bytes) put(f, payload, bytes);
}

// Sends one request and reads the whole reply. Returns the status.
static inline int ask(struct fixture *f, uint32_t operation, const void *body, size_t body_bytes,
                      const void *payload, size_t bytes) {
  send_request(f, operation, body, body_bytes, payload, bytes);
  assert_int_equal(settle(f), SERVER_WAITING);
  assert_int_equal(read(f->ends[0], &f->reply, sizeof f->reply), sizeof f->reply);
  assert_int_equal(f->reply.magic, PROTOCOL_REPLY_MAGIC);
  size_t rest = f->reply.body_bytes + f->reply.payload_bytes;
  assert_in_range(rest, 0, sizeof f->answer);
  if (rest) assert_int_equal(read(f->ends[0], f->answer, rest), (ssize_t)rest);
  return f->reply.status;
}

#define ASK(f, operation, ...) ask(f, operation, &(__VA_ARGS__), sizeof(__VA_ARGS__), NULL, 0)

static inline void greet(struct fixture *f) {
  assert_int_equal(ASK(f, PROTOCOL_HELLO, (struct protocol_hello){PROTOCOL_VERSION, 42}), 0);
}

static inline uint64_t allocate(struct fixture *f, uint64_t bytes) {
  assert_int_equal(ASK(f, PROTOCOL_ALLOCATE, (struct protocol_allocate){bytes}), 0);
  return ((struct protocol_address *)f->answer)->address;
}

#endif
