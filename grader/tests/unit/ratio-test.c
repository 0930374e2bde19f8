// The arithmetic of the bandwidth verdict. A kernel at the target always passes, and a kernel 3 % below the
// target never passes. Noise only costs rounds.
#include "referee/ratio.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h comes after the headers that it needs.
#include <cmocka.h>

// Noise of a given size around 1, from a fixed seed. Noise is mostly small, and sometimes (one round in ten)
// four times as large and slow.
static double noise(uint64_t *state, double size) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  double uniform = (double)(*state >> 11) / (double)(1ULL << 53) - 0.5;
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  uint64_t slow = (*state >> 40) % 10 == 9;
  return 1 + uniform * size - (double)slow * 4.0 * size * fabs(uniform);
}

// Adds rounds until the verdict is clear, for a kernel whose true ratio is `truth`.
static enum ratio_verdict grade(double truth, double target, double size, uint64_t seed, unsigned *count) {
  struct ratio_rounds rounds = {.count = 0};
  struct ratio ratio = {0};
  enum ratio_verdict verdict;
  do {
    rounds.yardstick[rounds.count] = 3e12 * noise(&seed, size);
    rounds.kernel[rounds.count] = 3e12 * truth * noise(&seed, size);
    rounds.count++;
    ratio_of(&rounds, &ratio);
    verdict = ratio_decide(&ratio, rounds.count, target);
  } while (verdict == RATIO_OPEN && rounds.count < RATIO_MOST_ROUNDS);
  *count = rounds.count;
  return verdict;
}

static void test_verdicts_do_not_flip(void **state) {
  (void)state;
  static const struct {
    double truth;
    enum ratio_verdict expected;
  } table[] = {{1.0, RATIO_REACHED},        {0.95, RATIO_REACHED},       {0.93, RATIO_REACHED},
               {0.93 * 0.97, RATIO_MISSED}, {0.93 * 0.95, RATIO_MISSED}, {0.5, RATIO_MISSED}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    for (uint64_t seed = 1; seed <= 2000; seed++) {
      unsigned count;
      enum ratio_verdict verdict = grade(table[i].truth, 0.93, 0.012, seed, &count);
      if (verdict != table[i].expected)
        fail_msg("truth %g, seed %llu: verdict %d after %u rounds", table[i].truth, (unsigned long long)seed,
                 (int)verdict, count);
    }
  }
}

static void test_clear_cases_take_the_least_rounds(void **state) {
  (void)state;
  unsigned count;
  assert_int_equal(grade(1.0, 0.93, 0.01, 1, &count), RATIO_REACHED);
  assert_int_equal(count, RATIO_LEAST_ROUNDS);
  assert_int_equal(grade(0.8, 0.93, 0.01, 1, &count), RATIO_MISSED);
  assert_int_equal(count, RATIO_LEAST_ROUNDS);
}

static void test_interval(void **state) {
  (void)state;
  struct ratio_rounds rounds = {.count = 9};
  for (unsigned i = 0; i < 9; i++) {
    rounds.kernel[i] = 100 + (i * 5) % 9; // 100 to 108 in a mixed order
    rounds.yardstick[i] = 100;
  }
  struct ratio ratio;
  ratio_of(&rounds, &ratio);
  assert_true(fabs(ratio.ratio - 1.04) < 1e-12);
  // Of nine rounds, one may be left out at each end: 1 - 2 * (1 + 9) / 512 = 96 %.
  assert_true(fabs(ratio.low - 1.01) < 1e-12);
  assert_true(fabs(ratio.high - 1.07) < 1e-12);
  assert_true(ratio.spread == 0);
}

static void test_nothing_measured_is_open(void **state) {
  (void)state;
  struct ratio_rounds rounds = {.count = 0};
  struct ratio ratio;
  ratio_of(&rounds, &ratio);
  assert_int_equal(ratio_decide(&ratio, 0, 0.9), RATIO_OPEN);
}

static void test_a_ratio_that_is_no_number_misses(void **state) {
  (void)state;
  struct ratio ratio = {.ratio = NAN, .low = NAN, .high = NAN};
  assert_int_equal(ratio_decide(&ratio, RATIO_LEAST_ROUNDS, 0.9), RATIO_MISSED);
}

static void test_credit(void **state) {
  (void)state;
  static const struct {
    double ratio, credit;
  } table[] = {{0.5, 0}, {0.75, 0}, {0.767, 0}, {0.769, 0.1}, {0.84, 0.5}, {0.929, 0.9}, {0.95, 1}, {NAN, 0}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!(fabs(ratio_credit(table[i].ratio, 0.75, 0.93) - table[i].credit) < 1e-12))
      fail_msg("ratio %g: credit %g", table[i].ratio, ratio_credit(table[i].ratio, 0.75, 0.93));
  assert_true(ratio_credit(0.92, 0.93, 0.93) == 0); // without a floor, the kernel gets all points or none
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verdicts_do_not_flip),
      cmocka_unit_test(test_clear_cases_take_the_least_rounds),
      cmocka_unit_test(test_interval),
      cmocka_unit_test(test_nothing_measured_is_open),
      cmocka_unit_test(test_a_ratio_that_is_no_number_misses),
      cmocka_unit_test(test_credit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
