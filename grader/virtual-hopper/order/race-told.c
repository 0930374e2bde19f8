// When a cluster told others of what it had done (race.h). In: the times of its strong writes, and of plain
// ones that others have taken for flags. Out: whether others may know of a deed. One idea: who has seen all
// that was told before some time knows of a deed only if its cluster has told of something between the two.
// The last times are kept; what is older is taken to be told.
#include <stdatomic.h>
#include <stdlib.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-pages.h"

static struct race_told *told_of(struct race_signals *signals) {
  struct race_told *told = atomic_load(&signals->told), *none = NULL;
  if (told) return told;
  told = calloc(1, sizeof *told);
  if (!told) die("out of memory for the order engine");
  if (atomic_compare_exchange_strong(&signals->told, &none, told)) return told;
  free(told); // another worker has made one
  return none;
}

// Returns the place of the smallest time, and that time; 0: the place is free.
static uint32_t smallest(struct race_told *told, uint64_t *time) {
  uint32_t at = 0;
  *time = UINT64_MAX;
  for (uint32_t i = 0; i < RACE_TOLD; i++) {
    const uint64_t kept = atomic_load(&told->kept[i]);
    if (kept < *time) {
      *time = kept;
      at = i;
    }
  }
  return at;
}

// What makes room counts as dropped before it is gone, so that no reader misses it.
void race_tell(struct race_shadow *s, uint64_t cluster, uint64_t time) {
  struct race_signals *signals = &s->signals[cluster - 1];
  struct race_told *told = told_of(signals);
  uint64_t oldest;
  for (;;) {
    const uint32_t at = smallest(told, &oldest);
    raise_shared(&told->dropped, oldest < time ? oldest : time);
    if (oldest >= time || atomic_compare_exchange_strong(&told->kept[at], &oldest, time)) break;
  }
  raise_shared(&signals->strong, time);
}

bool race_has_told(const struct race_shadow *s, uint64_t cluster, uint64_t time, uint64_t seen) {
  const struct race_signals *signals = &s->signals[cluster - 1];
  if (time >= seen || time >= atomic_load(&signals->strong)) return false;
  const struct race_told *told = atomic_load(&signals->told);
  if (!told) return false;
  for (uint32_t i = 0; i < RACE_TOLD; i++) {
    const uint64_t kept = atomic_load(&told->kept[i]);
    if (kept > time && kept <= seen) return true; // a plain flag is told of at the time that is seen
  }
  return atomic_load(&told->dropped) > time;
}
