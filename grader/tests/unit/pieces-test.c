// Pieces of memory that are freed all at once. In: random requests of a few sizes, and pieces given back.
// Out: zeroed pieces that don't overlap, and chunks that the next set takes over, up to a bound.
#include "virtual-hopper/base/pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 300, ROUNDS = 20000, LARGE = 3 * PIECES_CHUNK };

struct taken {
  unsigned char *at;
  size_t bytes;
  unsigned char value;
};

static uint32_t state = 5;

static uint32_t draw(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)state * below >> 32);
}

static void expect_whole(const struct taken *t) {
  for (size_t i = 0; i < t->bytes; i++)
    assert_int_equal(t->at[i], t->value);
}

static void take(struct pieces *p, struct taken *t) {
  static const size_t sizes[] = {1, 48, 88, 608, 2048, 10240, 40000, LARGE};
  *t = (struct taken){.bytes = sizes[draw(32) ? draw(7) : 7]};
  t->at = pieces_take(p, t->bytes);
  assert_int_equal((uintptr_t)t->at % 16, 0);
  expect_whole(t); // zeroed, though others have been there
  t->value = (unsigned char)(1 + draw(255));
  memset(t->at, t->value, t->bytes);
}

static void pieces_are_zeroed_and_apart(void **unused) {
  (void)unused;
  struct chunk_store *store = chunk_store_create();
  for (int set = 0; set < 3; set++) {
    struct pieces p = {.store = set < 2 ? store : NULL};
    static struct taken taken[MOST];
    memset(taken, 0, sizeof taken);
    for (uint32_t round = 0; round < ROUNDS; round++) {
      struct taken *t = &taken[draw(MOST)];
      if (t->at) {
        expect_whole(t);
        pieces_give(&p, t->at, t->bytes);
        t->at = NULL;
      } else {
        take(&p, t);
      }
    }
    for (uint32_t i = 0; i < MOST; i++)
      if (taken[i].at) expect_whole(&taken[i]);
    pieces_give(&p, NULL, 88);
    pieces_end(&p);
  }
  assert_true(chunk_store_kept(store) > 0);
  chunk_store_destroy(store);
  chunk_store_destroy(NULL);
}

// What is given back is taken again: notes that come and go need no more memory.
static void given_pieces_are_taken_again(void **unused) {
  (void)unused;
  struct pieces p = {0};
  void *first = pieces_take(&p, 2048);
  for (int i = 0; i < 100; i++) {
    pieces_give(&p, first, 2048);
    assert_ptr_equal(pieces_take(&p, 2048), first);
  }
  pieces_end(&p);
}

static void chunks_are_kept_up_to_a_bound(void **unused) {
  (void)unused;
  struct chunk_store *store = chunk_store_create();
  struct pieces p = {.store = store};
  for (size_t bytes = 0; bytes < 2 * (size_t)PIECES_KEPT; bytes += 4096)
    pieces_take(&p, 4096);
  assert_int_equal(chunk_store_kept(store), 0);
  pieces_end(&p);
  assert_int_equal(chunk_store_kept(store), PIECES_KEPT);
  pieces_take(&p, 4096);
  assert_int_equal(chunk_store_kept(store), PIECES_KEPT - PIECES_CHUNK);
  pieces_end(&p);
  chunk_store_destroy(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_zeroed_and_apart),
      cmocka_unit_test(given_pieces_are_taken_again),
      cmocka_unit_test(chunks_are_kept_up_to_a_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
