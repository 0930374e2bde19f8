// How a table of pages grows (page-table.h).
#include "virtual-hopper/order/page-table.h"

enum { FIRST_ROOM = 16, GROWTH = 4 };

static void raise_shared(_Atomic uint64_t *to, uint64_t value) {
  uint64_t before = atomic_load(to);
  while (before < value && !atomic_compare_exchange_weak(to, &before, value)) {
  }
}

void page_range_add(struct page_range *r, uint64_t number) {
  raise_shared(&r->end, number + 1);
  raise_shared(&r->inverse_begin, ~number);
}

size_t page_table_wants(const struct page_table *t) {
  if (t->count < t->room) return 0;
  return t->room ? t->room * GROWTH : FIRST_ROOM;
}

static void push(struct page_table *t, struct page_link *page) {
  struct page_link **head = page_list(t, page->number);
  page->next = *head;
  *head = page;
}

void page_table_move(struct page_table *t, struct page_link **heads, size_t room) {
  struct page_link **old = t->heads;
  const size_t old_room = t->room;
  t->heads = heads;
  t->room = room;
  for (size_t i = 0; i < old_room; i++) {
    for (struct page_link *page = old[i], *next; page; page = next) {
      next = page->next;
      push(t, page);
    }
  }
}

void page_table_add(struct page_table *t, struct page_link *page) {
  push(t, page);
  t->count++;
}
