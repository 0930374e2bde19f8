// Invented readings of a GPU: which readings leave a measurement meaningful, and what the report says about
// the others.
#include "referee/bytes-in-flight.h"
#include "referee/fairness.h"
#include "virtual-hopper/rules/fault.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { HOT = 0x40, HARDWARE = 0x8, POWER_CAP = 0x4 };

// An H100 without other users, and a kernel at 0.99 of the yardstick.
static struct fairness good(void) {
  return (struct fairness){.ratio = {.kernel = 2970e9, .yardstick = 3000e9, .ratio = 0.99, .spread = 0.004},
                           .baseline = 3000e9,
                           .peak = 3352e9,
                           .apart = 0.002,
                           .during = {.known = true},
                           .alone = {.known = true}};
}

static struct fairness slow_yardstick(double yardstick, unsigned others) {
  struct fairness fairness = good();
  fairness.ratio.yardstick = fairness.baseline = yardstick;
  fairness.ratio.kernel = yardstick * 0.99;
  fairness.alone.others = others;
  return fairness;
}

static void expect_verdict(const struct fairness *fairness, enum ratio_verdict reached,
                           enum fairness_verdict expected) {
  enum fairness_verdict got = fairness_judge(fairness, reached);
  if (got != expected) fail_msg("got %d, expected %d", got, expected);
}

static void test_a_quiet_gpu(void **state) {
  (void)state;
  struct fairness fairness = good();
  char text[160];
  expect_verdict(&fairness, RATIO_REACHED, FAIRNESS_FAIR);
  expect_verdict(&fairness, RATIO_MISSED, FAIRNESS_FAIR);
  fairness_describe(&fairness, text, sizeof text);
  assert_string_equal(text, "");
}

static void test_an_unsteady_yardstick(void **state) {
  (void)state;
  struct fairness fairness = good();
  fairness.ratio.yardstick = 2870e9;
  expect_verdict(&fairness, RATIO_REACHED, FAIRNESS_UNSTEADY);
  fairness = good();
  fairness.ratio.spread = 0.05;
  expect_verdict(&fairness, RATIO_REACHED, FAIRNESS_UNSTEADY);
  fairness.ratio.spread = NAN;
  expect_verdict(&fairness, RATIO_MISSED, FAIRNESS_UNSTEADY);
}

// Another program that is idle does no harm. A program that takes its share of the memory bandwidth all the
// time makes no student pass or fail.
static void test_another_program(void **state) {
  (void)state;
  char text[160];
  struct fairness idle = slow_yardstick(3000e9, 2), busy = slow_yardstick(1500e9, 1),
                  nobody = slow_yardstick(1500e9, 0), unknown_peak = slow_yardstick(1500e9, 1);
  expect_verdict(&idle, RATIO_MISSED, FAIRNESS_FAIR);
  fairness_describe(&idle, text, sizeof text);
  assert_string_equal(text, "2 other programs compute on it");
  expect_verdict(&busy, RATIO_REACHED, FAIRNESS_CROWDED);
  expect_verdict(&busy, RATIO_MISSED, FAIRNESS_CROWDED);
  fairness_describe(&busy, text, sizeof text);
  assert_string_equal(text, "1 other program computes on it");
  expect_verdict(&nobody, RATIO_REACHED, FAIRNESS_FAIR);
  unknown_peak.peak = 0;
  expect_verdict(&unknown_peak, RATIO_REACHED, FAIRNESS_FAIR);
  // The program was seen only while the student's program ran: it may belong to the student, and excuses
  // nothing.
  struct fairness own = slow_yardstick(3000e9, 0);
  own.during.others = 1;
  expect_verdict(&own, RATIO_MISSED, FAIRNESS_FAIR);
}

// On a busy machine nothing is told but what speaks for the kernel.
static void test_a_busy_machine(void **state) {
  (void)state;
  struct fairness late = good(), unsteady = good(), fair = good();
  late.apart = 1.098;
  unsteady.ratio.spread = 0.2;
  expect_verdict(&late, RATIO_MISSED, FAIRNESS_CLOCKS);
  expect_verdict(&unsteady, RATIO_MISSED, FAIRNESS_UNSTEADY);
  late.waited = unsteady.waited = fair.waited = 0.3;
  expect_verdict(&late, RATIO_MISSED, FAIRNESS_TOO_BUSY);
  expect_verdict(&late, RATIO_REACHED, FAIRNESS_TOO_BUSY);
  expect_verdict(&unsteady, RATIO_REACHED, FAIRNESS_TOO_BUSY);
  expect_verdict(&fair, RATIO_REACHED, FAIRNESS_FAIR);
  expect_verdict(&fair, RATIO_MISSED, FAIRNESS_TOO_BUSY);
  fair.waited = late.waited = 0.004;
  expect_verdict(&fair, RATIO_MISSED, FAIRNESS_FAIR);
  expect_verdict(&late, RATIO_REACHED, FAIRNESS_CLOCKS);
  late.apart = NAN;
  expect_verdict(&late, RATIO_REACHED, FAIRNESS_CLOCKS);
}

// A program may be said to keep the GPU busy only if nothing else explains why the yardstick fell.
static void test_whose_fault(void **state) {
  (void)state;
  static const struct {
    double yardstick, without; // of a baseline of 1000
    bool product;
    unsigned long long throttled;
    unsigned others;
    bool busy;
    const char *reason;
  } table[] = {
      {500, 990, false, 0, 0, true, "the GPU became slower meanwhile"},
      {940, 995, false, 0, 0, true, "the GPU became slower meanwhile"},
      {955, 965, false, 0, 0, false, "the GPU became slower meanwhile"}, // hardly faster without it
      {500, 600, false, 0, 0, false, "the GPU became slower meanwhile"}, // not what it had been
      {500, 990, false, 0, 1, false, "another program uses the GPU"},
      {880, 920, true, 0, 0, false, "the GPU became slower meanwhile"},
      {750, 990, true, 0, 0, true, "the GPU became slower meanwhile"},
      {750, 990, true, POWER_CAP, 0, false, "the GPU became slower meanwhile"},
      {500, 990, true, POWER_CAP, 0, true, "the GPU became slower meanwhile"},
      {500, NAN, true, 0, 0, false, "the GPU became slower meanwhile"},
      {NAN, 990, true, 0, 0, false, "the GPU became slower meanwhile"},
      {1000, 1000, true, 0, 0, false, "the GPU's speed varied"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const struct fairness fairness = {
        .product = table[i].product,
        .ratio = {.kernel = 1, .yardstick = table[i].yardstick, .spread = 0.2},
        .baseline = 1000,
        .peak = 1100,
        .during = {.known = true, .throttled = table[i].throttled, .others = table[i].others}};
    bool busy = fairness_was_kept_busy(&fairness, table[i].without);
    const char *reason = fairness_reason(&fairness);
    if (busy != table[i].busy) fail_msg("row %zu: got %d, expected %d", i, busy, table[i].busy);
    if (strcmp(reason, table[i].reason) != 0)
      fail_msg("row %zu: got %s, expected %s", i, reason, table[i].reason);
  }
}

static void test_held_back_clocks(void **state) {
  (void)state;
  char text[160];
  struct fairness fairness = good();
  fairness.during = (struct gpu_health){.known = true, .throttled = HOT, .degrees = 91};
  expect_verdict(&fairness, RATIO_REACHED, FAIRNESS_FAIR);
  expect_verdict(&fairness, RATIO_MISSED, FAIRNESS_THROTTLED);
  fairness_describe(&fairness, text, sizeof text);
  assert_string_equal(text, "it is slowed down because it is too hot (91 degrees)");
  fairness.during.throttled = HARDWARE;
  expect_verdict(&fairness, RATIO_MISSED, FAIRNESS_THROTTLED);
  fairness_describe(&fairness, text, sizeof text);
  assert_string_equal(text, "its hardware is slowing it down (power brake or a fault)");
  fairness.during.throttled = POWER_CAP; // the usual state of this GPU under load
  expect_verdict(&fairness, RATIO_MISSED, FAIRNESS_FAIR);
  fairness_describe(&fairness, text, sizeof text);
  assert_string_equal(text, "it runs at its power limit");
}

static void test_too_fast(void **state) {
  (void)state;
  struct fairness fairness = good();
  fairness.ratio.kernel = 3300e9;
  expect_verdict(&fairness, RATIO_REACHED, FAIRNESS_FAIR);
  fairness.ratio.kernel = 3310e9;
  expect_verdict(&fairness, RATIO_REACHED, FAIRNESS_TOO_FAST);
  fairness.ratio.kernel = INFINITY;
  expect_verdict(&fairness, RATIO_REACHED, FAIRNESS_TOO_FAST);
  fairness.peak = 0;
  fairness.ratio.kernel = 3590e9;
  expect_verdict(&fairness, RATIO_REACHED, FAIRNESS_FAIR);
  fairness.ratio.kernel = 3610e9;
  expect_verdict(&fairness, RATIO_REACHED, FAIRNESS_TOO_FAST);
}

static void test_clocks_that_disagree(void **state) {
  (void)state;
  static const double apart[] = {0.021, -0.021, NAN, INFINITY};
  for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
    struct fairness fairness = good();
    fairness.apart = apart[i];
    expect_verdict(&fairness, RATIO_REACHED, FAIRNESS_CLOCKS);
  }
}

// 100 is the grader, 101 its sandbox, 102 the runner. 7 belongs to another user.
static unsigned parent_of(unsigned pid) {
  return pid == 102 ? 101 : pid == 101 ? 100 : pid == 100 ? 50 : pid == 50 || pid == 7 ? 1 : 0;
}

static void test_whose_processes(void **state) {
  (void)state;
  static const unsigned own[] = {100, 102}, mixed[] = {7, 100, 102, 9999},
                        foreign_numbers[] = {30001, 30002, 30003};
  assert_int_equal(gpu_health_others(own, 1, 100, 1, parent_of), 0);
  assert_int_equal(gpu_health_others(own, 2, 100, 1, parent_of), 0);
  assert_int_equal(gpu_health_others(mixed, 4, 100, 2, parent_of), 2);
  assert_int_equal(gpu_health_others(foreign_numbers, 3, 100, 2, parent_of), 1);
  assert_int_equal(gpu_health_others(foreign_numbers, 0, 100, 2, parent_of), 0);
}

static void test_bytes_in_flight(void **state) {
  (void)state;
  static const struct {
    struct observed kernel;
    unsigned blocks;
  } table[] = {
      {{.block_threads = 256, .block_shared_bytes = 4104, .grid_blocks = 4096}, 8}, // limited by threads
      // limited by threads in whole warps
      {{.block_threads = 480, .block_shared_bytes = 33800, .grid_blocks = 4096}, 4},
      // limited by shared memory
      {{.block_threads = 288, .block_shared_bytes = 70000, .grid_blocks = 4096}, 3},
      {{.block_threads = 384, .block_shared_bytes = 31000, .grid_blocks = 264}, 2}, // limited by the grid
      {{.block_threads = 32, .block_shared_bytes = 0, .grid_blocks = 100000}, 32},  // limited by blocks
      {{.block_threads = 1024, .block_shared_bytes = 233000, .grid_blocks = 100000}, 0}, // no block fits
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct fault_report *report = fault_report_create();
    struct observed other = {.kernel = "other", .block_threads = 1, .max_load_bytes_in_flight = 7},
                    kernel = table[i].kernel;
    snprintf(kernel.kernel, sizeof kernel.kernel, "kernel");
    kernel.bulk_load_bytes = 1 << 20;
    kernel.max_load_bytes_in_flight = 4096;
    observed_merge(report, &other);
    observed_merge(report, &kernel);
    struct bytes_in_flight in_flight = bytes_in_flight_of(report);
    unsigned blocks = bytes_in_flight_blocks(&in_flight, 132);
    if (blocks != table[i].blocks) fail_msg("row %zu: %u blocks", i, blocks);
    assert_int_equal(in_flight.block_bytes, 4096);
    fault_report_destroy(report);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_quiet_gpu),     cmocka_unit_test(test_an_unsteady_yardstick),
      cmocka_unit_test(test_another_program), cmocka_unit_test(test_a_busy_machine),
      cmocka_unit_test(test_whose_fault),     cmocka_unit_test(test_held_back_clocks),
      cmocka_unit_test(test_too_fast),        cmocka_unit_test(test_clocks_that_disagree),
      cmocka_unit_test(test_whose_processes), cmocka_unit_test(test_bytes_in_flight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
