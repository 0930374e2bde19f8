// Which lines the time model finds in a processor's L1 cache, and which parts of the memory stay open.
#include "virtual-hopper/time/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h comes after the headers that it needs.
#include <cmocka.h>

#include "virtual-hopper/time/pages.h"

static void test_blocks_find_what_blocks_before_have_loaded(void **state) {
  (void)state;
  struct time_near *n = time_near_make(64 << 10);
  assert_int_equal(time_near_touch(n, 7, 0x3, false), 0); // looks, and leaves nothing
  assert_int_equal(time_near_touch(n, 7, 0x3, true), 0);
  assert_int_equal(time_near_touch(n, 7, 0x6, false), 0x2);
  assert_int_equal(time_near_touch(n, 7, 0x6, true), 0x2);
  assert_int_equal(time_near_touch(n, 7, 0xf, false), 0x7);
  time_near_free(n);
}

// A table that fits is found again among lines that come once; those are not, once the cache is full.
static void test_the_newest_lines_stay(void **state) {
  (void)state;
  enum { TABLE = 128, ROUNDS = 64, EACH = 16, STREAM = 1 << 20 };
  struct time_near *n = time_near_make(64 << 10); // 512 lines
  uint32_t found = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    for (uint64_t line = 0; line < TABLE; line++)
      found += time_near_touch(n, line, 1, true);
    for (uint64_t line = 0; line < EACH; line++)
      (void)time_near_touch(n, STREAM + round * EACH + line, 1, true);
  }
  assert_in_range(found, (ROUNDS - 1) * TABLE * 99 / 100, (ROUNDS - 1) * TABLE);
  assert_int_equal(time_near_touch(n, STREAM, 1, false), 0);
  time_near_free(n);
}

static void test_warps_of_a_block_find_one_anothers_lines(void **state) {
  (void)state;
  struct time_lines *l = time_lines_make();
  assert_int_equal(time_lines_touch(l, 0, 40, 0xf, 100).same, 0);
  const struct time_beside by = time_lines_touch(l, 0, 40, 0x1, 80);
  assert_int_equal(by.same, 0x1);
  assert_int_equal(by.apart, 20);                                 // whichever of both ran first
  assert_int_equal(time_lines_touch(l, 1, 40, 0xf, 100).same, 0); // another block of the cluster
  time_lines_free(l);
}

// Two warps come to one page, a MiB of their own bytes apart. Opened twice, unless most of these bytes come
// from a cache.
static uint64_t opened(uint64_t through) {
  const uint64_t bytes = 1 << 20, page = 4096;
  struct time_pages *p = time_pages_make(2, 2);
  time_pages_touch(p, 0, 0, page, false, false);
  time_pages_move(p, 1, 0, bytes, through);
  time_pages_touch(p, 1, 0, page, false, false);
  const uint64_t count = time_pages_opened(p, false);
  time_pages_free(p);
  return count;
}
static void test_pages_stay_open_while_the_memory_moves_little(void **state) {
  (void)state;
  assert_int_equal(opened(1 << 20), 2);
  assert_int_equal(opened(1 << 18), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_find_what_blocks_before_have_loaded),
      cmocka_unit_test(test_the_newest_lines_stay),
      cmocka_unit_test(test_warps_of_a_block_find_one_anothers_lines),
      cmocka_unit_test(test_pages_stay_open_while_the_memory_moves_little),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
