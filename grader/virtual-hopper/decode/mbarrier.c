// mbarrier.*: takes the statements of PTX ISA 9.7.13.15, leaves ops that work on the barriers of mbarrier.h.
#include "virtual-hopper/mbarrier.h"

#include <string.h>

#include "virtual-hopper/decode/async-operand.h"
#include "virtual-hopper/order/order.h"

struct barrier_extra { // of every op here but pending_count
  struct async_address address;
  uint32_t count, expect; // registers of the operand, or OP_NO_REGISTER: 1 and 0
  bool drop, no_complete, release, acquire, parity, is_try;
};

#define EACH_RUNNING_LANE(lane, set)                                                           \
  for (uint32_t left_ = (set), lane; left_ && ((lane = (uint32_t)__builtin_ctz(left_)), true); \
       left_ &= left_ - 1)

// ---- execution ------------------------------------------------------------------------------------------------------------------

static void execute_init(struct warp *w, const struct op *op) {
  const struct barrier_extra *x = op->extra;
  EACH_RUNNING_LANE(lane, w->lanes) {
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->address, true, &at)) return;
    if (!mbarrier_init(w, op, lane, at.owner, at.offset, async_value32(w, x->count, lane))) return;
  }
}

static void execute_inval(struct warp *w, const struct op *op) {
  const struct barrier_extra *x = op->extra;
  EACH_RUNNING_LANE(lane, w->lanes) {
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->address, true, &at)) return;
    if (!mbarrier_inval(w, op, lane, at.owner, at.offset)) return;
  }
}

static void execute_tx(struct warp *w, const struct op *op) {
  const struct barrier_extra *x = op->extra;
  EACH_RUNNING_LANE(lane, w->lanes) {
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->address, false, &at)) return;
    uint32_t bytes = async_value32(w, x->count, lane);
    bool good = op->kind ? mbarrier_simulate_complete_tx(w, op, lane, at.owner, at.offset, bytes)
                         : mbarrier_expect_tx(w, op, lane, at.owner, at.offset, bytes);
    if (!good) return;
  }
}

static void execute_arrive(struct warp *w, const struct op *op) {
  const struct barrier_extra *x = op->extra;
  uint64_t *state = op->d == OP_NO_REGISTER ? NULL : warp_register64(w, op->d);
  EACH_RUNNING_LANE(lane, w->lanes) {
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->address, state != NULL, &at)) return;
    struct mbarrier_arrival arrival = {
        .count = x->count == OP_NO_REGISTER ? 1 : async_value32(w, x->count, lane),
        .expect_bytes = x->expect == OP_NO_REGISTER ? 0 : async_value32(w, x->expect, lane),
        .drop = x->drop,
        .no_complete = x->no_complete,
        .release = x->release};
    if (!mbarrier_arrive(w, op, lane, at.owner, at.offset, &arrival, state ? &state[lane] : NULL)) return;
  }
}

static void execute_pending_count(struct warp *w, const struct op *op) {
  uint32_t *count = warp_register32(w, op->d);
  const uint64_t *state = warp_register64(w, op->a);
  EACH_RUNNING_LANE(lane, w->lanes) count[lane] = mbarrier_token_pending(state[lane]);
}

static uint32_t wait_parity(const struct warp *w, const struct op *op, const struct barrier_extra *x,
                            uint32_t lane) {
  return x->parity ? async_value32(w, op->b, lane) & 1
                   : mbarrier_token_parity(warp_register64(w, op->b)[lane]);
}

// Lanes that ask the same of the same barrier as `first` does.
static uint32_t alike(const struct warp *w, const struct op *op, const struct barrier_extra *x,
                      uint32_t lanes, uint32_t first, uint32_t parity) {
  uint64_t address = async_address_of(w, &x->address, first);
  uint32_t same = 0;
  EACH_RUNNING_LANE(lane, lanes) {
    if (async_address_of(w, &x->address, lane) == address && wait_parity(w, op, x, lane) == parity)
      same |= 1u << lane;
  }
  return same;
}

// "Valid values of the phaseParity operand are 0 and 1" (PTX ISA 9.7.13.15.16). A lane that gives another one, told once for all lanes.
static void check_parities(struct warp *w, const struct op *op, const struct barrier_extra *x) {
  EACH_RUNNING_LANE(lane, w->lanes) {
    uint32_t parity = async_value32(w, op->b, lane);
    struct async_shared at;
    if (parity < 2) continue;
    if (async_barrier_at(w, op, lane, &x->address, true, &at))
      mbarrier_fault_parity(w, op, lane, at.owner, at.offset, parity);
    return;
  }
}

// What a failed wait means: test_wait gives false and lets others run; try_wait suspends until something happens, and gives false only
// when nothing in the cluster can happen any more (its system-dependent time limit, PTX ISA 9.7.13.15.16).
static void execute_wait(struct warp *w, const struct op *op) {
  const struct barrier_extra *x = op->extra;
  uint32_t *complete = warp_predicate(w, op->d), passed = 0, lanes = w->lanes;
  uint64_t object = 0, detail = 0;
  uint32_t seen = 0;
  bool early = false;
  if (x->parity && w->launch->check) check_parities(w, op, x);
  for (uint32_t left = lanes; left;) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), parity = wait_parity(w, op, x, lane),
             same = alike(w, op, x, left, lane, parity);
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->address, true, &at)) return;
    if (w->launch->check && !warp_wait_expired(w) && !mbarrier_find(at.owner, at.offset)) {
      // Another thread may be about to initialise it: then the mistake is that nothing made this one wait for that.
      object = (uint64_t)at.owner->rank << SHARED_RANK_SHIFT | at.offset;
      early = true;
      left &= ~same;
      continue;
    }
    struct mbarrier *m = mbarrier_use(w, op, lane, at.owner, at.offset);
    if (!m) return;
    if (mbarrier_parity_passed(m, parity)) {
      mbarrier_observe(w, op, same, at.owner, m, x->acquire);
      passed |= same;
    } else {
      object = (uint64_t)at.owner->rank << SHARED_RANK_SHIFT | at.offset;
      detail = parity;
      seen = seen * 31 + (uint32_t)(m->image ^ m->image >> 32) + at.offset;
    }
    left &= ~same;
  }
  uint32_t failed = lanes & ~passed;
  *complete = (*complete & ~lanes) | passed;
  if (!failed) return;
  if ((!x->is_try && !early) || warp_wait_expired(w))
    warp_poll_value(w, seen); // a barrier that has changed is news, even if its phase goes on
  else if (!passed)
    warp_wait(w, WAIT_MBARRIER, object, detail);
  else
    warp_wait_lanes(w, failed, WAIT_MBARRIER, object, detail);
}

// ---- decoding -------------------------------------------------------------------------------------------------------------------

static void take_order(struct modifiers *m, struct barrier_extra *x) {
  bool relaxed = modifiers_take(m, "relaxed");
  modifiers_take(m, "release");
  modifiers_take(m, "acquire");
  x->release = x->acquire = !relaxed;
  modifiers_take(m, "cta");
  modifiers_take(m, "cluster");
}

static bool wants_operands(struct decoder *d, const struct ptx_instruction *in, uint32_t least,
                           uint32_t most) {
  if (in->operand_count >= least && in->operand_count <= most) return true;
  return decode_error(d, in, "%u operands, where %u to %u are wanted", in->operand_count, least, most);
}

static bool decode_barrier_address(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                                   uint32_t operand, struct barrier_extra *x) {
  enum ptx_space space = async_take_shared(m);
  modifiers_take(m, "b64");
  if (!modifiers_all_taken(d, m)) return false;
  return async_address_decode(d, in, &in->operands[operand], space, &x->address);
}

static bool decode_simple(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                          struct modifiers *m, struct barrier_extra *x, op_execute *execute, bool has_count) {
  op->execute = execute;
  take_order(m, x);
  if (!wants_operands(d, in, has_count ? 2 : 1, has_count ? 2 : 1) || !decode_barrier_address(d, in, m, 0, x))
    return false;
  if (has_count) x->count = decode_source(d, &in->operands[1], PTX_U32);
  return !decode_failed(d);
}

static bool decode_arrive(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                          struct modifiers *m, struct barrier_extra *x) {
  op->execute = execute_arrive;
  x->no_complete = modifiers_take(m, "noComplete");
  bool expect = modifiers_take(m, "expect_tx");
  take_order(m, x);
  if (!wants_operands(d, in, expect || x->no_complete ? 3 : 2, 3) || !decode_barrier_address(d, in, m, 1, x))
    return false;
  op->d = decode_destination(d, &in->operands[0], PTX_B64);
  if (in->operand_count == 3)
    *(expect ? &x->expect : &x->count) = decode_source(d, &in->operands[2], PTX_U32);
  return !decode_failed(d);
}

static bool decode_wait(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                        struct modifiers *m, struct barrier_extra *x) {
  op->execute = execute_wait;
  x->parity = modifiers_take(m, "parity");
  take_order(m, x);
  if (!wants_operands(d, in, 3, x->is_try ? 4 : 3) || !decode_barrier_address(d, in, m, 1, x)) return false;
  op->d = decode_destination(d, &in->operands[0], PTX_PRED);
  if (!decode_failed(d) && op->d == OP_NO_REGISTER) op->d = decode_temporary(d, 0);
  op->b = decode_source(d, &in->operands[2], x->parity ? PTX_U32 : PTX_B64);
  // The fourth operand is a hint for how long try_wait may suspend: in virtual time it makes no difference.
  return !decode_failed(d);
}

static bool decode_pending_count(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                                 struct modifiers *m) {
  op->execute = execute_pending_count;
  modifiers_take(m, "b64");
  if (!wants_operands(d, in, 2, 2) || !modifiers_all_taken(d, m)) return false;
  op->d = decode_destination(d, &in->operands[0], PTX_U32);
  op->a = decode_source(d, &in->operands[1], PTX_B64);
  if (!decode_failed(d) && op->d == OP_NO_REGISTER) op->d = decode_temporary(d, 4);
  return !decode_failed(d);
}

// mbarrier.{init, inval, expect_tx, complete_tx, arrive, arrive_drop, test_wait, try_wait, pending_count}
bool decode_mbarrier(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers m = modifiers_of(in);
  struct barrier_extra *x = decode_allocate(d, sizeof *x);
  *x = (struct barrier_extra){.count = OP_NO_REGISTER, .expect = OP_NO_REGISTER};
  op->extra = x;
  if (modifiers_take(&m, "init")) return decode_simple(d, in, op, &m, x, execute_init, true);
  if (modifiers_take(&m, "inval")) return decode_simple(d, in, op, &m, x, execute_inval, false);
  if (modifiers_take(&m, "arrive")) return decode_arrive(d, in, op, &m, x);
  if (modifiers_take(&m, "arrive_drop")) {
    x->drop = true;
    return decode_arrive(d, in, op, &m, x);
  }
  if (modifiers_take(&m, "test_wait")) return decode_wait(d, in, op, &m, x);
  if (modifiers_take(&m, "try_wait")) {
    x->is_try = true;
    return decode_wait(d, in, op, &m, x);
  }
  if (modifiers_take(&m, "pending_count")) return decode_pending_count(d, in, op, &m);
  if (modifiers_take(&m, "expect_tx")) return decode_simple(d, in, op, &m, x, execute_tx, true);
  if (modifiers_take(&m, "complete_tx")) {
    op->kind = 1;
    return decode_simple(d, in, op, &m, x, execute_tx, true);
  }
  return decode_error(d, in, "this device doesn't know mbarrier.%s",
                      in->modifier_count ? in->modifiers[0] : "");
}
