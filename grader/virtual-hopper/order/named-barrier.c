// Barriers of a block that count their threads (PTX ISA 9.7.13.1). In: arrivals. Out: an arrival that may be
// counted in the meeting before its own. One idea: whoever comes to the next meeting must know that all have
// come to the one before; else which of them meet is left to chance.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

struct named_arrivals {
  struct meeting {
    uint64_t generation; // + 1; 0: none
    struct {
      const struct op *op; // NULL: the warp has not come
      uint32_t lane, epoch;
    } warp[BLOCK_MAX_WARPS];
  } meeting[2]; // by the generation's lowest bit
};

static bool find_unseen(struct warp *w, uint32_t lane, const struct meeting *before,
                        struct order_arrival *earlier) {
  const struct order_thread *t = order_thread_of(w, lane);
  const uint32_t self = order_agent_of(w, lane);
  for (uint32_t i = 0; i < w->block->warp_count; i++) {
    struct warp *other = &w->block->warps[i];
    if (!before->warp[i].op) continue;
    if (order_seen(t, self, order_agent_of(other, before->warp[i].lane)) >= before->warp[i].epoch) continue;
    *earlier = (struct order_arrival){.op = before->warp[i].op,
                                      .warp = other,
                                      .lane = before->warp[i].lane,
                                      .own = before->warp[w->index].op};
    return true;
  }
  return false;
}

bool order_named_barrier(struct warp *w, const struct op *op, uint32_t lanes, uint32_t barrier,
                         uint64_t generation, struct order_arrival *earlier) {
  struct order_block *b = w->block->order;
  const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
  struct order_thread *t = order_thread_of(w, lane);
  if (!b->named) b->named = calloc(BLOCK_MAX_BARRIERS, sizeof *b->named);
  if (!b->named) die("out of memory for the order engine");
  struct meeting *now = &b->named[barrier].meeting[generation & 1];
  const struct meeting *before = &b->named[barrier].meeting[~generation & 1];
  const bool unseen = generation && before->generation == generation && find_unseen(w, lane, before, earlier);
  if (now->generation != generation + 1) memset(now, 0, sizeof *now);
  now->generation = generation + 1;
  now->warp[w->index].op = op;
  now->warp[w->index].lane = lane;
  now->warp[w->index].epoch = t->epoch;
  t->dirty = true; // the arrival is a deed of its own
  return unseen;
}
