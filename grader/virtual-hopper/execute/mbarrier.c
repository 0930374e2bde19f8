// mbarrier.*: checks the operands of a lane, then calls the functions of async/mbarrier.h. PTX ISA 9.7.13.15.
#include "virtual-hopper/execute/mbarrier.h"

#include "virtual-hopper/execute/lanes.h"
#include "virtual-hopper/order/order.h"

#define EACH_RUNNING_LANE(lane, set)                                                           \
  for (uint32_t left_ = (set), lane; left_ && ((lane = (uint32_t)__builtin_ctz(left_)), true); \
       left_ &= left_ - 1)

// ---- execution --------------------------------------------------------------------------------------------

void execute_mbarrier_init(struct warp *w, const struct op *op) {
  const struct mbarrier_extra *x = op->extra;
  EACH_RUNNING_LANE(lane, w->lanes) {
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->address, true, &at)) return;
    if (!mbarrier_init(actor_of(w, op, lane), at.owner, at.offset, async_value32(w, x->count, lane))) return;
  }
}

void execute_mbarrier_inval(struct warp *w, const struct op *op) {
  const struct mbarrier_extra *x = op->extra;
  EACH_RUNNING_LANE(lane, w->lanes) {
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->address, true, &at)) return;
    if (!mbarrier_inval(actor_of(w, op, lane), at.owner, at.offset)) return;
  }
}

void execute_mbarrier_tx(struct warp *w, const struct op *op) {
  const struct mbarrier_extra *x = op->extra;
  EACH_RUNNING_LANE(lane, w->lanes) {
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->address, false, &at)) return;
    uint32_t bytes = async_value32(w, x->count, lane);
    bool good = op->kind ? mbarrier_simulate_complete_tx(actor_of(w, op, lane), at.owner, at.offset, bytes)
                         : mbarrier_expect_tx(actor_of(w, op, lane), at.owner, at.offset, bytes);
    if (!good) return;
  }
}

void execute_mbarrier_arrive(struct warp *w, const struct op *op) {
  const struct mbarrier_extra *x = op->extra;
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
    if (!mbarrier_arrive(actor_of(w, op, lane), at.owner, at.offset, &arrival, state ? &state[lane] : NULL))
      return;
  }
}

void execute_mbarrier_pending_count(struct warp *w, const struct op *op) {
  uint32_t *count = warp_register32(w, op->d);
  const uint64_t *state = warp_register64(w, op->a);
  EACH_RUNNING_LANE(lane, w->lanes) count[lane] = mbarrier_token_pending(state[lane]);
}

static uint32_t wait_parity(const struct warp *w, const struct op *op, const struct mbarrier_extra *x,
                            uint32_t lane) {
  return x->parity ? async_value32(w, op->b, lane) & 1
                   : mbarrier_token_parity(warp_register64(w, op->b)[lane]);
}

// True when all lanes of the warp hold the same value in this register. No way out of the loop: it becomes
// vector instructions.
LANES_HANDLER static bool all_alike32(const uint32_t value[WARP_LANES]) {
  uint32_t different = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    different |= value[lane] ^ value[0];
  return !different;
}

LANES_HANDLER static bool all_alike64(const uint64_t value[WARP_LANES]) {
  uint64_t different = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    different |= value[lane] ^ value[0];
  return !different;
}

// The usual case: the whole warp waits for one barrier with one parity.
static bool is_one_wait(const struct warp *w, const struct op *op, const struct mbarrier_extra *x) {
  const bool same_place = x->address.narrow ? all_alike32(warp_register32(w, x->address.base))
                                            : all_alike64(warp_register64(w, x->address.base));
  return same_place &&
         (x->parity ? all_alike32(warp_register32(w, op->b)) : all_alike64(warp_register64(w, op->b)));
}

// Returns the lanes that wait for the same barrier with the same parity as lane `first`.
static uint32_t alike(const struct warp *w, const struct op *op, const struct mbarrier_extra *x,
                      uint32_t lanes, uint32_t first, uint32_t parity) {
  uint64_t address = async_address_of(w, &x->address, first);
  uint32_t same = 0;
  if (!(lanes & (lanes - 1)) || is_one_wait(w, op, x)) return lanes;
  EACH_RUNNING_LANE(lane, lanes) {
    if (async_address_of(w, &x->address, lane) == address && wait_parity(w, op, x, lane) == parity)
      same |= 1u << lane;
  }
  return same;
}

// "Valid values of the phaseParity operand are 0 and 1" (PTX ISA 9.7.13.15.16). Reports the first lane with
// another value; other lanes are not reported.
static void check_parities(struct warp *w, const struct op *op, const struct mbarrier_extra *x) {
  const uint32_t *parities = warp_register32(w, op->b);
  if (all_alike32(parities) && parities[0] < 2) return;
  EACH_RUNNING_LANE(lane, w->lanes) {
    uint32_t parity = async_value32(w, op->b, lane);
    struct async_shared at;
    if (parity < 2) continue;
    if (async_barrier_at(w, op, lane, &x->address, true, &at))
      mbarrier_fault_parity(actor_of(w, op, lane), at.owner, at.offset, parity);
    return;
  }
}

// A token is "returned by an mbarrier.arrive instruction on the same mbarrier object during the current or
// the immediately preceding phase" (PTX ISA 9.7.13.15.16). Reports the first lane with another one.
static void check_tokens(struct warp *w, const struct op *op, const struct mbarrier_extra *x) {
  const uint64_t *tokens = warp_register64(w, op->b);
  EACH_RUNNING_LANE(lane, w->lanes) {
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->address, true, &at)) return;
    struct mbarrier *m = mbarrier_find(at.owner, at.offset);
    if (!m || !m->live || (mbarrier_token_is_of(m, tokens[lane]) && mbarrier_token_age(m, tokens[lane]) < 2))
      continue;
    mbarrier_fault_token(actor_of(w, op, lane), at.owner, m, tokens[lane]);
    return;
  }
}

// try_wait may give up before its phase is complete, after a time that depends on the system (PTX ISA
// 9.7.13.15.16). So the first question of a thread for an incomplete phase is answered with false, always: a
// program that takes the answer for granted goes on, and what it touches then is judged. Asked again,
// try_wait waits; but not every time, where the seed lets it give up again, and not while the cluster's
// threads are tried: a loop that asks ten times and then goes on is wrong as well. In a watched cluster it
// waits: there the same state must lead to the same answer (schedule/watch.h).
static bool gives_up(struct warp *w, const struct op *op, uint64_t object, uint64_t detail) {
  enum { AGAIN_ONE_IN = 4 };
  struct cluster *c = w->block->cluster;
  struct split *s = &w->splits[0];
  if (s->refused_by == op && s->refused_object == object && s->refused_detail == detail) {
    if (c->watching) return false;
    if (c->trying_answers && s->refusals < TRYING_POLLS) {
      c->trying_answers--;
      s->refusals++;
      return true;
    }
    return w->launch->seed && machine_random(&c->random) % AGAIN_ONE_IN == 0;
  }
  s->refused_by = op;
  s->refused_object = object;
  s->refused_detail = detail;
  s->refusals = 1;
  return true;
}

// A try_wait with a limit of its own that gives up has waited so long: a loop around it may count on that, as
// libcu++'s try_wait_for() does. Long limits don't run out on a chip either. The clocks of two clusters must
// not get far apart.
static bool gives_up_at_limit(struct warp *w, const struct op *op, uint64_t object, uint64_t detail) {
  enum { MOST = 20000 };
  const struct mbarrier_extra *x = op->extra;
  struct cluster *c = w->block->cluster;
  if (!gives_up(w, op, object, detail)) return false;
  if (x->limit == OP_NO_REGISTER || c->watching || w->launch->time) return true;
  const uint32_t limit = warp_register32(w, x->limit)[__builtin_ctz(w->lanes)];
  if (limit > MOST - c->limits_spent) return true;
  c->limits_spent += limit;
  c->time_offset += limit;
  return true;
}

static void note_asker(struct mbarrier *m, const struct op *op, uint32_t thread) {
  m->asked_by = op;
  m->asked_thread = thread;
}

// When a wait fails, test_wait returns false and lets other warps run. try_wait does so, too, or suspends the
// lanes until the cluster has an event, or until nothing more can happen in the cluster.
void execute_mbarrier_wait(struct warp *w, const struct op *op) {
  const struct mbarrier_extra *x = op->extra;
  uint32_t *complete = warp_predicate(w, op->d), passed = 0, lanes = w->lanes;
  uint64_t object = 0, detail = 0;
  uint32_t seen = 0;
  bool early = false;
  if (w->launch->check) (x->parity ? check_parities : check_tokens)(w, op, x);
  for (uint32_t left = lanes; left;) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), parity = wait_parity(w, op, x, lane),
             same = alike(w, op, x, left, lane, parity);
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->address, true, &at)) return;
    if (w->launch->check && !warp_wait_expired(w) && !mbarrier_find(at.owner, at.offset)) {
      // Another thread may be about to initialise the barrier. Then the mistake is that this thread didn't
      // wait for the initialisation.
      object = (uint64_t)at.owner->rank << SHARED_RANK_SHIFT | at.offset;
      early = true;
      left &= ~same;
      continue;
    }
    struct mbarrier *m = mbarrier_use(actor_of(w, op, lane), at.owner, at.offset);
    if (!m) return;
    note_asker(m, op, warp_thread(w, lane));
    if (mbarrier_parity_passed(m, parity)) {
      mbarrier_observe(w, op, same, at.owner, m, x->acquire);
      passed |= same;
    } else {
      if (w->launch->check) order_mbarrier_refuse(w, op, same, m);
      object = (uint64_t)at.owner->rank << SHARED_RANK_SHIFT | at.offset;
      detail = parity;
      seen = seen * 31 + (uint32_t)(m->image ^ m->image >> 32) + at.offset;
    }
    left &= ~same;
  }
  uint32_t failed = lanes & ~passed;
  *complete = (*complete & ~lanes) | passed;
  w->splits[0].barrier_op = NULL;
  if (!failed) {
    w->splits[0].refused_by = NULL;
    return;
  }
  if (!early && (!x->is_try || warp_wait_expired(w) || gives_up_at_limit(w, op, object, detail))) {
    warp_poll_value(w, seen); // a change of the barrier is news, even when its phase isn't complete
    w->splits[0].barrier_op = op;
    w->splits[0].barrier = object;
  } else if (!passed) {
    warp_wait(w, WAIT_MBARRIER, object, detail);
  } else {
    warp_wait_lanes(w, failed, WAIT_MBARRIER, object, detail);
  }
}
