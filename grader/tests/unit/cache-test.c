// The model's L2 cache. In: random touches. Out: the bytes that a list of lines by age, in each set, says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "virtual-hopper/time/cache.h"

enum { WAYS = 16, SETS = 4, BYTES = SETS * WAYS * CACHE_LINE, TOUCHES = 200000, LINES = 160 };

struct known {
  uint64_t line;
  uint32_t there, written; // bits of sectors
  uint64_t age;            // of its last touch; 0: no line
};

static uint32_t state = 1;

static uint32_t draw(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)state * below >> 32);
}

static struct known *find(struct known set[WAYS], uint64_t line) {
  struct known *oldest = set;
  for (uint32_t i = 0; i < WAYS; i++) {
    if (set[i].age && set[i].line == line) return &set[i];
    if (set[i].age < oldest->age) oldest = &set[i];
  }
  *oldest = (struct known){.line = line};
  return oldest;
}

// One sector of 32 bytes. A read brings its neighbour along.
static uint32_t touch(struct known *k, uint32_t sector, bool write) {
  const uint32_t bit = 1u << sector, neighbour = 1u << (sector ^ 1);
  uint32_t missed = 0;
  if (write) {
    missed = k->written & bit ? 0 : 1;
    k->written |= bit;
    k->there |= bit;
  } else if (!(k->there & bit)) {
    missed = 1 + !(k->there & neighbour);
    k->there |= bit | neighbour;
  }
  return missed;
}

static void random_touches(void **unused) {
  static struct known sets[SETS][WAYS];
  struct cache *cache = cache_make(BYTES);
  (void)unused;
  for (uint64_t age = 1; age <= TOUCHES; age++) {
    const uint64_t line = 1000 + draw(LINES), hash = line * 0x9e3779b97f4a7c15ull;
    const uint32_t sector = draw(CACHE_LINE / CACHE_SECTOR), bytes = 1 + draw(CACHE_SECTOR);
    const bool write = draw(3) == 0;
    struct known *k = find(sets[hash >> 32 & (SETS - 1)], line);
    const uint32_t missed = touch(k, sector, write) * CACHE_SECTOR;
    k->age = age;
    cache_expect(cache, line * CACHE_LINE, CACHE_LINE);
    assert_int_equal(cache_touch(cache, line * CACHE_LINE + sector * CACHE_SECTOR, bytes, write), missed);
  }
  cache_free(cache);
}

// More than a line at once.
static void a_page(void **unused) {
  struct cache *cache = cache_make(BYTES);
  (void)unused;
  assert_int_equal(cache_touch(cache, 1024 + 40, 1000, false), 1024 + 64);
  assert_int_equal(cache_touch(cache, 1024 + 40, 1000, false), 0);
  assert_int_equal(cache_touch(cache, 1024 + 40, 1000, true), 1024);
  cache_free(cache);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_touches),
      cmocka_unit_test(a_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
