// Clocks. In: views and epochs. Out: views. One idea: clocks are immutable, and threads that have met at a
// barrier share one, so a block's barrier costs one join instead of one for each pair of threads.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

// Its epochs are still to be written. It has those arrays of visible epochs that are asked for.
static struct clock *clock_blank(uint32_t count, const bool visible[PROXY_SPACES]) {
  const uint32_t arrays = 1u + visible[PROXY_SHARED] + visible[PROXY_GLOBAL];
  struct clock *c = malloc(sizeof *c + (size_t)count * arrays * sizeof(uint32_t));
  if (!c) die("out of memory for a clock of %u components", count);
  memset(c, 0, sizeof *c);
  c->references = 1;
  c->count = count;
  uint32_t *next = c->seen = (uint32_t *)(void *)(c + 1);
  for (int s = 0; s < PROXY_SPACES; s++)
    if (visible[s]) c->visible[s] = next += count;
  return c;
}

static bool has(const struct clock *c, int space) {
  return c && c->visible[space];
}

struct clock *clock_create(uint32_t count) {
  struct clock *c = clock_blank(count, (bool[PROXY_SPACES]){false});
  memset(c->seen, 0, (size_t)count * sizeof(uint32_t));
  return c;
}

struct clock *clock_hold(struct clock *c) {
  if (c) c->references++;
  return c;
}

void clock_drop(struct clock *c) {
  if (!c || --c->references > 0) return;
  for (int i = 0; i < 3; i++)
    clock_drop(c->fenced[i]);
  clock_drop(c->fenced_for_block);
  free(c);
}

uint32_t clock_visible(const struct clock *c, enum proxy_space space, uint32_t agent) {
  return has(c, space) && agent < c->count ? c->visible[space][agent] : 0;
}

OVER_ALL_AGENTS static uint32_t least_of(const uint32_t *seen, uint32_t count) {
  uint32_t least = UINT32_MAX;
  for (uint32_t i = 0; i < count; i++)
    least = seen[i] < least ? seen[i] : least;
  return least;
}

uint32_t clock_least(struct clock *c, uint32_t first, uint32_t count) {
  if (!c || first + count > c->count) return 0;
  if (c->least_first != first || c->least_count != count) {
    c->least = least_of(&c->seen[first], count);
    c->least_first = first;
    c->least_count = count;
  }
  return c->least;
}

// a[i] = max(a[i], b[i]); true when some a[i] grew.
OVER_ALL_AGENTS static bool raise_all(uint32_t *restrict a, const uint32_t *restrict b, uint32_t count) {
  uint32_t grew = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t larger = a[i] > b[i] ? a[i] : b[i];
    grew |= larger ^ a[i];
    a[i] = larger;
  }
  return grew != 0;
}

// `to` may be longer, and has the arrays that `from` has.
static void copy_into(struct clock *to, const struct clock *from) {
  const size_t bytes = (size_t)from->count * sizeof(uint32_t),
               more = (size_t)(to->count - from->count) * sizeof(uint32_t);
  memcpy(to->seen, from->seen, bytes);
  memset(to->seen + from->count, 0, more);
  for (int s = 0; s < PROXY_SPACES; s++) {
    if (!to->visible[s]) continue;
    if (from->visible[s])
      memcpy(to->visible[s], from->visible[s], bytes);
    else
      memset(to->visible[s], 0, bytes);
    memset(to->visible[s] + from->count, 0, more);
  }
}

OVER_ALL_AGENTS static bool is_zero(const uint32_t *b, uint32_t count) {
  uint32_t any = 0;
  for (uint32_t i = 0; i < count; i++)
    any |= b[i];
  return !any;
}

OVER_ALL_AGENTS static bool reaches(const uint32_t *a, const uint32_t *b, uint32_t count) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < count; i++)
    missing |= a[i] < b[i];
  return !missing;
}

static bool array_covers(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count) {
  const uint32_t both = a_count < b_count ? a_count : b_count;
  return reaches(a, b, both) && is_zero(b + both, b_count - both);
}

// True when everything in b is also in a.
static bool covers(const struct clock *a, const struct clock *b) {
  bool all = array_covers(a->seen, a->count, b->seen, b->count);
  for (int s = 0; s < PROXY_SPACES && all; s++)
    all =
        !b->visible[s] || array_covers(a->visible[s], a->visible[s] ? a->count : 0, b->visible[s], b->count);
  return all;
}

OVER_ALL_AGENTS static void larger_of(uint32_t *restrict to, const uint32_t *restrict a,
                                      const uint32_t *restrict b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    to[i] = a[i] > b[i] ? a[i] : b[i];
}

// to: as long as the longer one; NULL: that array isn't asked for. b: NULL: all zero.
static void join_arrays(uint32_t *to, const uint32_t *a, uint32_t a_count, const uint32_t *b,
                        uint32_t b_count) {
  const uint32_t both = a && b ? b_count : 0; // b is no longer than a
  larger_of(to, a, b, both);
  if (a)
    memcpy(to + both, a + both, (size_t)(a_count - both) * sizeof *to);
  else
    memset(to, 0, (size_t)a_count * sizeof *to);
  if (!a && b) memcpy(to, b, (size_t)b_count * sizeof *to);
}

static struct clock *join(struct clock *a, struct clock *b) {
  if (covers(b, a)) return clock_hold(b); // the usual case: the barrier has gathered the thread's own view
  if (covers(a, b)) return clock_hold(a);
  const struct clock *longer = a->count >= b->count ? a : b, *other = longer == a ? b : a;
  const bool visible[PROXY_SPACES] = {has(a, PROXY_SHARED) || has(b, PROXY_SHARED),
                                      has(a, PROXY_GLOBAL) || has(b, PROXY_GLOBAL)};
  struct clock *result = clock_blank(longer->count, visible);
  join_arrays(result->seen, longer->seen, longer->count, other->seen, other->count);
  for (int s = 0; s < PROXY_SPACES; s++)
    if (visible[s])
      join_arrays(result->visible[s], longer->visible[s], longer->count, other->visible[s], other->count);
  return result;
}

struct clock *clock_join(struct join_cache *cache, struct clock *a, struct clock *b) {
  if (a == b || !b) return clock_hold(a);
  if (!a) return clock_hold(b);
  size_t slot = (((uintptr_t)a >> 4) * 31 + ((uintptr_t)b >> 4)) % JOIN_CACHE_SLOTS;
  if (cache->slots[slot].a == a && cache->slots[slot].b == b) return clock_hold(cache->slots[slot].result);
  struct clock *result = join(a, b);
  clock_drop(cache->slots[slot].a);
  clock_drop(cache->slots[slot].b);
  clock_drop(cache->slots[slot].result);
  cache->slots[slot].a = clock_hold(a); // held: its address must not be reused for another clock
  cache->slots[slot].b = clock_hold(b);
  cache->slots[slot].result = clock_hold(result);
  return result;
}

void join_cache_clear(struct join_cache *cache) {
  for (size_t i = 0; i < JOIN_CACHE_SLOTS; i++) {
    clock_drop(cache->slots[i].a);
    clock_drop(cache->slots[i].b);
    clock_drop(cache->slots[i].result);
  }
  memset(cache, 0, sizeof *cache);
}

struct clock *clock_with(struct clock *c, uint32_t agent, uint32_t epoch) {
  if (clock_seen(c, agent) >= epoch) return clock_hold(c);
  uint32_t count = c && c->count > agent ? c->count : agent + 1;
  if (!c)
    c = clock_create(count);
  else
    clock_hold(c);
  struct clock *result = clock_blank(count, (bool[PROXY_SPACES]){has(c, PROXY_SHARED), has(c, PROXY_GLOBAL)});
  copy_into(result, c);
  clock_drop(c);
  result->seen[agent] = epoch;
  return result;
}

struct clock *clock_fence(struct clock *c, bool shared, bool global) {
  if (!c || (!shared && !global)) return clock_hold(c);
  int memo = shared && global ? 2 : global ? 1 : 0;
  if (c->fenced[memo]) return clock_hold(c->fenced[memo]);
  bool grew = false;
  struct clock *result = clock_blank(
      c->count, (bool[PROXY_SPACES]){shared || has(c, PROXY_SHARED), global || has(c, PROXY_GLOBAL)});
  copy_into(result, c);
  if (shared) grew |= raise_all(result->visible[PROXY_SHARED], c->seen, c->count);
  if (global) grew |= raise_all(result->visible[PROXY_GLOBAL], c->seen, c->count);
  if (!grew) { // fenced already; a memo would be a reference to itself
    clock_drop(result);
    return clock_hold(c);
  }
  c->fenced[memo] = clock_hold(result);
  return result;
}

// Raises visible[from .. to) to what has been seen; true when something grew.
static bool raise_part(struct clock *c, uint32_t from, uint32_t to) {
  if (to > c->count) to = c->count;
  return from < to && raise_all(&c->visible[PROXY_SHARED][from], &c->seen[from], to - from);
}

struct clock *clock_fence_block(struct clock *c, uint32_t first, uint32_t count, uint32_t threads) {
  if (!c) return NULL;
  if (c->fenced_for_block && c->fenced_block_first == first) return clock_hold(c->fenced_for_block);
  struct clock *result = clock_blank(c->count, (bool[PROXY_SPACES]){true, has(c, PROXY_GLOBAL)});
  copy_into(result, c);
  const bool own = raise_part(result, first, first + count),
             others = raise_part(result, threads + 1, c->count);
  if (!own && !others) {
    clock_drop(result);
    return clock_hold(c);
  }
  clock_drop(c->fenced_for_block);
  c->fenced_for_block = clock_hold(result);
  c->fenced_block_first = first;
  return result;
}

void gather_reserve(struct gather *g, uint32_t capacity) {
  if (capacity <= g->capacity) return;
  capacity = (capacity + 63) & ~63u;
  uint32_t **arrays[] = {&g->seen, &g->visible[PROXY_SHARED], &g->visible[PROXY_GLOBAL]};
  for (size_t i = 0; i < 3; i++) {
    uint32_t *grown = calloc(capacity, sizeof *grown);
    if (!grown) die("out of memory for a barrier's clock");
    if (g->capacity) memcpy(grown, *arrays[i], g->capacity * sizeof *grown);
    free(*arrays[i]);
    *arrays[i] = grown;
  }
  g->capacity = capacity;
}

void gather_reset(struct gather *g) {
  clock_drop(g->last_base);
  g->last_base = NULL;
  if (g->any) {
    memset(g->seen, 0, g->capacity * sizeof *g->seen);
    for (int s = 0; s < PROXY_SPACES; s++)
      if (g->any_visible[s]) memset(g->visible[s], 0, g->capacity * sizeof *g->seen);
  }
  g->any = g->any_visible[PROXY_SHARED] = g->any_visible[PROXY_GLOBAL] = false;
}

void gather_free(struct gather *g) {
  clock_drop(g->last_base);
  free(g->seen);
  for (int s = 0; s < PROXY_SPACES; s++)
    free(g->visible[s]);
  memset(g, 0, sizeof *g);
}

void gather_clock(struct gather *g, struct clock *c) {
  if (!c || c == g->last_base) return;
  gather_reserve(g, c->count);
  raise_all(g->seen, c->seen, c->count);
  for (int s = 0; s < PROXY_SPACES; s++) {
    if (!c->visible[s]) continue;
    raise_all(g->visible[s], c->visible[s], c->count);
    g->any_visible[s] = true;
  }
  clock_drop(g->last_base);
  g->last_base = clock_hold(c);
  g->any = true;
}

void gather_raise(struct gather *g, uint32_t agent, uint32_t epoch, const uint32_t visible[PROXY_SPACES]) {
  gather_reserve(g, agent + 1);
  if (g->seen[agent] < epoch) g->seen[agent] = epoch;
  for (int s = 0; s < PROXY_SPACES && visible; s++) {
    if (g->visible[s][agent] >= visible[s]) continue;
    g->visible[s][agent] = visible[s];
    g->any_visible[s] = true;
  }
  g->any = true;
}

struct clock *gather_finish(struct gather *g) {
  if (!g->any) return NULL;
  struct clock *c = clock_blank(g->capacity, g->any_visible);
  memcpy(c->seen, g->seen, g->capacity * sizeof *g->seen);
  for (int s = 0; s < PROXY_SPACES; s++)
    if (c->visible[s]) memcpy(c->visible[s], g->visible[s], g->capacity * sizeof *g->seen);
  gather_reset(g);
  return c;
}
