// atom and red. One idea: the lanes of a warp run one after the other, in ascending order. When a cluster
// reads the result, or when the order of clusters changes a rounded sum, the cluster waits for its turn. So
// results never depend on which worker was faster. Integer reductions commute: they need no turn, they only
// have to be atomic among the workers.
#include "virtual-hopper/execute/atomic.h"

#include <string.h>

#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/execute/unwritten.h"

#include "virtual-hopper/async/reduce.h"

struct atomic_value {
  uint8_t bytes[16];
};

static void read_register(const struct warp *w, const struct atomic_plan *plan, uint32_t offset,
                          uint32_t lane, uint32_t width, uint8_t *to) {
  if (plan->access.storage == 4) {
    memcpy(to, &warp_register32(w, offset)[lane], width < 4 ? width : 4);
    return;
  }
  const uint64_t *from = warp_register64(w, offset);
  memcpy(to, &from[lane], 8);
  if (width == 16) memcpy(to + 8, &from[WARP_LANES + lane], 8);
}

static void write_register(const struct warp *w, const struct atomic_plan *plan, uint32_t offset,
                           uint32_t lane, uint32_t width, const uint8_t *from) {
  if (plan->access.storage == 4) {
    uint32_t value = 0;
    memcpy(&value, from, width < 4 ? width : 4);
    warp_register32(w, offset)[lane] = value;
    return;
  }
  uint64_t *to = warp_register64(w, offset);
  memcpy(&to[lane], from, 8);
  if (width == 16) memcpy(&to[WARP_LANES + lane], from + 8, 8);
}

// In shared memory an .f32 sum keeps subnormal numbers; in global memory they are flushed (9.7.13.5).
static void add_f32_in_shared(uint8_t *at, const uint8_t *operand) {
  float a, b;
  memcpy(&a, at, 4);
  memcpy(&b, operand, 4);
  a += b;
  uint32_t bits;
  memcpy(&bits, &a, 4);
  if (a != a) bits = 0x7fffffff; // the canonical NaN
  memcpy(at, &bits, 4);
}

static void apply(const struct warp *w, const struct op *op, const struct atomic_plan *plan, uint32_t element,
                  uint32_t lane, uint8_t *at, bool in_global) {
  uint8_t operand[16];
  read_register(w, plan, plan->access.registers[element], lane, op->width, operand);
  switch (plan->operation) {
  case ATOMIC_EXCHANGE: memcpy(at, operand, op->width); return;
  case ATOMIC_COMPARE_AND_SWAP:
    if (memcmp(at, operand, op->width) != 0) return;
    read_register(w, plan, plan->swap, lane, op->width, operand);
    memcpy(at, operand, op->width);
    return;
  default:
    if (plan->type == PTX_F32 && plan->operation == ASYNC_ADD && !in_global)
      add_f32_in_shared(at, operand);
    else
      async_reduce((enum async_operation)plan->operation, plan->type, at, operand, op->width);
  }
}

// tells: the thread reads the old value. changed: memory differs afterwards. Memory stays the same when, for
// example, a lock was already taken, or when max gets a number that is no larger.
static void count_bytes(struct warp *w, const struct op *op, uint32_t bytes, const struct access *a,
                        bool tells, bool changed) {
  struct observed *o = &w->block->cluster->observed;
  const uint64_t all = (uint64_t)bytes * (uint32_t)__builtin_popcount(a->lanes);
  const uint64_t handed = (uint64_t)bytes * access_handed_lanes(w, a);
  o->atomic_global_bytes += all;
  o->handed_store_bytes += handed;
  if (w->block->phased) o->phase_store_bytes += handed;
  if (handed) memory_keep_handed(w, op, a, handed, true);
  if (handed) o->value_store_bytes += (uint64_t)bytes * access_value_lanes(w, a, bytes);
  if (changed) o->own_store_bytes += all - handed;
  if (!tells) return;
  o->handed_load_bytes += handed;
  o->own_load_bytes += all - handed;
}

static uint32_t mix(uint32_t hash, const void *bytes, size_t count) {
  const uint8_t *b = bytes;
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ b[i]) * 0x01000193u;
  return hash;
}

// What the lanes have read, while memory is as it was before.
static uint32_t hash_of_seen(const struct op *op, const struct access *a) {
  uint32_t seen = 0x811c9dc5u;
  for (uint32_t left = a->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    seen = mix(seen, &a->address[lane], sizeof a->address[lane]);
    seen = mix(seen, a->host[lane], (size_t)op->count * op->width);
  }
  return seen;
}

// ---- one word a lane, the usual case ----------------------------------------------------------------------

static bool is_of_words(const struct warp *w, const struct op *op, const struct atomic_plan *plan) {
  const bool simple = plan->operation == ASYNC_ADD || plan->operation == ASYNC_AND ||
                      plan->operation == ASYNC_OR || plan->operation == ASYNC_XOR;
  return simple && op->width == 4 && op->count == 1 && plan->access.storage == 4 &&
         ptx_type_size(plan->type) == 4 && plan->type != PTX_F32 && !w->block->cluster->watching &&
         !w->launch->plain;
}

static uint32_t combine_words(int operation, uint32_t a, uint32_t b) {
  switch (operation) {
  case ASYNC_ADD: return a + b;
  case ASYNC_AND: return a & b;
  case ASYNC_OR: return a | b;
  default: return a ^ b;
  }
}

// Other workers may change the word at the same time. Returns what was there.
static uint32_t change_shared_word(int operation, uint32_t *at, uint32_t operand) {
  switch (operation) {
  case ASYNC_ADD: return __atomic_fetch_add(at, operand, __ATOMIC_RELAXED);
  case ASYNC_AND: return __atomic_fetch_and(at, operand, __ATOMIC_RELAXED);
  case ASYNC_OR: return __atomic_fetch_or(at, operand, __ATOMIC_RELAXED);
  default: return __atomic_fetch_xor(at, operand, __ATOMIC_RELAXED);
  }
}

// One lane's. Returns which bits of the word differ afterwards.
static inline __attribute__((always_inline)) uint32_t change_word(int operation, uint8_t *place,
                                                                  uint32_t operand, uint32_t *result,
                                                                  bool in_global) {
  uint32_t *at = (uint32_t *)(void *)place;
  const uint32_t old = in_global ? change_shared_word(operation, at, operand) : *at,
                 fresh = combine_words(operation, old, operand);
  if (!in_global) *at = fresh;
  if (result) *result = old;
  return fresh ^ old;
}

// A loop of its own for each operation. `results` NULL: nobody looks. Returns true when memory differs
// afterwards.
static inline __attribute__((always_inline)) bool change_words(int operation, const struct access *a,
                                                               const uint32_t *operands, uint32_t *results,
                                                               bool in_global) {
  uint32_t changes = 0;
  if (a->lanes == UINT32_MAX && !in_global && results) { // the usual case
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
      changes |= change_word(operation, a->host[lane], operands[lane], &results[lane], false);
    return changes != 0;
  }
  for (uint32_t left = a->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    changes |=
        change_word(operation, a->host[lane], operands[lane], results ? &results[lane] : NULL, in_global);
  }
  return changes != 0;
}

// Returns true when memory differs afterwards.
static bool run_words(const struct warp *w, const struct atomic_plan *plan, const struct access *a,
                      bool in_global) {
  const uint32_t *operands = warp_register32(w, plan->access.registers[0]);
  const bool keeps = plan->has_result && plan->destinations[0] != OP_NO_REGISTER;
  uint32_t *results = keeps ? warp_register32(w, plan->destinations[0]) : NULL;
  bool changed;
  switch (plan->operation) {
  case ASYNC_ADD: changed = change_words(ASYNC_ADD, a, operands, results, in_global); break;
  case ASYNC_AND: changed = change_words(ASYNC_AND, a, operands, results, in_global); break;
  case ASYNC_OR: changed = change_words(ASYNC_OR, a, operands, results, in_global); break;
  default: changed = change_words(ASYNC_XOR, a, operands, results, in_global);
  }
  return changed || !plan->has_result;
}

// Runs all elements of one lane. Returns true when memory differs afterwards.
static bool run_lane(struct warp *w, const struct op *op, const struct atomic_plan *plan, uint32_t lane,
                     uint8_t *at, bool in_global) {
  bool changed = false;
  struct cluster *c = w->block->cluster;
  for (uint32_t n = 0; n < op->count; n++, at += op->width) {
    uint8_t old[16];
    if (plan->has_result || c->watching) memcpy(old, at, op->width);
    apply(w, op, plan, n, lane, at, in_global);
    // Without the turn, other clusters may change the same word at the same time. Then a comparison proves
    // nothing, so the op counts as a change.
    if (c->watching && ((in_global && !plan->ordered) || memcmp(old, at, op->width) != 0)) c->changes++;
    if (!plan->has_result) {
      changed = true;
      continue;
    }
    changed = changed || memcmp(old, at, op->width) != 0;
    if (plan->destinations[n] != OP_NO_REGISTER)
      write_register(w, plan, plan->destinations[n], lane, op->width, old);
  }
  return changed;
}

void atomic_run(struct warp *w, const struct op *op) {
  const struct atomic_plan *plan = op->extra;
  struct access a;
  if (!access_resolve(w, op, &plan->access, true, &a)) return;
  bool global = access_reaches_global(&a), changed = false;
  if (global && plan->ordered && !warp_take_turn(w)) return;
  if (w->launch->check)
    access_order(w, op, &a, plan->access.bytes, ORDER_ATOMIC, plan->access.strength, NULL);
  memory_count_cycles(w, op, &a, plan->access.bytes);
  if (w->launch->unwritten) unwritten_updates(w, op, plan->access.bytes, &a);
  const bool words = is_of_words(w, op, plan);
  if (words) changed = run_words(w, plan, &a, global);
  for (uint32_t left = words ? 0 : a.lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (run_lane(w, op, plan, lane, a.host[lane], global)) changed = true;
  }
  access_barriers_overwritten(w, op, &a, plan->access.bytes);
  if (global && changed && ((plan->tells && plan->ordered) || plan->signals)) warp_count_grab(w);
  if (global) count_bytes(w, op, plan->access.bytes, &a, plan->tells, changed);
  // Nothing changed: perhaps a lock is taken, or a flag isn't set yet. Let other warps run.
  if (!changed) warp_poll_value(w, hash_of_seen(op, &a));
}
