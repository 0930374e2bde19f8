// Fences: each fence is reported to the order engine. Proxy fences are also counted, because exercises may
// require them.
#include "virtual-hopper/execute/fence.h"

static void tensormap(struct warp *w, const struct op *op) {
  bool acquire = op->kind == FENCE_TENSORMAP_ACQUIRE;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint64_t address = acquire ? warp_register64(w, op->a)[lane] + (uint64_t)op->immediate : 0;
    order_fence_proxy_tensormap(w, op, lane, acquire, address);
  }
}

void fence_run(struct warp *w, const struct op *op) {
  if (op->kind == FENCE_PROXY_ASYNC)
    w->block->cluster->observed.proxy_fences += (uint32_t)__builtin_popcount(w->lanes);
  if (!w->launch->check) return;
  switch ((enum fence_kind)op->kind) {
  case FENCE_MEMORY:
    order_fence(w, op, w->lanes, (enum order_strength)op->count, op->flags & FENCE_NARROW);
    return;
  case FENCE_PROXY_ASYNC:
    order_fence_proxy_async(w, op, w->lanes,
                            (struct proxy_reach){.shared = op->flags & FENCE_SHARED,
                                                 .global = op->flags & FENCE_GLOBAL,
                                                 .own_block = op->flags & FENCE_CTA});
    return;
  case FENCE_MBARRIER_INIT: order_fence_mbarrier_init(w, op, w->lanes); return;
  case FENCE_TENSORMAP_ACQUIRE:
  case FENCE_TENSORMAP_RELEASE: tensormap(w, op); return;
  case FENCE_NOTHING: return;
  }
}
