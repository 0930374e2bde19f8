// cp.async and its groups: each thread issues one small copy. PTX ISA 9.7.9.25.3; cp.async.mbarrier.arrive
// 9.7.13.15.15.
#include "virtual-hopper/execute/cp-async.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/time/record.h"

// ---- execution --------------------------------------------------------------------------------------------

static bool issue(struct warp *w, const struct op *op, uint32_t lane, const struct cp_async_extra *x) {
  struct async_shared to;
  uint32_t read = x->bytes;
  uint8_t *host = NULL;
  if (x->source_bytes != OP_NO_REGISTER) read = async_value32(w, x->source_bytes, lane);
  if (x->ignore != OP_NO_REGISTER && ((*warp_predicate(w, x->ignore) >> lane & 1) != 0) != x->ignore_negated)
    read = 0;
  if (read > x->bytes) {
    async_faultf(w, op, lane, RULE_ILLEGAL_INSTRUCTION, ERROR_ILLEGAL_INSTRUCTION, "copies with cp.async",
                 "The source size of %u bytes is larger than the copy's %u.", read, x->bytes);
    return false;
  }
  uint64_t address = async_address_of(w, &x->source, lane);
  if (!async_shared_at(w, op, lane, &x->destination, x->bytes, x->bytes, "The destination of the copy", &to))
    return false;
  if (read > 0 && !(host = async_global_at(w, op, lane, address, read, x->bytes, "The source of the copy")))
    return false;
  if (mbarrier_may_overlap(to.owner, to.offset, x->bytes))
    mbarrier_overwritten(actor_of(w, op, lane), to.owner, to.offset, x->bytes);
  struct async_copy *copy = async_new(actor_of(w, op, lane), ASYNC_CP_ASYNC);
  copy->bytes = copy->footprint = x->bytes;
  copy->source_bytes = read;
  copy->global_address = address;
  copy->shared_offset = to.offset;
  async_issue(w, lane, copy, host);
  return true;
}

// Lanes that copy nothing (a source of 0 bytes) go to no memory.
static void note_time(struct warp *w, const struct op *op, const struct cp_async_extra *x) {
  uint64_t addresses[WARP_LANES];
  uint32_t lanes = 0;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    const bool none = (x->source_bytes != OP_NO_REGISTER && !async_value32(w, x->source_bytes, lane)) ||
                      (x->ignore != OP_NO_REGISTER &&
                       ((*warp_predicate(w, x->ignore) >> lane & 1) != 0) != x->ignore_negated);
    if (none) continue;
    addresses[lane] = async_address_of(w, &x->source, lane);
    lanes |= 1u << lane;
  }
  if (lanes) time_cp_async(w, op, addresses, lanes, x->bytes);
}

void execute_cp_async_copy(struct warp *w, const struct op *op) {
  for (uint32_t left = w->lanes; left; left &= left - 1)
    if (!issue(w, op, (uint32_t)__builtin_ctz(left), op->extra)) return;
  if (w->launch->time) note_time(w, op, op->extra);
}

void execute_cp_async_commit(struct warp *w, const struct op *op) {
  (void)op;
  async_cp_commit(w);
}

void execute_cp_async_wait(struct warp *w, const struct op *op) {
  async_cp_wait(w, op, (uint32_t)op->immediate);
}

void execute_cp_async_arrive(struct warp *w, const struct op *op) {
  const struct cp_async_extra *x = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->barrier, true, &at)) return;
    struct mbarrier *m = mbarrier_use(actor_of(w, op, lane), at.owner, at.offset);
    if (!m || (!x->noinc && !mbarrier_owe_arrival(actor_of(w, op, lane), at.owner, at.offset))) return;
    if (w->launch->check) order_cp_async_mbarrier_arrive(actor_of(w, op, lane), at.owner, m, x->noinc);
    async_cp_arrive(actor_of(w, op, lane), at.offset);
  }
}
