// The words for a launch that can't go on: who waits where, and what to do about it. Facts in, texts out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "virtual-hopper/rules/stuck-words.h"

static void test_threads_of_a_group(void **state) {
  (void)state;
  static const struct {
    struct stuck_group group;
    const char *role;
  } cases[] = {
      {{.threads = {.first = {7}, .last = {7}, .ranges = 1, .count = 1},
        .flat_grid = true,
        .thread_count = 1,
        .block_count = 1,
        .wait = STUCK_FOR_BULK_GROUPS},
       "thread 7 of block 0 waits here"},
      {{.threads = {.first = {1, 33}, .last = {31, 33}, .ranges = 2, .count = 72},
        .block = {2, 1, 0},
        .thread_count = 144,
        .block_count = 2,
        .wait = STUCK_FOR_MBARRIER},
       "threads 1-31 and 33 (and 40 more) of block (2,1,0) (the same in 1 more block) wait here"},
      {{.threads = {.first = {0}, .last = {31}, .ranges = 1, .count = 32},
        .block = {5},
        .flat_grid = true,
        .thread_count = 96,
        .block_count = 3,
        .changes = true},
       "threads 0-31 of block 5 (the same in 2 more blocks) are here"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char role[160];
    stuck_group_role(&cases[i].group, role, sizeof role);
    assert_string_equal(role, cases[i].role);
  }
}

static void test_what_a_group_waits_for(void **state) {
  (void)state;
  static const struct {
    struct stuck_group wait;
    const char *words;
  } cases[] = {
      {{.wait = STUCK_IN_LOOP}, "going round a loop in which nothing changes"},
      {{.wait = STUCK_IN_LOOP, .changes = true}, "in a loop"},
      {{.wait = STUCK_AT_BLOCK_BARRIER, .barrier = 3, .arrived = 32, .awaited = 64},
       "waiting at barrier 3 of the block (__syncthreads is 0): 32 of 64 threads have arrived"},
      {{.wait = STUCK_AT_BLOCK_BARRIER, .arrived = 1, .awaited = 31, .gone = 1},
       "waiting at barrier 0 of the block (__syncthreads is 0): 1 of 31 threads have arrived, "
       "and 1 have left"},
      {{.wait = STUCK_AT_CLUSTER_BARRIER, .arrived = 64, .awaited = 128},
       "waiting at the cluster barrier: 64 of 128 threads have arrived"},
      {{.wait = STUCK_FOR_LANES, .lanes = 0xffff}, "waiting for the lanes 0x0000ffff of their warp"},
      {{.wait = STUCK_FOR_MBARRIER}, "waiting for an mbarrier"},
      {{.wait = STUCK_FOR_MBARRIER, .state = "barrier `full`: phase 0"},
       "waiting for the barrier `full`: phase 0"},
      {{.wait = STUCK_FOR_BULK_GROUPS}, "waiting for bulk copies"},
      {{.wait = STUCK_FOR_CP_ASYNC}, "waiting for cp.async copies"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct stuck_group group = cases[i].wait;
    group.threads = (struct stuck_threads){.first = {0}, .last = {31}, .ranges = 1, .count = 32};
    group.thread_count = 32;
    group.block_count = 1;
    group.flat_grid = true;
    group.at.line = 9;
    struct fault fault = {.message = "Before."};
    char expected[400];
    snprintf(expected, sizeof expected, "Before. Threads 0-31 of block 0, at line 9, are %s.",
             cases[i].words);
    stuck_group_words(&group, &fault);
    assert_string_equal(fault.message, expected);
  }
}

// Every cause has advice that a reader can act on, and no cause has another one's.
static void test_every_cause_has_its_own_advice(void **state) {
  (void)state;
  static char seen[STUCK_UNCLEAR + 1][512];
  for (enum stuck_cause cause = STUCK_OUT_OF_REACH; cause <= STUCK_UNCLEAR; cause++) {
    const struct stuck_facts facts = {.cause = cause,
                                      .threads = {.first = {0}, .last = {0}, .ranges = 1, .count = 1},
                                      .thread_count = 1,
                                      .line = 12,
                                      .barrier_line = 15,
                                      .name = "barrier `full`",
                                      .other_name = "barrier `empty`",
                                      .expected_arrivals = 4,
                                      .phase = 3};
    struct fault fault = {.message = "stale"};
    stuck_words(&facts, &fault);
    assert_true(strlen(fault.remedy) > 40 && strlen(fault.remedy) + 1 < sizeof fault.remedy);
    assert_true(strlen(fault.message) + 1 < sizeof fault.message);
    assert_null(strstr(fault.message, "stale"));
    for (enum stuck_cause other = STUCK_OUT_OF_REACH; other < cause; other++)
      assert_string_not_equal(seen[other], fault.remedy);
    snprintf(seen[cause], sizeof seen[cause], "%s", fault.remedy);
    if (cause == STUCK_CLUSTER_BARRIER)
      assert_non_null(strstr(fault.message, "Thread 0 of the same block stands before a barrier"));
    else if (cause != STUCK_CIRCLE && cause != STUCK_UNCLEAR)
      assert_non_null(strstr(fault.message, cause == STUCK_OUT_OF_REACH ? "line 15" : "`full`"));
  }
}

// What the program has shown before: who signals a barrier, what it does now, and where arrivals go astray.
static void test_signallers(void **state) {
  (void)state;
  struct stuck_facts facts = {.cause = STUCK_NO_FIRST_LOAD,
                              .name = "barrier `empty[1]`",
                              .file = "a.cu",
                              .expected_arrivals = 3,
                              .signaller = {.known = true,
                                            .on = "barrier `empty[0]`",
                                            .thread = 64,
                                            .line = {.line = 30, .file = "a.cu"},
                                            .waits = {.line = 20, .file = "a.cu"}}};
  struct fault f = {0};
  stuck_words(&facts, &f);
  assert_string_equal(f.message,
                      "For phase 0 of the barrier `empty[1]`, its first one, nobody has arrived. On the "
                      "barrier `empty[0]`, thread 64 arrives at line 30, and now waits at line 20.");
  assert_non_null(strstr(f.remedy, "before the arrival"));
  facts.signaller.ended = facts.signaller.loads = true;
  stuck_words(&facts, &f);
  assert_non_null(strstr(f.message, "no load was ever started"));
  assert_non_null(strstr(f.message, "thread 64 loads at line 30, and has ended."));
  assert_non_null(strstr(f.remedy, "the same number of turns"));
  facts.signaller =
      (struct stuck_signaller){.stray = "barrier `done`", .stray_line = {.line = 9, .file = "a.cu"}};
  stuck_words(&facts, &f);
  assert_non_null(strstr(f.message, "Threads arrive, at line 9, on the barrier `done` instead"));
  assert_non_null(strstr(f.remedy, "Was this barrier meant there, too? It takes 3 arrivals."));
}

static void test_the_gone(void **state) {
  (void)state;
  struct stuck_gone gone = {.threads = {.first = {44}, .last = {255}, .ranges = 1, .count = 212},
                            .by_number = true,
                            .missing = 212,
                            .way_out = {.line = 80, .file = "a.cu"}};
  struct fault f = {
      .message = "Arrivals are missing.", .related_count = 1, .related = {{.place.file = "a.cu"}}};
  stuck_gone_words(&gone, &f);
  assert_string_equal(
      f.message, "Arrivals are missing. Threads 44-255 of the block have ended: as many as are missing.");
  assert_non_null(strstr(f.remedy, "is it the way out at line 80, before the arrival?"));
  assert_string_equal(f.related[0].role, "leaves the kernel here, as others do");
  gone = (struct stuck_gone){.threads = {.first = {64}, .last = {64}, .ranges = 1, .count = 1}, .missing = 1};
  snprintf(gone.on, sizeof gone.on, "barrier `empty[0]`");
  f = (struct fault){.message = "Arrivals are missing."};
  stuck_gone_words(&gone, &f);
  assert_string_equal(f.message,
                      "Arrivals are missing. Thread 64, which arrived on the barrier `empty[0]`, has ended.");
  assert_non_null(strstr(f.remedy, "is there a `return` or a `break` before the arrival?"));
}

static void test_summary(void **state) {
  (void)state;
  static const struct {
    struct stuck_summary summary;
    const char *message, *remedy;
  } cases[] = {
      {{0}, "No thread can go on any more; on the chip the kernel would hang.", ""},
      {{.loops = true, .unstarted = 8},
       "The kernel never ends: a loop comes back to where it was, and nothing has changed. 8 blocks haven't "
       "started: the chip holds no more at a time, and those that run don't end.",
       ""},
      {{.loops = true, .no_way_out = true},
       "The kernel never ends: nothing leads out of this loop, as in while (true) without a break.",
       "Give the loop a condition that ends it, or a break that is reached."},
      {{.budget_spent = true, .instructions = 4000000000},
       "The kernel ran for 4 G instructions of its warps without an end in sight.",
       ""},
      {{.budget_spent = true, .instructions = 999, .blocks = 100, .ended = 90, .unstarted = 9},
       "The kernel ran for 999 instructions of its warps without an end in sight. 90 of its 100 blocks had "
       "ended, and 9 had not started.",
       ""},
      {{.budget_spent = true,
        .instructions = 2500000,
        .blocks = 100,
        .ended = 90,
        .unstarted = 9,
        .many_have_ended = true},
       "The kernel ran for 2.5 M instructions of its warps without an end in sight. 90 of its 100 blocks had "
       "ended, and 9 had not started.",
       "Block after block ends, so it isn't a loop: is the number of blocks right, the first in <<<..>>>?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fault fault = {.rule = RULE_DEADLOCK};
    stuck_summary_words(&cases[i].summary, &fault);
    assert_string_equal(fault.message, cases[i].message);
    assert_string_equal(fault.remedy, cases[i].remedy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_threads_of_a_group),
      cmocka_unit_test(test_what_a_group_waits_for),
      cmocka_unit_test(test_every_cause_has_its_own_advice),
      cmocka_unit_test(test_signallers),
      cmocka_unit_test(test_the_gone),
      cmocka_unit_test(test_summary),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
