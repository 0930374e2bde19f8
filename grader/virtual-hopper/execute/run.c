// Runs a warp for a while: the loop that everything else is made for. In: a warp with runnable splits and a budget; out: the warp further on.
// One idea: an op decides nothing; the loop only masks the lanes whose guard is false and stops when an op asks for it.
#include "virtual-hopper/schedule.h"
#include "virtual-hopper/trace.h"
#include "virtual-hopper/warp/flow.h"

static inline uint32_t guarded_lanes(const struct warp *w, const struct op *op, uint32_t lanes) {
  uint32_t mask = *warp_predicate(w, op->guard);
  return lanes & (op->guard_negated ? ~mask : mask);
}

// Inlined twice, so that nobody pays for the trace who doesn't want it. Runs the first split until an op yields, it reaches `stop`, or the budget is spent. Gives the number of ops.
__attribute__((always_inline)) static inline uint32_t run_loop(struct warp *w, uint32_t budget, uint32_t stop,
                                                               bool traced) {
  const struct split *s = &w->splits[0];
  const struct op *ops = s->frame->function->ops;
  const uint32_t lanes = s->lanes;
  uint32_t left = budget;
  w->registers = s->frame->registers;
  w->pc = s->pc;
  w->yield = false;
  do {
    const struct op *op = &ops[w->pc++];
    left--;
    w->lanes = lanes;
    if (op->guard != OP_NO_REGISTER) {
      w->lanes = guarded_lanes(w, op, lanes);
      if (!w->lanes) continue;
    }
    if (traced) trace_op(w, op);
    op->execute(w, op);
  } while (!w->yield && left && w->pc < stop);
  w->splits[0].pc = w->pc;
  w->instructions += (uint64_t)(budget - left) * (uint32_t)__builtin_popcount(lanes);
  return budget - left;
}

static uint32_t run_split(struct warp *w, uint32_t budget, uint32_t stop) {
  return run_loop(w, budget, stop, false);
}
static uint32_t run_split_traced(struct warp *w, uint32_t budget, uint32_t stop) {
  return run_loop(w, budget, stop, true);
}

// Each runnable split gets up to `slice` ops of the turn; one that polls or waits ends its share.
uint32_t warp_run(struct warp *w, uint32_t slice) {
  struct cluster *c = w->block->cluster;
  uint32_t executed = 0;
  for (uint32_t i = 0; i < w->split_count; i++) {
    w->splits[i].resting = false;
    w->splits[i].spent = 0;
  }
  while (!c->wants_turn && !c->device_error && split_choose(w)) {
    struct split *s = &w->splits[0];
    uint32_t budget = s->expired ? 1 : slice - s->spent;
    uint32_t stop = w->split_count == 1 ? UINT32_MAX : split_next_place(w);
    uint32_t splits = w->split_count;
    uint32_t done = w->launch->trace ? run_split_traced(w, budget, stop) : run_split(w, budget, stop);
    for (uint32_t i = splits; i < w->split_count; i++) { // who was split off worked as long
      w->splits[i].spent += done;
      w->splits[i].resting = w->splits[i].spent >= slice;
    }
    executed += done;
    c->instructions += done;
    s->expired = false; // it had its one chance to give up
    s->spent += done;
    if (!s->lanes) {
      split_remove(w, 0);
    } else if (s->spent >= slice) { // worked all the time: whatever it polled before, it isn't idle
      s->resting = true;
      s->idle_rounds = 0;
    } else if (s->wait != WAIT_NONE && w->split_count > 1) {
      split_merge_into_first(w);
    }
  }
  return executed;
}
