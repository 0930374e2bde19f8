// In: lines that warps load, block by block. Out: which of their sectors the L1 cache has. One idea: blocks
// of a processor come one after another on the virtual machine, as on a chip, so what they share is seen by a
// cache of their lines. A block's warps run side by side on a chip and one after another here, so of what
// they share the times are compared: each warp's own lines are its clock.
#include "virtual-hopper/time/near.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/time/cache.h"

enum { WAYS = 8, LINES = 4096 };

struct near_set {
  uint64_t line[WAYS]; // plus one, the newest first; 0: none
  uint8_t sectors[WAYS];
};
struct time_near {
  uint64_t count;
  struct near_set *sets;
};

struct time_near *time_near_make(double bytes) {
  struct time_near *n = calloc(1, sizeof *n);
  if (!n) die("out of memory for the model of the L1 cache");
  n->count = (uint64_t)(bytes / (WAYS * CACHE_LINE)) + 1;
  n->sets = calloc(n->count, sizeof *n->sets);
  if (!n->sets) die("out of memory for the model of the L1 cache");
  return n;
}

void time_near_free(struct time_near *n) {
  if (n) free(n->sets);
  free(n);
}

static uint64_t mixed(uint64_t line) {
  return line * 0x9e3779b97f4a7c15ull >> 32;
}

uint32_t time_near_touch(struct time_near *n, uint64_t line, uint32_t sectors, bool add) {
  struct near_set *set = &n->sets[mixed(line) % n->count];
  uint32_t at = 0;
  while (at < WAYS - 1 && set->line[at] != line + 1)
    at++;
  const uint32_t there = set->line[at] == line + 1 ? set->sectors[at] : 0;
  if (!add) return sectors & there;
  memmove(set->line + 1, set->line, at * sizeof *set->line);
  memmove(set->sectors + 1, set->sectors, at);
  set->line[0] = line + 1;
  set->sectors[0] = (uint8_t)(there | sectors);
  return sectors & there;
}

struct time_lines {
  struct {
    uint64_t name; // line and block, plus one; 0: none
    uint32_t when;
    uint32_t sectors;
  } of[LINES];
};

struct time_lines *time_lines_make(void) {
  struct time_lines *l = calloc(1, sizeof *l);
  if (!l) die("out of memory for the time model");
  return l;
}

void time_lines_free(struct time_lines *l) {
  free(l);
}

struct time_beside time_lines_touch(struct time_lines *l, uint32_t rank, uint64_t line, uint32_t sectors,
                                    uint64_t loaded) {
  const uint64_t name = (line << 4 | rank) + 1, at = mixed(name) % LINES;
  struct time_beside found = {0};
  const uint32_t when = (uint32_t)loaded;
  if (l->of[at].name == name) {
    found.same = sectors & l->of[at].sectors;
    found.apart = when > l->of[at].when ? when - l->of[at].when : l->of[at].when - when;
  } else {
    l->of[at].name = name;
    l->of[at].sectors = 0;
  }
  l->of[at].when = when;
  l->of[at].sectors |= sectors;
  return found;
}
