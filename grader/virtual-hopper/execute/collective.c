// Collective operations of a warp. One idea: a lane waits for all lanes in its mask that haven't exited. They
// must come to the same instruction (for bar.warp.sync: to any bar.warp.sync with that mask). Then the
// operation is executed once for all of them.
#include "virtual-hopper/execute/collective.h"

#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/execute/lanes.h"
#include "virtual-hopper/execute/unwritten.h"
#include "virtual-hopper/order/order.h"

enum { MEET_HERE = 0, MEET_ANYWHERE = 1 }; // wait_detail

// ---- meeting ----------------------------------------------------------------------------------------------

LANES_HANDLER static uint32_t lanes_with(const uint32_t *values, uint32_t value) {
  uint32_t found = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    found |= (uint32_t)(values[lane] == value) << lane;
  return found;
}

static uint32_t group_with_same_mask(const struct warp *w, const struct op *op, uint32_t lanes) {
  const uint32_t *masks = warp_register32(w, op->target);
  return lanes & lanes_with(masks, masks[__builtin_ctz(lanes)]);
}

// Returns the lanes of other splits that wait at this same op with this mask. take: also merges these splits
// into the running split.
static uint32_t gather_waiting(struct warp *w, uint32_t mask, bool take) {
  struct split *running = &w->splits[0];
  uint32_t found = 0;
  for (uint32_t i = 1; i < w->split_count;) {
    struct split *s = &w->splits[i];
    bool here = s->wait == WAIT_WARP_SYNC && s->wait_detail == MEET_HERE && s->wait_object == mask &&
                s->pc == w->pc - 1 && s->frame == running->frame;
    if (here) found |= s->lanes;
    if (!here || !take) {
      i++;
      continue;
    }
    running->lanes |= s->lanes;
    split_remove(w, i);
  }
  return found;
}

// A thread that is not in its own mask: undefined (PTX ISA 9.7.9.6, shfl.sync, and each of the others).
static void check_own_mask(struct warp *w, const struct op *op, uint32_t strangers, uint32_t mask) {
  struct fault f = {.rule = RULE_WARP_SYNC_MASK, .severity = FAULT_ERROR, .role = "executes this"};
  snprintf(f.message, sizeof f.message,
           "The instruction names the lanes 0x%08x of warp %u, and lanes 0x%08x execute it, too. A thread "
           "must be in the mask that it gives; what happens else is undefined.",
           mask, w->index, strangers);
  snprintf(f.remedy, sizeof f.remedy,
           "Name all lanes that execute it; or let only those execute it that are named.");
  warp_fault(w, op, (uint32_t)__builtin_ctz(strangers), &f);
}

// `group`: the running lanes that gave the same mask. Returns the lanes for which the op can be executed now:
// the group and the lanes that waited here for it. Returns 0 when the group has to wait.
static uint32_t meet(struct warp *w, const struct op *op, uint32_t group) {
  uint32_t mask = warp_register32(w, op->target)[__builtin_ctz(group)];
  uint32_t members = (mask & w->alive) | group;
  if (group & ~mask && w->launch->check) check_own_mask(w, op, group & ~mask, mask);
  if (!(members & ~group)) return group;
  uint32_t waiting = gather_waiting(w, mask, false);
  if (members & ~(group | waiting)) {
    warp_wait_lanes(w, group, WAIT_WARP_SYNC, mask, MEET_HERE);
    return 0;
  }
  gather_waiting(w, mask, true);
  w->lanes |= waiting;
  w->yield = true; // the split has grown
  return group | waiting;
}

// ORDERS_AFTER: memory is in order among the lanes after the meeting; ORDERS_BEFORE: but what the act itself
// writes is not; ORDERS_IN_PRACTICE: by the letter the lanes meet, and nothing is said of memory, as
// bar.warp.sync does (PTX ISA 9.7.13.2).
enum meeting_order { ORDERS_AFTER, ORDERS_BEFORE, ORDERS_IN_PRACTICE, ORDERS_NOTHING };

static void meeting(struct warp *w, const struct op *op, collective_act *act, enum meeting_order order) {
  const bool after = order == ORDERS_AFTER || (order == ORDERS_IN_PRACTICE && !w->launch->strict);
  uint32_t left = w->lanes;
  while (left) {
    uint32_t group = group_with_same_mask(w, op, left);
    left &= ~group;
    uint32_t lanes = meet(w, op, group);
    if (!lanes) continue;
    if (order == ORDERS_BEFORE && w->launch->check) order_warp_sync(w, lanes);
    act(w, op, lanes);
    if (after && w->launch->check) order_warp_sync(w, lanes);
  }
}

void collective_meeting(struct warp *w, const struct op *op, collective_act *act) {
  meeting(w, op, act, ORDERS_AFTER);
}

void collective_write(struct warp *w, const struct op *op, collective_act *act) {
  meeting(w, op, act, ORDERS_BEFORE);
}

void collective_gather(struct warp *w, const struct op *op, collective_act *act) {
  meeting(w, op, act, ORDERS_NOTHING);
}

// ---- bar.warp.sync ----------------------------------------------------------------------------------------

static uint32_t waiting_anywhere(struct warp *w, uint32_t mask, bool release) {
  uint32_t found = 0;
  for (uint32_t i = 1; i < w->split_count; i++) {
    struct split *s = &w->splits[i];
    if (s->wait != WAIT_WARP_SYNC || s->wait_detail != MEET_ANYWHERE || s->wait_object != mask) continue;
    found |= s->lanes;
    if (!release) continue;
    s->wait = WAIT_NONE;
    s->pc++;
  }
  return found;
}

void collective_sync(struct warp *w, const struct op *op) {
  uint32_t left = w->lanes;
  while (left) {
    uint32_t group = group_with_same_mask(w, op, left);
    left &= ~group;
    uint32_t mask = warp_register32(w, op->target)[__builtin_ctz(group)];
    uint32_t missing = mask & w->alive & ~group;
    if (group & ~mask && w->launch->check) check_own_mask(w, op, group & ~mask, mask);
    if (missing && (missing &= ~waiting_anywhere(w, mask, false))) {
      warp_wait_lanes(w, group, WAIT_WARP_SYNC, mask, MEET_ANYWHERE);
      continue;
    }
    uint32_t released = waiting_anywhere(w, mask, true);
    if (released) w->yield = true;
    if (w->launch->check) order_warp_sync(w, group | released);
  }
}

// ---- shfl -------------------------------------------------------------------------------------------------

// The lanes to read from, PTX ISA 9.7.9.6: `from` is an expression of lane and b, and `within` says whether
// that lane is in the segment. Returns the lanes for which it is; the others keep their own value.
#define FIND_SOURCES(name, from, within)                                                                 \
  LANES_HANDLER static uint32_t find_##name(const uint32_t *bs, const uint32_t *cs, uint32_t *sources) { \
    uint32_t inside = 0;                                                                                 \
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {                                                 \
      const uint32_t b = bs[lane] & 31, clamp = cs[lane] & 31, segment = cs[lane] >> 8 & 31,             \
                     lowest = lane & segment, highest = lowest | (clamp & ~segment), source = from;      \
      const bool is_inside = within;                                                                     \
      sources[lane] = is_inside ? source & 31 : lane;                                                    \
      inside |= (uint32_t)is_inside << lane;                                                             \
    }                                                                                                    \
    return inside;                                                                                       \
  }
FIND_SOURCES(up, lane - b, (int32_t)source >= (int32_t)highest)
FIND_SOURCES(down, lane + b, source <= highest)
FIND_SOURCES(butterfly, lane ^ b, source <= highest)
FIND_SOURCES(index, lowest | (b & ~segment), source <= highest)

LANES_HANDLER static void gather(uint32_t *restrict to, const uint32_t *restrict from,
                                 const uint32_t *restrict sources) {
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    to[lane] = from[sources[lane]];
}

static uint32_t find_sources(enum shuffle mode, const uint32_t *b, const uint32_t *c, uint32_t *sources) {
  switch (mode) {
  case SHUFFLE_UP: return find_up(b, c, sources);
  case SHUFFLE_DOWN: return find_down(b, c, sources);
  case SHUFFLE_BUTTERFLY: return find_butterfly(b, c, sources);
  case SHUFFLE_INDEX: break;
  }
  return find_index(b, c, sources);
}

// The lanes of the group that read a lane which is not in it: what they get is undefined (PTX ISA 9.7.9.6).
static uint32_t find_strangers(const uint32_t *sources, uint32_t lanes) {
  uint32_t found = 0;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    found |= (uint32_t) !(lanes >> sources[lane] & 1) << lane;
  }
  return found;
}

static void shuffle(struct warp *w, const struct op *op, uint32_t lanes) {
  uint32_t sources[WARP_LANES], result[WARP_LANES];
  const uint32_t inside =
      find_sources((enum shuffle)op->kind, warp_register32(w, op->b), warp_register32(w, op->c), sources);
  if (op->d != OP_NO_REGISTER) {
    uint32_t *d = warp_register32(w, op->d);
    gather(result, warp_register32(w, op->a), sources);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
      if (lanes >> lane & 1) d[lane] = result[lane];
    const uint32_t strangers = lanes == UINT32_MAX || !w->launch->check ? 0 : find_strangers(sources, lanes);
    if (strangers) unwritten_shuffled(w, op, sources, strangers, lanes);
  }
  if (op->immediate < 0) return;
  uint32_t *p = warp_predicate(w, (uint32_t)op->immediate);
  *p = (*p & ~lanes) | (inside & lanes);
}

void collective_shuffle(struct warp *w, const struct op *op) {
  meeting(w, op, shuffle, ORDERS_IN_PRACTICE);
}

// ---- vote, match, redux, elect, activemask ----------------------------------------------------------------

static void vote(struct warp *w, const struct op *op, uint32_t lanes) {
  uint32_t values = *warp_predicate(w, op->a);
  if (op->flags) values = ~values;
  values &= lanes;
  if (op->d == OP_NO_REGISTER) return;
  if (op->kind == VOTE_BALLOT) {
    uint32_t *d = warp_register32(w, op->d);
    for (uint32_t left = lanes; left; left &= left - 1)
      d[__builtin_ctz(left)] = values;
    return;
  }
  bool all = values == lanes, any = values != 0;
  bool result = op->kind == VOTE_ALL ? all : op->kind == VOTE_ANY ? any : all || !any;
  uint32_t *p = warp_predicate(w, op->d);
  *p = (*p & ~lanes) | (result ? lanes : 0);
}

void collective_vote(struct warp *w, const struct op *op) {
  meeting(w, op, vote, ORDERS_IN_PRACTICE);
}

static uint64_t match_value(const struct warp *w, const struct op *op, int lane) {
  return op->width == 8 ? warp_register64(w, op->a)[lane] : warp_register32(w, op->a)[lane];
}

static void match(struct warp *w, const struct op *op, uint32_t lanes) {
  uint32_t result[WARP_LANES] = {0}, all_equal = 0;
  for (uint32_t left = lanes; left; left &= left - 1) {
    int i = __builtin_ctz(left);
    for (uint32_t others = lanes; others; others &= others - 1) {
      int k = __builtin_ctz(others);
      if (match_value(w, op, i) == match_value(w, op, k)) result[i] |= 1u << k;
    }
    if (result[i] == lanes) all_equal = lanes;
  }
  bool want_all = op->kind;
  for (uint32_t left = lanes; left && op->d != OP_NO_REGISTER; left &= left - 1) {
    int i = __builtin_ctz(left);
    warp_register32(w, op->d)[i] = want_all ? all_equal : result[i];
  }
  if (op->immediate < 0) return;
  uint32_t *p = warp_predicate(w, (uint32_t)op->immediate);
  *p = (*p & ~lanes) | all_equal;
}

void collective_match(struct warp *w, const struct op *op) {
  meeting(w, op, match, ORDERS_IN_PRACTICE);
}

static uint32_t combine(const struct op *op, uint32_t x, uint32_t y) {
  bool less = op->flags ? (int32_t)x < (int32_t)y : x < y;
  switch ((enum reduction)op->kind) {
  case REDUCE_ADD: return x + y;
  case REDUCE_MIN: return less ? x : y;
  case REDUCE_MAX: return less ? y : x;
  case REDUCE_AND: return x & y;
  case REDUCE_OR: return x | y;
  default: return x ^ y;
  }
}

static void reduce(struct warp *w, const struct op *op, uint32_t lanes) {
  const uint32_t *a = warp_register32(w, op->a);
  uint32_t left = lanes & (lanes - 1), result = a[__builtin_ctz(lanes)];
  for (; left; left &= left - 1)
    result = combine(op, result, a[__builtin_ctz(left)]);
  if (op->d == OP_NO_REGISTER) return;
  uint32_t *d = warp_register32(w, op->d);
  for (left = lanes; left; left &= left - 1)
    d[__builtin_ctz(left)] = result;
}

void collective_reduce(struct warp *w, const struct op *op) {
  meeting(w, op, reduce, ORDERS_IN_PRACTICE);
}

static void elect(struct warp *w, const struct op *op, uint32_t lanes) {
  uint32_t leader = (uint32_t)__builtin_ctz(lanes);
  for (uint32_t left = lanes; left && op->d != OP_NO_REGISTER; left &= left - 1)
    warp_register32(w, op->d)[__builtin_ctz(left)] = leader;
  if (op->immediate < 0) return;
  uint32_t *p = warp_predicate(w, (uint32_t)op->immediate);
  *p = (*p & ~lanes) | 1u << leader;
}

void collective_elect(struct warp *w, const struct op *op) {
  meeting(w, op, elect, ORDERS_IN_PRACTICE);
}

void collective_active_mask(struct warp *w, const struct op *op) {
  if (op->d == OP_NO_REGISTER) return;
  uint32_t *d = warp_register32(w, op->d);
  for (uint32_t left = w->lanes; left; left &= left - 1)
    d[__builtin_ctz(left)] = w->lanes;
}
