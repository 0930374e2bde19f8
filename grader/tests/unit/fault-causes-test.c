// One cause, one report: which of two faults explains the other, in whichever order they are recorded.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/rules/fault-causes.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/rules.h"

// earlier, later: the lines of the two deeds.
static struct fault make(enum rule_id rule, uint32_t earlier, uint32_t later) {
  struct fault f = {.rule = rule,
                    .severity = FAULT_ERROR,
                    .message = "What is wrong.",
                    .kernel = "kernel",
                    .related_count = 1};
  f.place = (struct fault_place){.file = "student.cu", .line = earlier};
  f.related[0].place = (struct fault_place){.file = "student.cu", .line = later};
  return f;
}

// Records the two in both orders; fails unless only `shown` is shown. NULL: both.
static void expect_shown(const struct fault *a, const struct fault *b, const struct fault *shown) {
  for (int order = 0; order < 2; order++) {
    struct fault_report *r = fault_report_create();
    fault_record(r, order ? b : a);
    fault_record(r, order ? a : b);
    assert_int_equal(fault_count(r), shown ? 1 : 2);
    if (shown) {
      assert_int_equal(fault_at(r, 0)->rule, shown->rule);
      assert_int_equal(fault_at(r, 0)->place.line, shown->place.line);
    }
    fault_report_destroy(r);
  }
}

static void test_the_same_two_lines(void **state) {
  (void)state;
  const struct fault store = make(RULE_BUFFER_IN_FLIGHT, 13, 10), race = make(RULE_SHARED_RACE, 10, 13),
                     elsewhere = make(RULE_SHARED_RACE, 10, 14), fence = make(RULE_PROXY_FENCE, 10, 13);
  expect_shown(&store, &race, &store);
  expect_shown(&store, &elsewhere, NULL);
  expect_shown(&store, &fence, NULL); // two mistakes: the fence and the wait
}

static void test_a_load_that_overtakes_is_no_missing_wait(void **state) {
  (void)state;
  struct fault refill = make(RULE_BUFFER_STILL_READ, 38, 77);
  const struct fault use = make(RULE_TILE_BEFORE_PHASE, 77, 54),
                     no_wait = make(RULE_TILE_BEFORE_PHASE, 38, 54);
  expect_shown(&refill, &use, &use);
  refill.overtakes = true;
  expect_shown(&refill, &use, &refill);
  expect_shown(&refill, &no_wait, &no_wait);
}

// What is no mistake in itself is told in place of what comes of it.
static void test_a_root_comes_first(void **state) {
  (void)state;
  struct fault anew = make(RULE_PARITY, 10, 11), unawaited = make(RULE_UNOBSERVED_PHASE, 20, 21);
  const struct fault refill = make(RULE_BUFFER_STILL_READ, 38, 77), hang = make(RULE_DEADLOCK, 30, 31),
                     use = make(RULE_TILE_BEFORE_PHASE, 38, 54), fence = make(RULE_PROXY_FENCE, 1, 2);
  expect_shown(&unawaited, &refill, &refill); // an ordinary one
  anew.is_root = unawaited.is_root = true;
  expect_shown(&unawaited, &refill, &unawaited);
  expect_shown(&unawaited, &use, &use); // says as much
  expect_shown(&anew, &use, &anew);
  expect_shown(&anew, &hang, &anew);
  expect_shown(&anew, &fence, NULL);
}

static void test_copies_nobody_waits_for(void **state) {
  (void)state;
  struct fault late = make(RULE_BARRIER_NOT_INITIALISED, 16, 12);
  const struct fault use = make(RULE_TILE_BEFORE_PHASE, 16, 27);
  expect_shown(&late, &use, &late);
  late.comes_late = true;
  expect_shown(&late, &use, &use);
}

// One copy, in a block that waits neither for it nor for the other one.
static void test_one_copy_two_rules(void **state) {
  (void)state;
  struct fault landing = make(RULE_EXIT_BEFORE_LANDING, 18, 0), absent = make(RULE_ABSENT_BLOCK, 18, 0);
  landing.related_count = absent.related_count = 0;
  expect_shown(&landing, &absent, &landing);
  absent.place.line = 19;
  expect_shown(&landing, &absent, NULL);
}

static void test_what_orders_the_inner_orders_the_outer(void **state) {
  (void)state;
  const struct fault outer = make(RULE_GLOBAL_RACE, 15, 24), inner = make(RULE_GLOBAL_RACE, 17, 17),
                     beside = make(RULE_GLOBAL_RACE, 16, 25), crossed = make(RULE_GLOBAL_RACE, 18, 30);
  expect_shown(&outer, &inner, &inner);
  expect_shown(&beside, &inner, &inner);
  expect_shown(&crossed, &outer, NULL);
  struct fault another = inner;
  another.place.file = another.related[0].place.file = "other.cu";
  expect_shown(&outer, &another, NULL);
}

// Lines of a function that is called count where it is called.
static void test_calls_count_at_their_line(void **state) {
  (void)state;
  const struct fault inner = make(RULE_SHARED_RACE, 145, 156);
  struct fault outer = make(RULE_SHARED_RACE, 141, 57);
  outer.related[0].place.inlined_count = 2;
  outer.related[0].place.inlined[0].file = outer.related[0].place.inlined[1].file = "student.cu";
  outer.related[0].place.inlined[0].line = 57;
  outer.related[0].place.inlined[1].line = 166;
  expect_shown(&outer, &inner, &inner);
}

static void test_one_cause(void **state) {
  (void)state;
  struct fault a = make(RULE_PARITY, 1, 2), b = make(RULE_PARITY, 3, 4);
  expect_shown(&a, &b, NULL);
  a.cause = b.cause = fault_cause(SUBJECT_TOKEN, "barrier `bar`", 0);
  b.names_culprit = true;
  expect_shown(&a, &b, &b);
  b.cause = fault_cause(SUBJECT_TOKEN, "barrier `other`", 0);
  expect_shown(&a, &b, NULL);
  b = make(RULE_TILE_BEFORE_PHASE, 5, 6);
  b.cause = a.cause;
  expect_shown(&a, &b, &a); // parity explains it, whatever the order in the list
  a.rule = RULE_BUFFER_IN_FLIGHT;
  expect_shown(&a, &b, &b); // the rule that comes first
  struct fault one = make(RULE_STREAM_ORDER, 1, 2), two = make(RULE_STREAM_ORDER, 3, 4);
  one.cause = two.cause = fault_cause(SUBJECT_STREAMS, "", 1);
  snprintf(two.kernel, sizeof two.kernel, "another");
  struct fault_report *r = fault_report_create();
  fault_record(r, &one);
  fault_record(r, &two);
  assert_int_equal(fault_count(r), 1);
  fault_report_destroy(r);
}

static void test_a_race_and_an_unseen_phase(void **state) {
  (void)state;
  struct fault race = make(RULE_SHARED_RACE, 1, 2), phase = make(RULE_UNOBSERVED_PHASE, 3, 4);
  expect_shown(&race, &phase, &race);
  phase.names_culprit = true; // nobody ever waits for that barrier
  expect_shown(&race, &phase, &phase);
  race.names_culprit = true; // it names the arrival that nobody waits for
  expect_shown(&race, &phase, &race);
}

static void test_who_lets_the_loader_come_again(void **state) {
  (void)state;
  struct fault use = make(RULE_TILE_BEFORE_PHASE, 1, 2), arrival = make(RULE_ARRIVAL_COUNT, 3, 4);
  expect_shown(&use, &arrival, &arrival); // the barrier counts too few, so waits end too early
  arrival.comes_again = true;
  expect_shown(&use, &arrival, &use);
}

static void test_warnings_explain_nothing(void **state) {
  (void)state;
  struct fault a = make(RULE_PARITY, 1, 2), b = make(RULE_PARITY, 3, 4);
  a.cause = b.cause = 7;
  a.severity = FAULT_WARNING;
  expect_shown(&a, &b, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_same_two_lines),
      cmocka_unit_test(test_a_load_that_overtakes_is_no_missing_wait),
      cmocka_unit_test(test_a_root_comes_first),
      cmocka_unit_test(test_copies_nobody_waits_for),
      cmocka_unit_test(test_one_copy_two_rules),
      cmocka_unit_test(test_what_orders_the_inner_orders_the_outer),
      cmocka_unit_test(test_calls_count_at_their_line),
      cmocka_unit_test(test_one_cause),
      cmocka_unit_test(test_a_race_and_an_unseen_phase),
      cmocka_unit_test(test_who_lets_the_loader_come_again),
      cmocka_unit_test(test_warnings_explain_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
