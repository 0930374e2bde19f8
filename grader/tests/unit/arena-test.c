// The arena: pieces are zeroed, aligned and separate, even large ones, and the arena keeps its limit.
#include "virtual-hopper/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_pieces_are_zeroed_aligned_and_apart(void **state) {
  (void)state;
  struct arena *arena = arena_create();
  unsigned char *pieces[500];
  for (size_t i = 0; i < 500; i++) {
    size_t bytes = i * 37 % 300 + (i % 50 == 0 ? 100000 : 1);
    pieces[i] = arena_allocate(arena, bytes);
    assert_int_equal((uintptr_t)pieces[i] % 16, 0);
    for (size_t j = 0; j < bytes; j++)
      assert_int_equal(pieces[i][j], 0);
    memset(pieces[i], (int)(i % 255) + 1, bytes);
  }
  for (size_t i = 0; i < 500; i++)
    assert_int_equal(pieces[i][0], i % 255 + 1); // no later piece overwrote it
  arena_destroy(arena);
}

static void test_used_counts_bytes_handed_out(void **state) {
  (void)state;
  struct arena *arena = arena_create();
  assert_int_equal(arena_used(arena), 0);
  arena_allocate(arena, 100);
  arena_allocate_array(arena, 10, 8);
  assert_int_equal(arena_used(arena), 180);
  arena_destroy(arena);
}

static void test_text_is_copied_with_its_end(void **state) {
  (void)state;
  struct arena *arena = arena_create();
  assert_string_equal(arena_copy_text(arena, "barrier", 3), "bar");
  assert_string_equal(arena_copy_text(arena, "", 0), "");
  arena_destroy(arena);
}

static void test_limit_refuses_and_stays_exhausted(void **state) {
  (void)state;
  struct arena *arena = arena_create();
  arena_limit(arena, 1000);
  assert_non_null(arena_allocate(arena, 600));
  assert_non_null(arena_allocate(arena, 400));
  assert_false(arena_exhausted(arena));
  assert_null(arena_allocate(arena, 1));
  assert_true(arena_exhausted(arena));
  assert_null(arena_allocate(arena, 0));
  arena_destroy(arena);
}

static void test_product_that_overflows_is_refused(void **state) {
  (void)state;
  struct arena *arena = arena_create();
  arena_limit(arena, 1000);
  assert_null(arena_allocate_array(arena, SIZE_MAX / 2, 3));
  assert_true(arena_exhausted(arena));
  arena_destroy(arena);
  arena_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces_are_zeroed_aligned_and_apart),
      cmocka_unit_test(test_used_counts_bytes_handed_out),
      cmocka_unit_test(test_text_is_copied_with_its_end),
      cmocka_unit_test(test_limit_refuses_and_stays_exhausted),
      cmocka_unit_test(test_product_that_overflows_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
