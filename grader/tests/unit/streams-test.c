// Streams, events and the host: what counts as ordered and what doesn't, for copies and fills; and that
// streams and events without end are forgotten, never misjudged.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "streams-fixture.h"

static void nothing_orders_two_streams(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  fill(&f, A, 0, 16);
  fill(&f, B, 16, 16); // neighbours
  read_back(&f, A, 0, 16);
  end(&f, 0);
  begin(&f);
  fill(&f, A, 0, 16);
  fill(&f, B, 15, 16);
  end(&f, 1);
  begin(&f);
  read_back(&f, A, 0, 16);
  read_back(&f, B, 0, 16);
  fill(&f, B, 8, 1);
  end(&f, 1);
}

// The caller fills and reads 64 bytes in A.
static void hand(const struct fixture *f) {
  const struct stream_region region = {f->address, 64, 64, 1};
  stream_order_hand(f->order, &region, 1);
  stream_order_record(f->order, A, EVENT);
}

static void what_is_handed_over_belongs_to_a_stream(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  hand(&f);
  fill(&f, A, 0, 16);
  fill(&f, B, 64, 16); // the program's own memory
  stream_order_record(f.order, A, EVENT);
  stream_order_record(f.order, B, EVENT + 1); // an event of the program's own
  fill(&f, B, 80, 16);
  end(&f, 0);
  begin(&f); // in another stream, and nothing orders the two: told once
  hand(&f);
  fill(&f, B, 0, 16);
  stream_order_record(f.order, A, EVENT);
  end(&f, 1);
  begin(&f); // B waits for A, but not A for B
  hand(&f);
  stream_order_wait(f.order, B, EVENT);
  fill(&f, B, 48, 16);
  stream_order_record(f.order, A, EVENT);
  end(&f, 1);
  begin(&f); // both wait
  hand(&f);
  stream_order_wait(f.order, B, EVENT);
  fill(&f, B, 48, 16);
  stream_order_record(f.order, B, EVENT + 1);
  stream_order_wait(f.order, A, EVENT + 1);
  stream_order_record(f.order, A, EVENT);
  end(&f, 0);
  begin(&f); // the host waits instead
  hand(&f);
  stream_order_host_waits(f.order, A);
  fill(&f, B, 48, 16);
  stream_order_host_waits(f.order, B);
  stream_order_record(f.order, A, EVENT);
  end(&f, 0);
  begin(&f); // a stream that another reset has left
  hand(&f);
  stream_order_forget_caller(f.order);
  stream_order_host_waits_all(f.order);
  fill(&f, B, 48, 16);
  stream_order_record(f.order, A, EVENT);
  end(&f, 0);
}

static void the_default_stream_waits_for_some(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  fill(&f, A, 0, 16);
  fill(&f, STREAM_DEFAULT, 0, 16);
  fill(&f, A, 0, 16);
  end(&f, 0);
  begin(&f);
  fill(&f, STREAM_DEFAULT, 0, 16);
  fill(&f, B, 0, 16);
  end(&f, 1);
}

static void events_and_the_host_order(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  fill(&f, A, 0, 16);
  stream_order_record(f.order, A, EVENT);
  stream_order_wait(f.order, B, EVENT);
  fill(&f, B, 0, 16);
  stream_order_host_waits(f.order, B); // which has waited for A
  fill(&f, A, 0, 16);
  stream_order_record(f.order, A, EVENT);
  stream_order_host_waits_event(f.order, EVENT);
  fill(&f, B, 0, 16);
  stream_order_host_waits_all(f.order);
  fill(&f, STREAM_DEFAULT, 0, 16);
  end(&f, 0);
  begin(&f);
  stream_order_record(f.order, A, EVENT);
  fill(&f, A, 0, 16); // after the event
  stream_order_wait(f.order, B, EVENT);
  fill(&f, B, 0, 16);
  end(&f, 1);
  begin(&f);
  fill(&f, A, 0, 16);
  stream_order_host_waits(f.order, B);
  fill(&f, B, 0, 16);
  end(&f, 1);
}

static void rows_meet_where_they_do(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  const struct stream_region even = {f.address, 64, 32, 8}, odd = {f.address + 32, 64, 32, 8},
                             wide = {f.address + 31, 128, 8, 2};
  stream_order_copy(f.order, A, STREAM_FILL, false, NULL, &even);
  stream_order_copy(f.order, B, STREAM_FILL, false, NULL, &odd);
  assert_int_equal(fault_count(f.report), 0);
  stream_order_host_waits(f.order, B);
  stream_order_copy(f.order, B, STREAM_FILL, false, NULL, &wide);
  end(&f, 1);
}

static void the_host_touches_what_a_copy_writes(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  const struct stream_region host = {f.address, 64, 64, 1};
  stream_order_copy(f.order, B, STREAM_COPY_TO_HOST, false, NULL, NULL);
  stream_order_also(f.order, B, &host, true);
  const uint64_t operation = stream_order_last(f.order, B);
  host_touches(&f, 64, false); // past it
  assert_false(stream_order_host_has_seen(f.order, B, operation));
  assert_int_equal(fault_count(f.report), 0);
  host_touches(&f, 63, false);
  assert_int_equal(fault_count(f.report), 1);
  stream_order_host_waits(f.order, B);
  assert_true(stream_order_host_has_seen(f.order, B, operation));
  host_touches(&f, 0, true);
  end(&f, 1);
}

static void a_copy_that_the_host_waits_for(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  const struct stream_region host = {f.address, 64, 64, 1}, rows = {f.address + 32, 64, 32, 2},
                             beside = {f.address + 64, 64, 32, 2};
  stream_order_copy(f.order, B, STREAM_COPY_TO_HOST, false, NULL, NULL);
  stream_order_also(f.order, B, &host, true);
  stream_order_copy(f.order, A, STREAM_COPY_TO_DEVICE, false, NULL, NULL);
  stream_order_host_waits(f.order, A); // as the call does
  stream_order_also(f.order, A, &beside, false);
  assert_int_equal(fault_count(f.report), 0);
  stream_order_also(f.order, A, &rows, false);
  assert_int_equal(fault_count(f.report), 1);
  stream_order_host_waits(f.order, B);
  stream_order_also(f.order, A, &host, true);
  host_touches(&f, 0, true); // neither copy runs any more
  end(&f, 1);
}

// What the report says of an event that was waited for in vain.
static void expect_event(uint32_t recorded_in, bool early, bool is_recorded, const char *says) {
  struct fixture f;
  begin(&f);
  stream_order_make(f.order, B + 1, true);
  if (early) stream_order_record(f.order, recorded_in, EVENT);
  fill(&f, A, 0, 16);
  if (!early && is_recorded) stream_order_record(f.order, recorded_in, EVENT);
  stream_order_wait(f.order, B, EVENT);
  fill(&f, B, 0, 16);
  assert_int_equal(fault_count(f.report), 1);
  if (!strstr(fault_at(f.report, 0)->message, says)) fail_msg("%s", fault_at(f.report, 0)->message);
  end(&f, 1);
}

static void the_event_that_misses_its_aim(void **state) {
  (void)state;
  expect_event(A, true, true, "recorded in stream 1 before the fill");
  expect_event(B, false, true, "recorded in this stream itself");
  expect_event(B + 1, false, true, "recorded in stream 3 (cudaStreamNonBlocking), which doesn't come after");
  expect_event(A, false, false, "not recorded yet");
  struct fixture f;
  begin(&f); // a wait for what came before says nothing
  stream_order_record(f.order, A, EVENT);
  stream_order_wait(f.order, B, EVENT);
  fill(&f, A, 0, 16);
  fill(&f, B, 0, 16);
  assert_null(strstr(fault_at(f.report, 0)->message, "event"));
  end(&f, 1);
}

static void streams_without_end(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  for (uint32_t i = 0; i < 500; i++) { // one after the other
    stream_order_make(f.order, 100 + i, true);
    fill(&f, 100 + i, 0, 16);
    stream_order_host_waits(f.order, 100 + i);
    stream_order_end(f.order, 100 + i);
  }
  fill(&f, A, 0, 16);
  fill(&f, B, 0, 16);
  end(&f, 1);
  begin(&f);
  for (uint32_t i = 0; i < 500; i++) // all at once: given up
    fill(&f, 100 + i, i * 8, 8);
  fill(&f, A, 0, 4096);
  end(&f, 0);
  begin(&f);
  fill(&f, A, 0, 16);
  for (uint64_t i = 0; i < 10000; i++)
    stream_order_record(f.order, A, EVENT + i);
  stream_order_wait(f.order, B, EVENT + 9999); // there was no room for it
  fill(&f, B, 0, 16);
  end(&f, 0);
}

static void the_first_question_is_told_no(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  assert_true(stream_order_host_asks(f.order, A)); // nothing was asked of it
  fill(&f, A, 0, 16);
  stream_order_record(f.order, A, EVENT);
  assert_false(stream_order_host_asks_event(f.order, EVENT));
  fill(&f, B, 0, 16); // so nothing is known
  assert_true(stream_order_host_asks_event(f.order, EVENT));
  fill(&f, A, 64, 16);
  assert_false(stream_order_host_asks(f.order, A));
  assert_true(stream_order_host_asks(f.order, A));
  fill(&f, B, 64, 16);
  fill(&f, B, 128, 16);
  stream_order_host_waits_all(f.order);
  assert_true(stream_order_host_asks(f.order, B));
  assert_true(stream_order_host_asks_event(f.order, EVENT + 1)); // unknown: nothing was recorded
  end(&f, 1);
}

static void memory_belongs_to_a_stream(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  const struct stream_region memory = {f.address, 64, 64, 1};
  stream_order_allocate(f.order, A, &memory);
  fill(&f, A, 0, 16);
  stream_order_free(f.order, A, &memory);
  stream_order_allocate(f.order, B, &memory); // the same again: others have used it before, in good order
  fill(&f, B, 0, 16);
  stream_order_free(f.order, B, &memory);
  end(&f, 0);
  begin(&f);
  stream_order_allocate(f.order, A, &memory);
  fill(&f, B, 0, 16);
  stream_order_free(f.order, A, &memory);
  end(&f, 1); // the same two streams, without a place in the code: one report
}

// Touches 16 bytes; returns whether anything may have run beside it.
static bool run_function(const struct fixture *f, uint32_t stream, bool writes) {
  const bool beside = stream_order_function_runs(f->order, stream);
  stream_order_function_touches(f->order, stream, f->address, 16, writes);
  stream_order_function_ends(f->order, stream);
  return beside;
}

static void a_function_runs_beside_what_it_is_not_ordered_with(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  fill(&f, A, 0, 16);
  stream_order_record(f.order, A, EVENT);
  stream_order_wait(f.order, B, EVENT);
  const uint64_t called = stream_order_function_called(f.order, B); // after the fill
  assert_false(stream_order_comes_after(f.order, A, B, called));
  assert_true(stream_order_comes_after(f.order, B, B, called));
  assert_false(run_function(&f, B, true));
  end(&f, 0);
  begin(&f);
  fill(&f, A, 0, 16);
  stream_order_host_waits(f.order, A); // so the function comes after it
  assert_int_not_equal(stream_order_function_called(f.order, B), 0);
  fill(&f, A, 0, 16);
  stream_order_host_waits(f.order, A);
  assert_true(run_function(&f, B, true));
  fill(&f, A, 0, 16); // the host may have waited for a flag of the function's
  end(&f, 1);
  begin(&f);
  read_back(&f, A, 0, 16);
  stream_order_function_called(f.order, B);
  run_function(&f, B, false); // both read
  end(&f, 0);
}

static void functions_of_a_stream_run_in_turn(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  const uint64_t first = stream_order_function_called(f.order, B);
  stream_order_record(f.order, B, EVENT);
  const uint64_t second = stream_order_function_called(f.order, B);
  assert_true(first && second > first);
  stream_order_wait(f.order, A, EVENT);
  assert_true(stream_order_comes_after(f.order, A, B, first));
  assert_false(stream_order_comes_after(f.order, A, B, second));
  run_function(&f, B, false);
  fill(&f, A, 0, 16); // after the first function, beside the second
  run_function(&f, B, true);
  end(&f, 1);
}

// It may wait for a word that the host gives when it has waited for the copy: a warning.
static void a_function_may_be_told_by_the_host(void **state) {
  struct fixture f;
  (void)state;
  for (int awaited = 0; awaited < 2; awaited++) {
    begin(&f);
    stream_order_function_called(f.order, B);
    fill(&f, A, 0, 16);
    if (awaited) stream_order_host_waits(f.order, A);
    stream_order_host_waits_all(f.order);
    run_function(&f, B, true);
    assert_int_equal(fault_at(f.report, 0)->severity, awaited ? FAULT_WARNING : FAULT_ERROR);
    end(&f, 1);
  }
}

static void a_function_that_runs_may_have_been_told(void **state) {
  struct fixture f;
  (void)state;
  for (int awaited = 0; awaited < 2; awaited++) {
    begin(&f);
    stream_order_function_called(f.order, B);
    fill(&f, A, 0, 16);
    stream_order_function_runs(f.order, B); // a call behind it is kept
    if (awaited) stream_order_host_waits(f.order, A);
    stream_order_function_touches(f.order, B, f.address, 16, true);
    stream_order_function_ends(f.order, B);
    end(&f, !awaited);
  }
}

enum trial { IT_WAITS, IT_WOULD, IT_WOULD_ELSEWHERE, IT_WAITED_AND_WOULD };

// What a trial has shown before the host waits decides what is said afterwards.
static void a_function_is_tried_before_it_begins(void **state) {
  static const int faults[] = {
      [IT_WAITS] = 0, [IT_WOULD] = 1, [IT_WOULD_ELSEWHERE] = 1, [IT_WAITED_AND_WOULD] = 0};
  struct fixture f;
  (void)state;
  for (int trial = IT_WAITS; trial <= IT_WAITED_AND_WOULD; trial++) {
    begin(&f);
    const uint64_t called = stream_order_function_called(f.order, B);
    assert_false(stream_order_wants_try(f.order, B, called));
    fill(&f, A, 0, 16);
    const bool waits = trial == IT_WAITS || trial == IT_WAITED_AND_WOULD;
    stream_order_function_waits(f.order, B, called, waits);
    if (!waits) stream_order_function_would(f.order, B, called, f.address + (trial == IT_WOULD ? 0 : 4096));
    stream_order_host_waits(f.order, A);
    stream_order_function_waits(f.order, B, called, false); // it has its word
    if (trial == IT_WAITED_AND_WOULD) stream_order_function_would(f.order, B, called, f.address);
    if (trial == IT_WOULD) stream_order_function_would(f.order, B, called, f.address);
    run_function(&f, B, true);
    if (faults[trial])
      assert_int_equal(fault_at(f.report, 0)->severity, trial == IT_WOULD ? FAULT_ERROR : FAULT_WARNING);
    end(&f, faults[trial]);
  }
}

static void a_function_would_meet_the_copy(void **state) {
  struct fixture f;
  (void)state;
  for (int after = 0; after < 2; after++) {
    begin(&f);
    if (after) fill(&f, A, 0, 16);
    if (after) stream_order_host_waits(f.order, A);
    const uint64_t called = stream_order_function_called(f.order, B);
    if (!after) fill(&f, A, 0, 16);
    stream_order_function_meets(f.order, B, called, f.address, false);
    stream_order_function_meets(f.order, B, called, f.address, false);
    end(&f, !after);
  }
}

static void what_begins_while_a_function_runs_may_wait_for_it(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  const uint64_t called = stream_order_function_called(f.order, B);
  stream_order_function_runs(f.order, B);
  assert_false(stream_order_comes_after(f.order, A, B, called)); // by the streams; a flag is another matter
  fill(&f, A, 0, 16);
  stream_order_function_touches(f.order, B, f.address, 16, true);
  stream_order_function_ends(f.order, B);
  end(&f, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_orders_two_streams),
      cmocka_unit_test(what_is_handed_over_belongs_to_a_stream),
      cmocka_unit_test(the_default_stream_waits_for_some),
      cmocka_unit_test(events_and_the_host_order),
      cmocka_unit_test(rows_meet_where_they_do),
      cmocka_unit_test(the_host_touches_what_a_copy_writes),
      cmocka_unit_test(a_copy_that_the_host_waits_for),
      cmocka_unit_test(the_event_that_misses_its_aim),
      cmocka_unit_test(streams_without_end),
      cmocka_unit_test(the_first_question_is_told_no),
      cmocka_unit_test(memory_belongs_to_a_stream),
      cmocka_unit_test(a_function_runs_beside_what_it_is_not_ordered_with),
      cmocka_unit_test(functions_of_a_stream_run_in_turn),
      cmocka_unit_test(a_function_may_be_told_by_the_host),
      cmocka_unit_test(a_function_that_runs_may_have_been_told),
      cmocka_unit_test(a_function_is_tried_before_it_begins),
      cmocka_unit_test(a_function_would_meet_the_copy),
      cmocka_unit_test(what_begins_while_a_function_runs_may_wait_for_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
