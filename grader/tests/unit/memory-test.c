// Device memory: allocations are found, bounds are kept, gaps are unmapped, freed memory is not found, and
// ranges are used again when the span is spent.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
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

static void check_pages(const struct memory_pages *pages, uint64_t address, size_t bytes) {
  assert_int_equal(pages->address, address);
  assert_int_equal(pages->bytes, bytes);
  assert_int_equal(lseek(pages->file, 0, SEEK_END), bytes);
  assert_int_equal(ftruncate(pages->file, 0), -1);
  assert_int_equal(ftruncate(pages->file, 1 << 20), -1);
}

// Page-locked memory: at the program's own addresses, exact to the byte, in pages of a file that keeps its
// size.
static void pins(void **state) {
  (void)state;
  struct memory *m = memory_create(64 << 20, NULL);
  struct memory_pages one, joined;
  const uint64_t heap = 0x555500000000, first = heap + 100, second = heap + 5000;
  assert_int_equal(memory_pin(m, first, 1000, &one), 0);
  check_pages(&one, heap, 4096);
  assert_non_null(memory_host(m, first, 1000));
  assert_null(memory_host(m, first, 1001));
  assert_null(memory_host(m, first - 1, 1));
  assert_true(memory_is_pinned(m, first + 999) && !memory_is_pinned(m, first + 1000));
  uint8_t byte = 77, *host = memory_host(m, first, 1);
  assert_int_equal(pwrite(one.file, &byte, 1, 100), 1);
  assert_int_equal(*host, 77);
  assert_int_equal(memory_pin(m, first + 10, 4, &joined), 712);
  // A second one on the first one's page: both are in one file then.
  assert_int_equal(memory_pin(m, heap + 1100, 10000, &joined), 0);
  check_pages(&joined, heap, 12288);
  assert_int_equal(pwrite(joined.file, &byte, 1, 101), 1);
  assert_int_equal(*memory_host(m, first + 1, 1), 77);
  assert_ptr_equal(memory_host(m, second, 1), memory_host(m, first, 1) + (second - first));
  assert_int_equal(memory_unpin(m, first + 1, NULL), 1);
  assert_int_equal(memory_unpin(m, first, NULL), 0);
  assert_int_equal(memory_unpin(m, first, NULL), 1);
  assert_null(memory_host(m, first, 1));
  assert_true(memory_was_freed(m, first));
  assert_non_null(memory_host(m, heap + 1100, 10000));
  assert_int_equal(memory_free(m, heap + 1100, NULL), 1);
  assert_int_equal(memory_unpin(m, heap + 1100, NULL), 0);
  close(one.file);
  close(joined.file);
  memory_destroy(m);
}

// Where the program has page-locked memory, no device memory is made, and the other way round.
static void pins_beside_device_memory(void **state) {
  (void)state;
  struct memory *m = memory_create(64 << 20, NULL);
  struct memory_pages pages;
  uint64_t a, b;
  assert_int_equal(memory_allocate(m, 1000, 256, &a), 0);
  assert_int_equal(memory_pin(m, a, 4096, &pages), 1);
  assert_int_equal(memory_pin(m, SHARED_WINDOW + 4096, 4096, &pages), 1);
  assert_int_equal(memory_pin(m, 16, 4096, &pages), 1);
  assert_int_equal(memory_pin(m, UINT64_MAX - 100, 4096, &pages), 1);
  assert_int_equal(memory_pin(m, a + (1 << 20), 4096, &pages), 0);
  close(pages.file);
  assert_int_equal(memory_allocate(m, 4 << 20, 256, &b), 0);
  assert_true(b >= a + (1 << 20) + 4096);
  assert_non_null(memory_host(m, b, 4 << 20));
  assert_non_null(memory_host(m, a + (1 << 20), 4096));
  memory_destroy(m);
}

// Its pages are the program's own, and count.
static void pins_within_the_budget(void **state) {
  (void)state;
  struct budget budget = {.limit = 16 << 20};
  struct memory *m = memory_create(64 << 20, &budget);
  struct memory_pages pages;
  assert_int_equal(memory_pin(m, 0x555500000000, 8 << 20, &pages), 0);
  close(pages.file);
  assert_true(atomic_load(&budget.used_by[BUDGET_PINNED]) == 8 << 20);
  assert_int_equal(memory_pin(m, 0x555600000000, 8 << 20, &pages), 2);
  assert_int_equal(memory_unpin(m, 0x555500000000, NULL), 0);
  assert_int_equal(memory_pin(m, 0x555600000000, 8 << 20, &pages), 0);
  close(pages.file);
  memory_destroy(m);
  assert_int_equal(atomic_load(&budget.used), 0);
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

// A handed allocation may begin behind the beginning of its pages: what lies before it is nobody's.
static void hands_out_what_begins_later(void **state) {
  (void)state;
  enum { LEAD = 768, BYTES = (64 << 10) - 256 }; // together more than 64 KiB
  struct memory *m = memory_create(1 << 30, NULL);
  uint64_t a, b;
  char text[256];
  const int file = memfd_create("pages", MFD_CLOEXEC);
  assert_int_equal(ftruncate(file, 3 * (64 << 10)), 0);
  assert_int_equal(memory_hand(m, BYTES, LEAD, "out", &a), 0);
  assert_int_equal(a % (64 << 10), LEAD);
  assert_null(memory_host(m, a - 1, 1));
  assert_null(memory_host(m, a + BYTES, 1));
  memory_describe(m, a - 256, text, sizeof text);
  assert_non_null(strstr(text, "256 bytes before `out`"));
  assert_int_equal(memory_share(m, a, file, 64 << 10), 1); // not where it lies
  assert_int_equal(memory_share(m, a, file, (64 << 10) + LEAD), 0);
  *memory_host(m, a, 1) = 17;
  *memory_host(m, a + BYTES - 1, 1) = 19;
  uint8_t byte;
  assert_int_equal(pread(file, &byte, 1, (64 << 10) + LEAD), 1);
  assert_int_equal(byte, 17);
  assert_int_equal(pread(file, &byte, 1, (64 << 10) + LEAD + BYTES - 1), 1);
  assert_int_equal(byte, 19);
  assert_int_equal(memory_free(m, a + 1, NULL), 1);
  assert_int_equal(memory_free(m, a, NULL), 0);
  assert_true(memory_was_freed(m, a + BYTES - 1));
  assert_int_equal(memory_allocate(m, 64, 256, &b), 0);
  assert_true(b >= a + BYTES);
  close(file);
  memory_destroy(m);
}

static void describes_neighbours(void **state) {
  (void)state;
  struct memory *m = memory_create(64 << 20, NULL);
  uint64_t a;
  char text[256];
  memory_describe(m, GLOBAL_BASE + 5, text, sizeof text);
  assert_string_equal(text, "in no allocation: device memory has none");
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
      cmocka_unit_test(pins),
      cmocka_unit_test(pins_beside_device_memory),
      cmocka_unit_test(pins_within_the_budget),
      cmocka_unit_test(frees),
      cmocka_unit_test(refuses_too_much),
      cmocka_unit_test(uses_freed_ranges_again),
      cmocka_unit_test(keeps_room_for_what_is_handed),
      cmocka_unit_test(hands_out_what_begins_later),
      cmocka_unit_test(describes_neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
