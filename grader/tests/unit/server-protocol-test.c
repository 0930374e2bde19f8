// Bytes that are not messages, or messages in odd pieces: why the server drops a connection, and that a
// dropped connection disturbs nothing else.
#include "server-client.h"

#include <string.h>

static int set_up(void **state) {
  return set_up_with(state, NULL);
}

static void assert_dropped(struct fixture *f, const char *reason) {
  assert_int_equal(settle(f), SERVER_DROPPED);
  if (!strstr(server_reason(f->server), reason))
    fail_msg("dropped with '%s', expected '%s'", server_reason(f->server), reason);
  assert_int_equal(settle(f), SERVER_DROPPED); // and the connection stays dropped
}

static void drops_what_is_no_message(void **state) {
  struct fixture *f = *state;
  char rubbish[64];
  memset(rubbish, 'x', sizeof rubbish);
  put(f, rubbish, sizeof rubbish);
  assert_dropped(f, "doesn't begin as a message");
}

static void drops_a_stranger(void **state) {
  struct fixture *f = *state;
  send_request(f, PROTOCOL_MEMORY, NULL, 0, NULL, 0);
  assert_dropped(f, "MEMORY came before HELLO");
}

static void drops_unknown_operation(void **state) {
  struct fixture *f = *state;
  greet(f);
  send_request(f, 4711, NULL, 0, NULL, 0);
  assert_dropped(f, "no operation 4711");
}

static void drops_wrong_body(void **state) {
  struct fixture *f = *state;
  greet(f);
  send_request(f, PROTOCOL_FREE, "123", 3, NULL, 0);
  assert_dropped(f, "FREE has 8 bytes of arguments, not 3");
}

static void drops_huge_payload(void **state) {
  struct fixture *f = *state;
  greet(f);
  struct protocol_request request = {PROTOCOL_REQUEST_MAGIC, PROTOCOL_MODULE, 0, 0, UINT64_MAX};
  put(f, &request, sizeof request);
  assert_dropped(f, "MODULE may carry");
}

static void drops_payload_that_differs_from_region(void **state) {
  struct fixture *f = *state;
  greet(f);
  struct protocol_region region = {allocate(f, 64), 0, 64, 1};
  send_request(f, PROTOCOL_WRITE, &region, sizeof region, "four", 4);
  assert_dropped(f, "carries 4 bytes");
}

static void drops_region_whose_size_overflows(void **state) {
  struct fixture *f = *state;
  greet(f);
  // 2^66 bytes: 0 in 64 bits
  struct protocol_region region = {allocate(f, 64), 1ull << 33, 1ull << 33, 1ull << 33};
  send_request(f, PROTOCOL_WRITE, &region, sizeof region, NULL, 0);
  assert_dropped(f, "WRITE of");
}

static void tells_a_closed_end_from_a_torn_message(void **state) {
  struct fixture *f = *state;
  greet(f);
  put(f, "torn", 4);
  assert_int_equal(settle(f), SERVER_WAITING);
  shutdown(f->ends[0], SHUT_WR);
  assert_dropped(f, "in the middle of a message");
}

static void ends_quietly_between_messages(void **state) {
  struct fixture *f = *state;
  greet(f);
  shutdown(f->ends[0], SHUT_WR);
  assert_int_equal(settle(f), SERVER_CLOSED);
  assert_string_equal(server_reason(f->server), "");
}

static void takes_messages_byte_by_byte(void **state) {
  struct fixture *f = *state;
  greet(f);
  uint64_t address = allocate(f, 8);
  struct {
    struct protocol_request request;
    struct protocol_region region;
    char payload[8];
  } __attribute__((packed))
  message = {{PROTOCOL_REQUEST_MAGIC, PROTOCOL_WRITE, sizeof(struct protocol_region), 0, 8},
             {address, 0, 8, 1},
             "8 bytes"};
  for (size_t i = 0; i < sizeof message; i++) {
    put(f, (char *)&message + i, 1);
    assert_int_equal(settle(f), SERVER_WAITING);
  }
  assert_int_equal(read(f->ends[0], &f->reply, sizeof f->reply), sizeof f->reply);
  assert_int_equal(f->reply.status, 0);
  assert_string_equal(vhopper_host_view(f->device, address, 8), "8 bytes");
}

static void answers_several_requests_sent_at_once(void **state) {
  struct fixture *f = *state;
  greet(f);
  for (int i = 0; i < 100; i++)
    send_request(f, PROTOCOL_MEMORY, NULL, 0, NULL, 0);
  assert_int_equal(settle(f), SERVER_WAITING);
  for (int i = 0; i < 100; i++) {
    struct {
      struct protocol_reply reply;
      struct protocol_memory memory;
    } got;
    assert_int_equal(read(f->ends[0], &got, sizeof got), sizeof got);
    assert_int_equal(got.reply.status, 0);
    assert_int_equal(got.memory.available, got.memory.total);
  }
}

// The destination of a message's bytes is decided when the message begins. Buffers must not change before the
// message ends.
static void knows_a_message_under_way(void **state) {
  struct fixture *f = *state;
  greet(f);
  assert_true(server_is_idle(f->server));
  struct protocol_region row = {allocate(f, 64), 8, 8, 1};
  struct protocol_request write = {PROTOCOL_REQUEST_MAGIC, PROTOCOL_WRITE, sizeof row, 0, 8};
  put(f, &write, 4);
  assert_int_equal(settle(f), SERVER_WAITING);
  assert_false(server_is_idle(f->server)); // not even the message's header is complete
  put(f, (const char *)&write + 4, sizeof write - 4);
  put(f, &row, sizeof row);
  put(f, "half", 4);
  assert_int_equal(settle(f), SERVER_WAITING);
  assert_false(server_is_idle(f->server));
  put(f, "full", 4);
  assert_int_equal(settle(f), SERVER_WAITING);
  assert_true(server_is_idle(f->server));
  assert_int_equal(read(f->ends[0], f->answer, sizeof f->reply), sizeof f->reply);
  put(f, "half", 4);
  assert_int_equal(settle(f), SERVER_WAITING);
  server_drop(f->server, "a case began");
  assert_dropped(f, "a case began");
  assert_true(server_is_idle(f->server));
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      CASE(drops_what_is_no_message),
      CASE(drops_a_stranger),
      CASE(drops_unknown_operation),
      CASE(drops_wrong_body),
      CASE(drops_huge_payload),
      CASE(drops_payload_that_differs_from_region),
      CASE(drops_region_whose_size_overflows),
      CASE(tells_a_closed_end_from_a_torn_message),
      CASE(ends_quietly_between_messages),
      CASE(takes_messages_byte_by_byte),
      CASE(answers_several_requests_sent_at_once),
      CASE(knows_a_message_under_way),
  };
  return cmocka_run_group_tests_name("server-protocol", tests, NULL, NULL);
}
