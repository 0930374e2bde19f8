// In: addresses in the order in which the virtual machine touches them. Out: what was in the cache. One idea:
// a set keeps its lines by age, newest first, so to find and to replace is one short walk.
#include "virtual-hopper/time/cache.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"

enum { WAYS = 16, SECTORS = CACHE_LINE / CACHE_SECTOR };

struct way {
  uint64_t line;    // number of the line plus one; 0: none
  uint32_t sectors; // one bit each
  uint32_t written; // of these, those that the memory doesn't have yet
};
struct cache {
  size_t sets; // a power of two
  struct way (*ways)[WAYS];
};

struct cache *cache_make(size_t bytes) {
  struct cache *c = calloc(1, sizeof *c);
  if (!c) die("out of memory for the model of the L2 cache");
  for (c->sets = 1; c->sets * 2 * WAYS * CACHE_LINE <= bytes;)
    c->sets *= 2;
  c->ways = calloc(c->sets, sizeof *c->ways);
  if (!c->ways) die("out of memory for the model of the L2 cache");
  return c;
}

void cache_free(struct cache *c) {
  if (!c) return;
  free(c->ways);
  free(c);
}

// The memory gives 64 bytes, the half of a line, for each sector that is read.
static uint32_t with_neighbours(uint32_t sectors) {
  const uint32_t lower = 0x5;
  const uint32_t halves = (sectors | sectors >> 1) & lower;
  return halves | halves << 1;
}

// Returns the bits of sectors that had to be read for `sectors`, or, to be written, that nobody had written.
static uint32_t touch_line(struct cache *c, uint64_t line, uint32_t sectors, bool write) {
  const uint64_t hash = line * 0x9e3779b97f4a7c15ull;
  struct way *set = c->ways[hash >> 32 & (c->sets - 1)], found = {.line = line + 1};
  uint32_t at = 0;
  while (at < WAYS - 1 && set[at].line != line + 1)
    at++;
  if (set[at].line == line + 1) found = set[at];
  memmove(set + 1, set, at * sizeof *set);
  const uint32_t missed =
      write ? sectors & ~found.written : with_neighbours(sectors & ~found.sectors) & ~found.sectors;
  found.sectors |= sectors | (write ? 0 : missed);
  if (write) found.written |= sectors;
  set[0] = found;
  return missed;
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
