// discard.L2 (PTX ISA 9.4, 9.7.9.17). In: the lines that the lanes give up. Out: other bytes in them. One
// idea: by the ISA it is a weak write of an indeterminate value. So it races with whatever is not ordered
// with it, and whoever reads the line before it is written again reads a pattern that stands for nothing.
#include "virtual-hopper/execute/discard.h"

#include "virtual-hopper/execute/unwritten.h"

static bool discard_changes(const struct order_store *store, uint32_t lane) {
  (void)store, (void)lane;
  return true;
}

// Two lines given up hold the same nothing.
static uint32_t discard_word(const struct order_store *store, uint32_t lane, uint32_t offset) {
  (void)store, (void)lane;
  return unwritten_word(offset);
}

void memory_discard(struct warp *w, const struct op *op) {
  static const struct order_store store = {discard_changes, discard_word, NULL};
  const struct access_plan *plan = op->extra;
  struct access a;
  if (!access_resolve(w, op, plan, true, &a)) return;
  if (w->launch->check) access_order(w, op, &a, plan->bytes, ORDER_WRITE, ORDER_WEAK, &store);
  for (uint32_t left = a.lanes; left; left &= left - 1)
    unwritten_fill(a.host[__builtin_ctz(left)], plan->bytes);
  if (w->block->cluster->watching) w->block->cluster->changes++;
}
