// Runs a warp for a slice of ops. This is the central loop. In: a warp with runnable splits, and a budget.
// Out: the warp after these ops. One idea: an op decides nothing about the run. The loop only masks the lanes
// whose guard is false, and stops when an op asks for it.
#include "virtual-hopper/execute/run.h"

#include <string.h>

#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/execute/time-op.h"
#include "virtual-hopper/execute/unwritten.h"
#include "virtual-hopper/execute/wgmma-registers.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/machine/trace.h"

static inline uint32_t guarded_lanes(const struct warp *w, const struct op *op, uint32_t lanes) {
  uint32_t mask = *warp_predicate(w, op->guard);
  return lanes & (op->guard_negated ? ~mask : mask);
}

// For a watched cluster (schedule/watch.h). Returns true when an op may change more than the registers and
// the local memory of its threads. Plain stores and atomics compare memory themselves (memory.c, atomic.c).
static bool has_effect(const struct op *op) {
  const struct ptx_instruction *in = op->source;
  if (!in) return false; // the ret or exit that ends every function
  const char *opcode = in->opcode;
  switch (opcode[0]) {
  case 'a': return strcmp(opcode, "applypriority") == 0;
  case 'b':
    return strncmp(opcode, "bar", 3) == 0 && ptx_has_modifier(in, "arrive") &&
           !ptx_has_modifier(in, "cluster");
  case 'c': return strcmp(opcode, "cp") == 0 || (strcmp(opcode, "call") == 0 && op->execute != flow_call);
  case 'd': return strcmp(opcode, "discard") == 0;
  case 'g': return strcmp(opcode, "griddepcontrol") == 0;
  case 'm':
    return strcmp(opcode, "mbarrier") == 0 && !ptx_has_modifier(in, "test_wait") &&
           !ptx_has_modifier(in, "try_wait") && !ptx_has_modifier(in, "pending_count");
  case 'r':
  case 's':
    return strcmp(opcode, "stmatrix") == 0 ||
           ((strcmp(opcode, "st") == 0 || strcmp(opcode, "red") == 0) &&
            (ptx_has_modifier(in, "async") || ptx_has_modifier(in, "bulk")));
  case 't': return strcmp(opcode, "tensormap") == 0;
  case 'w': return strcmp(opcode, "wgmma") == 0 && !ptx_has_modifier(in, "fence");
  default: return false;
  }
}

// Runs before each op of an observed warp: writes the trace, counts changes of a watched cluster, keeps time.
static void look_on(struct warp *w, const struct op *op) {
  struct cluster *c = w->block->cluster;
  if (w->launch->trace) trace_op(w, op);
  if (c->watching && has_effect(op)) c->changes++;
  if (w->launch->products) wgmma_registers_before(w, op);
  if (w->launch->time) time_before_op(w, op);
}

// Runs the first split until an op yields, the split reaches `stop`, or the budget is spent. Returns the
// number of ops. Inlined twice, so that an unobserved warp doesn't pay for observation.
__attribute__((always_inline)) static inline uint32_t run_loop(struct warp *w, uint32_t budget, uint32_t stop,
                                                               bool observed) {
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
    if (observed && w->doubts) unwritten_before(w, op, lanes);
    if (op->guard != OP_NO_REGISTER) {
      w->lanes = guarded_lanes(w, op, lanes);
      if (!w->lanes) {
        if (observed && w->launch->time) time_not_taken(w, op);
        continue;
      }
    }
    if (observed) look_on(w, op);
    op->execute(w, op);
    if (observed && w->launch->time) time_after_op(w, op);
  } while (!w->yield && left && w->pc < stop);
  w->splits[0].pc = w->pc;
  // counting is a call where nothing is known of the processor
  const uint32_t threads = lanes == UINT32_MAX ? WARP_LANES : (uint32_t)__builtin_popcount(lanes);
  w->instructions += (uint64_t)(budget - left) * threads;
  return budget - left;
}

// Two neighbouring fields are not to be written as one vector: that would be an SSE instruction for each op,
// slow wherever a handler has left wider vectors in use.
#if defined(__GNUC__) && !defined(__clang__)
#define WITHOUT_VECTORS __attribute__((optimize("no-tree-slp-vectorize")))
#else
#define WITHOUT_VECTORS
#endif

WITHOUT_VECTORS static uint32_t run_split(struct warp *w, uint32_t budget, uint32_t stop) {
  return run_loop(w, budget, stop, false);
}
WITHOUT_VECTORS static uint32_t run_split_observed(struct warp *w, uint32_t budget, uint32_t stop) {
  return run_loop(w, budget, stop, true);
}

// Each runnable split gets up to `slice` ops in this turn. A split that polls or waits loses the rest of
// its slice.
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
    uint32_t done = w->launch->observed || c->watching || w->doubts ? run_split_observed(w, budget, stop)
                                                                    : run_split(w, budget, stop);
    // New splits have run as many ops as the split that they came from.
    for (uint32_t i = splits; i < w->split_count; i++) {
      w->splits[i].spent += done;
      w->splits[i].resting = w->splits[i].spent >= slice;
    }
    executed += done;
    c->instructions += done;
    s->expired = false; // its wait had expired, and the split has run one op to give up the wait
    s->spent += done;
    if (!s->lanes) {
      split_remove(w, 0);
    } else if (s->spent >= slice) { // the split ran for the whole slice, so it isn't idle, even if it polled
      s->resting = true;
      s->idle_rounds = 0;
    } else if (s->wait != WAIT_NONE && w->split_count > 1) {
      split_merge_into_first(w);
    }
  }
  return executed;
}
