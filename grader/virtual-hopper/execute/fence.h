// Fences, as ops. PTX ISA 9.7.13.4. The virtual Hopper executes every access at once. So a fence changes
// nothing except what the order engine knows.
#ifndef VIRTUAL_HOPPER_EXECUTE_FENCE_H
#define VIRTUAL_HOPPER_EXECUTE_FENCE_H

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/order/order.h"

enum fence_kind {
  FENCE_MEMORY,
  FENCE_PROXY_ASYNC,
  FENCE_TENSORMAP_ACQUIRE,
  FENCE_TENSORMAP_RELEASE,
  FENCE_MBARRIER_INIT,
  FENCE_NOTHING
};
enum { FENCE_SHARED = 1, FENCE_GLOBAL = 2, FENCE_CTA = 4 }; // CTA: shared memory of its own block
enum { FENCE_NARROW = 1 }; // MEMORY: its scope, .cta or .cluster, leaves other clusters out

op_execute fence_run; // kind; count: enum order_strength (MEMORY); flags: spaces (PROXY_ASYNC), FENCE_NARROW

#endif
