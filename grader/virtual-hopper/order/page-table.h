// Pages of a shadow, by their numbers. In: a number. Out: its page. One idea: each lock of a shadow has a
// table of its own, which grows with what it holds. So lists stay short where a launch touches gigabytes, and
// a small launch makes next to nothing. Private to the room.
#ifndef VIRTUAL_HOPPER_ORDER_PAGE_TABLE_H
#define VIRTUAL_HOPPER_ORDER_PAGE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct page_link { // a page begins with it
  uint64_t number;
  struct page_link *next;
};

struct page_table {         // zeroed, it is empty; used with the lock held
  struct page_link **heads; // [room]
  size_t room, count;       // room: a power of 2, or 0
};

static inline uint64_t page_hash(uint64_t number) {
  return number * 0x9e3779b97f4a7c15ull;
}
// Which of so many locks, a power of 2, the page has; other bits of the hash choose the list.
static inline size_t page_lock(uint64_t number, size_t locks) {
  return (page_hash(number) >> 52) & (locks - 1);
}
static inline struct page_link **page_list(const struct page_table *t, uint64_t number) {
  return &t->heads[(page_hash(number) >> 20) & (t->room - 1)];
}

static inline struct page_link *page_table_find(const struct page_table *t, uint64_t number) {
  struct page_link *page = t->room ? *page_list(t, number) : NULL;
  while (page && page->number != number)
    page = page->next;
  return page;
}

// Between which numbers all pages of a shadow lie, whatever their locks: nobody has to look for others. Most
// arrays are only read, or only written. Zeroed, there is none.
struct page_range {
  _Atomic uint64_t end, inverse_begin; // the highest number plus 1, and the inverse of the lowest
};
static inline bool page_range_has(const struct page_range *r, uint64_t number) {
  return number < atomic_load_explicit(&r->end, memory_order_relaxed) &&
         ~number <= atomic_load_explicit(&r->inverse_begin, memory_order_relaxed);
}
void page_range_add(struct page_range *r, uint64_t number); // before the page is there

// The room to move to before the next page is added; 0: there is enough.
size_t page_table_wants(const struct page_table *t);
// Moves to zeroed heads. The old ones are the caller's again.
void page_table_move(struct page_table *t, struct page_link **heads, size_t room);
void page_table_add(struct page_table *t, struct page_link *page); // its number is set

#endif
