// The steady part of a launch, from what was done by its clusters' ends.
#include "virtual-hopper/time/turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h comes after the headers that it needs.
#include <cmocka.h>

enum { PLACES = 4, CLUSTERS = 40, PERIOD = 100, BYTES = 64 };

// Clusters that all end at nearly the same time, after PERIOD cycles each, but that the first turn takes half
// as long, and the last one twice as long.
static void lay_out(struct progress *ends) {
  for (uint64_t i = 0; i < CLUSTERS; i++) {
    const uint64_t turn = i / PLACES, more = turn + 1 == CLUSTERS / PLACES ? PERIOD : 0;
    ends[i] = (struct progress){.when = (double)(turn * PERIOD + i % PLACES + more) + PERIOD * 0.5,
                                .bytes = (double)((i + 1) * BYTES)};
  }
}

static void test_turns_are_whole(void **state) {
  (void)state;
  struct progress ends[CLUSTERS], turns;
  lay_out(ends);
  for (uint64_t count = 4 * PLACES; count <= CLUSTERS; count++) {
    assert_true(turns_of(ends, count, PLACES, &turns));
    const double bytes = turns.bytes / turns.when, right = (double)PLACES * BYTES / PERIOD;
    if (!(bytes > right * 0.9999 && bytes < right * 1.0001))
      fail_msg("%d clusters: %g bytes a cycle, and not %g", (int)count, bytes, right);
  }
}

static void test_few_clusters_have_no_turns(void **state) {
  (void)state;
  struct progress ends[CLUSTERS], turns;
  lay_out(ends);
  assert_false(turns_of(ends, 4 * PLACES - 1, PLACES, &turns));
  assert_false(turns_of(ends, 0, PLACES, &turns));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_turns_are_whole),
      cmocka_unit_test(test_few_clusters_have_no_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
