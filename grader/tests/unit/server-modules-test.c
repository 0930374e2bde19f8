// What a message with a module can cost the server: containers that hold much more than they weigh, and
// containers that are alike.
#include "server-client.h"

#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/rules/fault.h"

static int set_up(void **state) {
  return set_up_with(state, NULL);
}

// Writes a container with one PTX text, compressed. Returns its bytes.
static size_t make_container(uint8_t *to, size_t room, const char *ptx, size_t length) {
  enum { CONTAINER = 16, ENTRY = 64, KIND_PTX = 1, ZSTD = 0x8000 };
  uint8_t *entry = to + CONTAINER;
  size_t packed = ZSTD_compress(entry + ENTRY, room - CONTAINER - ENTRY, ptx, length, 1);
  assert_false(ZSTD_isError(packed));
  const uint32_t exact = (uint32_t)packed;
  packed = (packed + 7) / 8 * 8;
  memset(to, 0, CONTAINER + ENTRY);
  memcpy(to, &(uint32_t){0xBA55ED50}, 4);
  memcpy(to + 4, (uint16_t[]){1, CONTAINER}, 4);
  memcpy(to + 8, &(uint64_t){ENTRY + packed}, 8);
  memcpy(entry, (uint16_t[]){KIND_PTX, 1}, 4);
  memcpy(entry + 4, &(uint32_t){ENTRY}, 4);
  memcpy(entry + 8, &(uint64_t){packed}, 8);
  memcpy(entry + 16, &exact, 4);
  memcpy(entry + 28, &(uint32_t){90}, 4);
  memcpy(entry + 40, &(uint64_t){ZSTD}, 8);
  memcpy(entry + 56, &(uint64_t){length}, 8);
  return CONTAINER + ENTRY + packed;
}

// A few KiB of containers hold many MiB of PTX, each of them less than the budget: together they are refused.
static void counts_what_containers_hold(void **state) {
  enum { TEXT = 1 << 20, CONTAINERS = 12, ROOM = 64 << 10 };
  struct fixture *f = *state;
  struct budget *budget = vhopper_budget(f->device);
  char *text = malloc(TEXT);
  uint8_t *payload = calloc(1, ROOM);
  size_t bytes = 0;
  assert_true(text && payload);
  memset(text, '\n', TEXT);
  budget->limit = 8 << 20;
  greet(f);
  for (int i = 0; i < CONTAINERS; i++)
    bytes += make_container(payload + bytes, ROOM - bytes, text, TEXT);
  assert_int_equal(ask(f, PROTOCOL_MODULE, NULL, 0, payload, bytes), 2);
  assert_non_null(strstr(fault_refusal(vhopper_report(f->device)), "8 MiB in all"));
  assert_int_equal(atomic_load(&budget->used), 0);
  free(payload);
  free(text);
}

// As many bytes come out of containers that hold no more than padding, or are damaged at their end.
static void counts_what_comes_out_for_nothing(void **state) {
  enum { TEXT = 1 << 20, CONTAINERS = 12, ROOM = 64 << 10 };
  struct fixture *f = *state;
  struct budget *budget = vhopper_budget(f->device);
  uint8_t *payload = calloc(1, ROOM);
  char *text = calloc(1, TEXT);
  assert_true(text && payload);
  budget->limit = 8 << 20;
  greet(f);
  for (int damaged = 0; damaged < 2; damaged++) {
    size_t bytes = 0;
    for (int i = 0; i < CONTAINERS; i++) {
      const size_t one = make_container(payload + bytes, ROOM - bytes, text, TEXT);
      for (size_t at = one - 8; damaged && at < one; at++)
        payload[bytes + at] = 0xff; // the type of the last block
      bytes += one;
    }
    assert_int_equal(ask(f, PROTOCOL_MODULE, NULL, 0, payload, bytes), 2);
    assert_int_equal(atomic_load(&budget->used), 0);
  }
  free(payload);
  free(text);
}

// The search for a container among the program's own ends, however much of it is found everywhere.
static void tires_of_alike_containers(void **state) {
  enum { HEADERS = 16384, HEADER = 16 };
  struct fixture *f = *state;
  uint8_t *section = calloc(HEADERS, HEADER);
  assert_non_null(section);
  for (size_t i = 0; i < HEADERS; i++) {
    memcpy(section + HEADER * i, &(uint32_t){0xBA55ED50}, 4);
    memcpy(section + HEADER * i + 4, (uint16_t[]){1, HEADER}, 4);
  }
  const size_t all = (size_t)HEADERS * HEADER, half = all / 2;
  greet(f);
  server_know_modules(f->server, section, all);
  ask(f, PROTOCOL_MODULE, NULL, 0, section, half); // stands at once at the beginning
  assert_int_equal(fault_loaded_modules(vhopper_report(f->device))->count, 0);
  section[all - 1] = 1; // stands only at the end, and nearly all of it everywhere
  server_know_modules(f->server, section, all);
  ask(f, PROTOCOL_MODULE, NULL, 0, section + half, half);
  assert_int_equal(fault_loaded_modules(vhopper_report(f->device))->count, 1);
  free(section);
}

// A few bytes that would unpack to a tebibyte of PTX, in the program's own section: its author's doing, not a
// limit of ours.
static void blames_who_packs_too_much(void **state) {
  enum { RAW_SIZE = 16 + 56 };
  struct fixture *f = *state;
  uint8_t payload[512] = {0};
  greet(f);
  const size_t bytes = make_container(payload, sizeof payload, ".version 9.0\n", 13);
  memcpy(payload + RAW_SIZE, &(uint64_t){1ull << 40}, 8);
  send_request(f, PROTOCOL_MODULE, NULL, 0, payload, bytes);
  assert_int_equal(settle(f), SERVER_DROPPED);
  assert_true(server_is_spent(f->server));
  assert_string_equal(server_reason(f->server), "a module that holds 1099511627776 bytes of PTX");
}

static int set_up_with_work(void **state) {
  return set_up_with(state, &(struct server_limits){.work = 1 << 20});
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      CASE(counts_what_containers_hold),
      CASE(counts_what_comes_out_for_nothing),
      CASE(tires_of_alike_containers),
      cmocka_unit_test_setup_teardown(blames_who_packs_too_much, set_up_with_work, tear_down),
  };
  return cmocka_run_group_tests_name("server modules", tests, NULL, NULL);
}
