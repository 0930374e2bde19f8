// In: the bytes of a warp's stores. Out: parts of sectors, and those that next stores have made whole. One
// idea: a small table by sector keeps which bytes are written, and from which of the warp's events on.
#include "virtual-hopper/time/parts.h"

#include <stdlib.h>

#include "virtual-hopper/time/record.h"

// SECTORS: that a warp has begun; MOST_BETWEEN: events. A store of 4 lines waits for the next one
// (`trickle-16`), one of 16 doesn't (`own-fill-64`).
// OF_LINE: a line costs as much as so many parts (time-lines: `stored`, with one part in each line;
// `own-fill-32`, with four).
enum { SECTORS = 128, MOST_BETWEEN = 32, MOST_LINES = 4, OF_LINE = 2 };

struct time_parts {
  struct part {
    uint64_t sector;  // plus one; 0: none
    uint32_t written; // bytes, a bit for each
    uint32_t event, cost;
  } of[SECTORS];
};

void time_parts_free(struct time_parts *p) {
  free(p);
}

// The bytes of a sector that lanes write, a bit for each.
static uint32_t written_of(const struct time_stored *s, uint64_t sector) {
  const uint64_t begin = sector * CACHE_SECTOR, end = begin + CACHE_SECTOR, one = 1;
  uint32_t written = 0;
  for (uint32_t left = s->lanes; left; left &= left - 1) {
    const uint64_t from = s->addresses[__builtin_ctz(left)], to = from + s->bytes;
    if (from >= end || to <= begin) continue;
    const uint64_t first = from > begin ? from - begin : 0, last = (to < end ? to : end) - begin;
    written |= (uint32_t)((one << last) - (one << first));
  }
  return written;
}

static bool all_whole(const struct time_stored *s) {
  return (uint64_t)s->bytes * (uint32_t)__builtin_popcount(s->lanes) == (uint64_t)s->count * CACHE_SECTOR;
}

static uint32_t lines_of(const struct time_stored *s) {
  uint64_t line = UINT64_MAX;
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint64_t of = s->sectors[i] * CACHE_SECTOR / CACHE_LINE;
    count += of != line;
    line = of;
  }
  return count;
}

uint32_t time_parts_count(const struct time_stored *s) {
  if (all_whole(s)) return 0;
  uint64_t line = UINT64_MAX;
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint64_t of = s->sectors[i] * CACHE_SECTOR / CACHE_LINE;
    if (written_of(s, s->sectors[i]) == UINT32_MAX) continue;
    count += 1 + (of != line ? OF_LINE : 0);
    line = of;
  }
  return count;
}

// Whether the warp has waited for nothing since then: a load that it has used before has come.
static bool right_behind(const struct time_warp *w, uint32_t event) {
  if (w->count - event > MOST_BETWEEN) return false;
  uint32_t used = 0;
  for (uint32_t i = event > MOST_BETWEEN ? event - MOST_BETWEEN : 0; i < w->count; i++) {
    const struct time_event *e = &w->events[i];
    const bool again = e->kind == TIME_USE && e->a < used;
    const bool stays = again || e->kind == TIME_STORE || e->kind == TIME_RUN || e->kind == TIME_MARK;
    if (i >= event && !stays) return false;
    if (e->kind == TIME_USE && e->a >= used) used = e->a + 1;
  }
  return true;
}

uint32_t time_parts_joined(struct time_warp *w, const struct time_stored *s) {
  if (all_whole(s) || lines_of(s) > MOST_LINES) return 0;
  if (!w->parts) w->parts = calloc(1, sizeof *w->parts);
  if (!w->parts) die("out of memory for the time model");
  uint64_t line = UINT64_MAX;
  uint32_t joined = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint32_t written = written_of(s, s->sectors[i]);
    if (written == UINT32_MAX) continue;
    const uint64_t of = s->sectors[i] * CACHE_SECTOR / CACHE_LINE;
    struct part *p = &w->parts->of[s->sectors[i] % SECTORS];
    if (p->sector != s->sectors[i] + 1 || !right_behind(w, p->event))
      *p = (struct part){.sector = s->sectors[i] + 1};
    p->written |= written;
    p->event = w->count;
    p->cost += 1 + (of != line ? OF_LINE : 0);
    line = of;
    if (p->written != UINT32_MAX) continue;
    joined += p->cost;
    *p = (struct part){0};
  }
  return joined;
}
