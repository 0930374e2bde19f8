// Which clusters of a launch the time model records.
#include "virtual-hopper/time/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h comes after the headers that it needs.
#include <cmocka.h>

enum { MOST_COLUMNS = 256 };

static struct time_launch *begin(uint64_t clusters) {
  const struct launch launch = {.cluster_count = clusters, .blocks_per_cluster = 1, .warps_per_block = 1};
  return time_launch_begin(chip_find("h100"), NULL, &launch, 8);
}

// Asks for each cluster, as a launch does. Returns how many are samples, and in how many columns of the grid.
static uint32_t samples_of(uint64_t clusters, uint64_t across, uint32_t *columns) {
  struct time_launch *t = begin(clusters);
  bool seen[MOST_COLUMNS] = {false};
  uint32_t samples = 0;
  for (uint64_t i = 0; i < clusters; i++) {
    const struct time_cluster *c = time_cluster_begin(t, i);
    if (!c) continue;
    assert_int_equal(c->index, i);
    samples++;
    seen[i % across] = true;
  }
  assert_int_equal(samples, t->sample_count);
  time_launch_end(t);
  *columns = 0;
  for (uint32_t i = 0; i < MOST_COLUMNS; i++)
    *columns += seen[i];
  return samples;
}

static void test_samples_are_of_all_columns(void **state) {
  (void)state;
  for (uint64_t across = 4; across <= MOST_COLUMNS; across *= 2)
    for (uint64_t rows = 48; rows <= 192; rows += 48) {
      uint32_t columns;
      const uint32_t samples = samples_of(across * rows, across, &columns);
      const uint32_t most = across < samples ? (uint32_t)across : samples;
      if (4 * columns < 3 * most)
        fail_msg("%u samples of %u x %u lie in %u columns", samples, (uint32_t)across, (uint32_t)rows,
                 columns);
    }
}

static void test_few_clusters_are_all_samples(void **state) {
  (void)state;
  for (uint64_t clusters = 1; clusters <= 200; clusters++) {
    uint32_t columns;
    const uint32_t samples = samples_of(clusters, 1, &columns);
    if (clusters <= 48) assert_int_equal(samples, clusters);
  }
}

static void test_the_first_cluster_is_a_sample(void **state) {
  (void)state;
  struct time_launch *t = begin(12288);
  assert_non_null(time_cluster_begin(t, 0));
  assert_null(time_cluster_begin(t, 0)); // once
  assert_null(time_cluster_begin(t, 12287));
  time_launch_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_samples_are_of_all_columns),
      cmocka_unit_test(test_few_clusters_are_all_samples),
      cmocka_unit_test(test_the_first_cluster_is_a_sample),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
