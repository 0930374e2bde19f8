// Who acts: one lane of a warp, at an operation. It is passed by value to whoever records a fault or an order
// of events.
#ifndef VIRTUAL_HOPPER_MACHINE_ACTOR_H
#define VIRTUAL_HOPPER_MACHINE_ACTOR_H

#include "virtual-hopper/machine/machine.h"

struct actor {
  struct warp *w;
  const struct op *op;
  uint32_t lane;
};

static inline struct actor actor_of(struct warp *w, const struct op *op, uint32_t lane) {
  return (struct actor){.w = w, .op = op, .lane = lane};
}
static inline uint32_t actor_thread(struct actor a) { // linear in its block
  return warp_thread(a.w, a.lane);
}
static inline void actor_fault(struct actor a, struct fault *fault) { // warp_fault
  warp_fault(a.w, a.op, a.lane, fault);
}

#endif
