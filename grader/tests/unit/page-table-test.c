// Tables of pages. In: numbers in rows and scattered, as launches touch memory. Out: each page is found, no
// other is, and the lists stay short however many there are.
#include "virtual-hopper/order/page-table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PAGES = 100000, LOCKS = 64, LONGEST = 16 };

static void add(struct page_table *t, struct page_link *page) {
  const size_t room = page_table_wants(t);
  if (room) {
    struct page_link **old = t->heads, **heads = calloc(room, sizeof *heads);
    assert_non_null(heads);
    page_table_move(t, heads, room);
    free(old);
  }
  page_table_add(t, page);
}

static size_t longest_list(const struct page_table *t) {
  size_t longest = 0;
  for (size_t i = 0; i < t->room; i++) {
    size_t length = 0;
    for (const struct page_link *page = t->heads[i]; page; page = page->next)
      length++;
    longest = length > longest ? length : longest;
  }
  return longest;
}

// As many as an array of 400 MB has; `step` pages apart.
static void find_what_was_added(uint64_t first, uint64_t step) {
  struct page_table tables[LOCKS] = {{0}};
  struct page_link *pages = calloc(PAGES, sizeof *pages);
  assert_non_null(pages);
  assert_null(page_table_find(&tables[0], first));
  for (uint64_t i = 0; i < PAGES; i++) {
    pages[i].number = first + i * step;
    struct page_table *t = &tables[page_lock(pages[i].number, LOCKS)];
    assert_null(page_table_find(t, pages[i].number));
    add(t, &pages[i]);
  }
  for (uint64_t i = 0; i < PAGES; i++)
    assert_ptr_equal(page_table_find(&tables[page_lock(pages[i].number, LOCKS)], pages[i].number), &pages[i]);
  size_t count = 0;
  for (size_t l = 0; l < LOCKS; l++) {
    assert_in_range(longest_list(&tables[l]), 0, LONGEST);
    assert_in_range(tables[l].count, PAGES / LOCKS / 2, PAGES / LOCKS * 2);
    count += tables[l].count;
    assert_in_range(tables[l].room, tables[l].count, 4 * tables[l].count);
    free(tables[l].heads);
  }
  assert_int_equal(count, PAGES);
  free(pages);
}

static void pages_are_found(void **unused) {
  (void)unused;
  find_what_was_added(0x680000000, 1);
  find_what_was_added(0x680000000, 32);
  find_what_was_added(0x680000001, 12);
  find_what_was_added(7, 1000003);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pages_are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
