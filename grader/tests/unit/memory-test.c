// Device memory: allocations are found, bounds are kept, gaps are unmapped, freed memory is not found, and
// ranges are used again when the span is spent.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/memory/memory.h"

static void finds_what_was_allocated(void **state) {
  (void)state;
  struct memory *m = memory_create(64 << 20, NULL);
  const size_t sizes[] = {1, 255, 4096, 65535, 65536, 65537, 1 << 20};
  uint64_t addresses[7];
  for (int i = 0; i < 7; i++) {
    assert_int_equal(memory_allocate(m, sizes[i], 256, &addresses[i]), 0);
    assert_int_equal(addresses[i] % 256, 0);
  }
  for (int i = 0; i < 7; i++) {
    uint64_t a = addresses[i];
    size_t n = sizes[i];
    assert_non_null(memory_host(m, a, n));
    assert_ptr_equal(memory_host(m, a + n - 1, 1), memory_host(m, a, 1) + n - 1);
    assert_null(memory_host(m, a, n + 1));
    assert_null(memory_host(m, a + n, 1));
    assert_null(memory_host(m, a - 1, 1));
    assert_null(memory_host(m, a + 1, SIZE_MAX));
    assert_non_null(memory_host(m, a + n, 0));
    assert_int_equal(memory_find(m, a + n - 1)->address, a);
    assert_null(memory_find(m, a + n));
    memset(memory_host(m, a, n), i, n);
  }
  for (int i = 0; i < 7; i++)
    assert_int_equal(*memory_host(m, addresses[i] + sizes[i] - 1, 1), i);
  assert_int_equal(memory_used(m), 1 + 255 + 4096 + 65535 + 65536 + 65537 + (1 << 20));
  memory_destroy(m);
}

static void frees(void **state) {
  (void)state;
  struct memory *m = memory_create(64 << 20, NULL);
  uint64_t a, b;
  assert_int_equal(memory_allocate(m, 1000, 256, &a), 0);
  assert_int_equal(memory_allocate(m, 1000, 256, &b), 0);
  assert_int_equal(memory_free(m, a + 8, NULL), 1);
  assert_int_equal(memory_free(m, a, NULL), 0);
  assert_int_equal(memory_free(m, a, NULL), 1);
  assert_int_equal(memory_free(m, 0, NULL), 1);
  assert_null(memory_host(m, a, 1));
  assert_non_null(memory_host(m, b, 1000));
  assert_int_equal(memory_used(m), 1000);
  char text[256];
  memory_describe(m, a + 10, text, sizeof text);
  assert_non_null(strstr(text, "freed"));
  memory_destroy(m);
}

static void refuses_too_much(void **state) {
  (void)state;
  struct memory *m = memory_create(1 << 20, NULL);
  uint64_t a;
  assert_int_equal(memory_allocate(m, 0, 256, &a), 1);
  assert_int_equal(memory_allocate(m, (1 << 20) + 1, 256, &a), 2);
  assert_int_equal(memory_allocate(m, SIZE_MAX, 256, &a), 2);
  assert_int_equal(memory_allocate(m, 900 << 10, 256, &a), 0);
  assert_int_equal(memory_allocate(m, 200 << 10, 256, &a), 2);
  memory_destroy(m);
}

static void uses_freed_ranges_again(void **state) {
  (void)state;
  struct memory *m = memory_create(4 << 20, NULL);
  uint64_t a, kept;
  assert_int_equal(memory_allocate(m, 100, 256, &kept), 0);
  for (int i = 0; i < 500; i++) {
    size_t bytes = (size_t)(1 + i % 7) * 300000;
    assert_int_equal(memory_allocate(m, bytes, 256, &a), 0);
    uint8_t *host = memory_host(m, a, bytes);
    assert_non_null(host);
    assert_int_equal(host[bytes - 1], 0);
    host[bytes - 1] = 1;
    assert_int_equal(memory_free(m, a, NULL), 0);
  }
  assert_non_null(memory_host(m, kept, 100));
  memory_destroy(m);
}

static void keeps_room_for_what_is_handed(void **state) {
  (void)state;
  struct budget budget = {.limit = 1 << 20};
  struct memory *m = memory_create((size_t)1 << 36, &budget);
  uint64_t a, b, last = 0, many = 0;
  assert_int_equal(memory_allocate(m, 2 << 20, 256, &a), 2);
  for (; memory_allocate(m, 1, 256, &a) == 0; many++)
    last = a;
  assert_int_equal(many, 11); // small allocations, too, take up a page each, and a record
  assert_int_equal(memory_hand(m, 2 << 20, 256, "out", &b), 0);
  assert_true(memory_find(m, b)->handed);
  assert_string_equal(memory_find(m, b)->name, "out");
  assert_int_equal(memory_free(m, b, NULL), 0); // this gives the program no room
  assert_int_equal(memory_allocate(m, 1, 256, &b), 2);
  assert_int_equal(memory_free(m, last, NULL), 0);
  assert_int_equal(memory_allocate(m, 1, 256, &b), 0);
  assert_false(memory_find(m, b)->handed);
  memory_destroy(m);
}

static void describes_neighbours(void **state) {
  (void)state;
  struct memory *m = memory_create(64 << 20, NULL);
  uint64_t a;
  char text[256];
  memory_describe(m, GLOBAL_BASE + 5, text, sizeof text);
  assert_string_equal(text, "device memory has no allocation");
  memory_allocate(m, 4096, 256, &a);
  memory_name(m, a, "out");
  memory_describe(m, a + 4100, text, sizeof text);
  assert_non_null(strstr(text, "4 bytes past the end of `out` (4096 bytes"));
  memory_describe(m, a + 4096, text, sizeof text);
  assert_non_null(strstr(text, "right at the end of `out`"));
  memory_describe(m, a - 16, text, sizeof text);
  assert_non_null(strstr(text, "16 bytes before `out`"));
  assert_false(memory_is_far(m, a + 16));
  assert_false(memory_is_far(m, a + 4096 + ((uint64_t)1 << 35)));
  assert_false(memory_is_far(m, a - ((uint64_t)1 << 35)));
  assert_true(memory_is_far(m, a + ((uint64_t)1 << 37)));
  assert_true(memory_is_far(m, a - ((uint64_t)1 << 37)));
  memory_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_what_was_allocated),
      cmocka_unit_test(frees),
      cmocka_unit_test(refuses_too_much),
      cmocka_unit_test(uses_freed_ranges_again),
      cmocka_unit_test(keeps_room_for_what_is_handed),
      cmocka_unit_test(describes_neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
