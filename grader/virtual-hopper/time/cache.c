// In: addresses in the order in which the virtual machine touches them. Out: what was in the cache. One idea:
// a set keeps its lines by age, newest first, so to find and to replace is one short walk.
#include "virtual-hopper/time/cache.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"

enum { WAYS = 16, SECTORS = CACHE_LINE / CACHE_SECTOR, WRITTEN_SHIFT = 4 };

// Lines and their marks apart, so that a set is looked through and moved on by few instructions.
struct set {
  uint64_t line[WAYS]; // number of the line plus one; 0: none
  uint8_t
      marks[WAYS]; // one bit for each sector; from WRITTEN_SHIFT on those that the memory doesn't have yet
};
struct cache {
  size_t sets; // a power of two
  struct set *set;
};

struct cache *cache_make(size_t bytes) {
  struct cache *c = calloc(1, sizeof *c);
  if (!c) die("out of memory for the model of the L2 cache");
  for (c->sets = 1; c->sets * 2 * WAYS * CACHE_LINE <= bytes;)
    c->sets *= 2;
  c->set = calloc(c->sets, sizeof *c->set);
  if (!c->set) die("out of memory for the model of the L2 cache");
  return c;
}

void cache_free(struct cache *c) {
  if (!c) return;
  free(c->set);
  free(c);
}

// The memory gives 64 bytes, the half of a line, for each sector that is read.
static uint32_t with_neighbours(uint32_t sectors) {
  const uint32_t lower = 0x5;
  const uint32_t halves = (sectors | sectors >> 1) & lower;
  return halves | halves << 1;
}

static struct set *set_of(const struct cache *c, uint64_t line) {
  return &c->set[line * 0x9e3779b97f4a7c15ull >> 32 & (c->sets - 1)];
}

// The place of the line in its set, or else of the oldest one.
static uint32_t find(const struct set *set, uint64_t line) {
  uint32_t at = 0;
  while (at < WAYS - 1 && set->line[at] != line + 1)
    at++;
  return at;
}

// The line at this place becomes the newest one.
static void move_on(struct set *set, uint32_t at, uint64_t line, uint32_t marks) {
  if (at == WAYS - 1) { // most often, where bytes stream: a size that the compiler knows
    memmove(set->line + 1, set->line, (WAYS - 1) * sizeof *set->line);
    memmove(set->marks + 1, set->marks, WAYS - 1);
  } else {
    memmove(set->line + 1, set->line, at * sizeof *set->line);
    memmove(set->marks + 1, set->marks, at);
  }
  set->line[0] = line + 1;
  set->marks[0] = (uint8_t)marks;
}

// Returns the bits of sectors that had to be read for `sectors`, or, to be written, that nobody had written.
static uint32_t touch_line(struct cache *c, uint64_t line, uint32_t sectors, bool write) {
  struct set *set = set_of(c, line);
  const uint32_t at = find(set, line), marks = set->line[at] == line + 1 ? set->marks[at] : 0,
                 there = marks & ((1u << WRITTEN_SHIFT) - 1), written = marks >> WRITTEN_SHIFT;
  const uint32_t missed = write ? sectors & ~written : with_neighbours(sectors & ~there) & ~there;
  const uint32_t now = there | sectors | (write ? 0 : missed), unsaved = write ? written | sectors : written;
  move_on(set, at, line, now | unsaved << WRITTEN_SHIFT);
  return missed;
}

void cache_expect(const struct cache *c, uint64_t address, uint64_t bytes) {
  for (uint64_t line = address / CACHE_LINE; line <= (address + bytes - 1) / CACHE_LINE; line++) {
    const struct set *set = set_of(c, line);
    __builtin_prefetch(set->line, 1);
    __builtin_prefetch(set->line + WAYS / 2, 1);
    __builtin_prefetch(set->marks, 1);
  }
}

uint64_t cache_touch(struct cache *c, uint64_t address, uint64_t bytes, bool write) {
  uint64_t missed = 0;
  if (!bytes) return 0;
  const uint64_t first = address / CACHE_SECTOR, last = (address + bytes - 1) / CACHE_SECTOR;
  for (uint64_t line = first / SECTORS; line <= last / SECTORS; line++) {
    uint32_t sectors = (1u << SECTORS) - 1;
    if (line == first / SECTORS) sectors &= sectors << first % SECTORS;
    if (line == last / SECTORS) sectors &= (2u << last % SECTORS) - 1;
    missed += (uint64_t)__builtin_popcount(touch_line(c, line, sectors, write)) * CACHE_SECTOR;
  }
  return missed;
}
