// Clocks, and what is gathered for a release: how far each agent's deeds have been seen. The theory of
// operation is in internal.h. Private to the room.
#ifndef VIRTUAL_HOPPER_ORDER_CLOCK_H
#define VIRTUAL_HOPPER_ORDER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

// Loops over agents or lanes: compiled twice, as execute/lanes.h does, for vector instructions.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define OVER_ALL_AGENTS \
  __attribute__((target_clones("arch=x86-64-v3", "default"), optimize("O3", "unroll-loops")))
#else
#define OVER_ALL_AGENTS
#endif

enum proxy_space { PROXY_SHARED, PROXY_GLOBAL, PROXY_SPACES };

struct clock {
  uint32_t references; // one worker runs a cluster: no atomics
  uint32_t count;      // of agents; the epochs of agents beyond are 0
  // memo: this clock after a proxy fence for shared, for global, for both; NULL: not yet asked for
  struct clock *fenced[3];
  struct clock *fenced_for_block; // memo: after one for shared that leaves other blocks' threads out
  uint32_t fenced_block_first;    // the first thread of that block
  uint32_t least_first, least_count, least; // memo of clock_least; count 0: not yet asked for
  // [count], by agent: the epoch up to which its deeds have been seen, and the epoch up to which its ordinary
  // writes are visible to the async proxy; NULL: all zero, as where nobody has called a proxy fence
  uint32_t *seen;
  uint32_t *visible[PROXY_SPACES];
};

enum { JOIN_CACHE_SLOTS = 64 };
struct join_cache {
  struct {
    struct clock *a, *b, *result;
  } slots[JOIN_CACHE_SLOTS];
};

// What is being released: the join of many views, and the releasing threads' own epochs.
struct gather {
  uint32_t capacity;
  uint32_t *seen, *visible[PROXY_SPACES];
  bool any_visible[PROXY_SPACES]; // something in that array isn't zero
  struct clock *last_base;        // merged last; threads that share it cost nothing more
  bool any;
  uint64_t generation;
};

struct clock *clock_create(uint32_t count);
struct clock *clock_hold(struct clock *c); // NULL is allowed in all of these: the empty clock
void clock_drop(struct clock *c);
static inline uint32_t clock_seen(const struct clock *c, uint32_t agent) {
  return c && agent < c->count ? c->seen[agent] : 0;
}
// The least epoch that has been seen of any of the agents.
uint32_t clock_least(struct clock *c, uint32_t first, uint32_t count);
uint32_t clock_visible(const struct clock *c, enum proxy_space space, uint32_t agent);
struct clock *clock_join(struct join_cache *cache, struct clock *a, struct clock *b); // a new reference
// c with one agent's epoch raised; a new reference.
struct clock *clock_with(struct clock *c, uint32_t agent, uint32_t epoch);
// What is seen becomes visible to the async proxy; a new reference.
struct clock *clock_fence(struct clock *c, bool shared, bool global);
// The same for shared; of the cluster's threads (agents 1 to `threads`) only for those from `first` on.
struct clock *clock_fence_block(struct clock *c, uint32_t first, uint32_t count, uint32_t threads);
void join_cache_clear(struct join_cache *cache);
void gather_reset(struct gather *g);
void gather_reserve(struct gather *g, uint32_t capacity);
void gather_free(struct gather *g);
void gather_clock(struct gather *g, struct clock *c);
void gather_raise(struct gather *g, uint32_t agent, uint32_t epoch, const uint32_t visible[PROXY_SPACES]);
// The gathered clock, a new reference. The gather is empty afterwards.
struct clock *gather_finish(struct gather *g);

#endif
