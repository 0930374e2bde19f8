// Finds what control can reach, whatever the data are. In: a place in the code. Out: whether control may
// reach a wanted instruction. One idea: every branch may go either way, and a call may do anything. So "no"
// is certain, and "yes" means "perhaps".
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/diagnose/internal.h"
#include "virtual-hopper/execute/barrier.h"
#include "virtual-hopper/execute/flow.h"

struct walk {
  const struct function *function;
  bool *seen;     // [op_count]
  uint32_t *left; // places that are not checked yet
  uint32_t count;
};

static void add(struct walk *w, uint32_t pc) {
  if (pc >= w->function->op_count || w->seen[pc]) return;
  w->seen[pc] = true;
  w->left[w->count++] = pc;
}

static void add_successors(struct walk *w, uint32_t pc) {
  const struct op *op = &w->function->ops[pc];
  const bool leaves = op->execute == flow_branch || op->execute == flow_branch_table ||
                      op->execute == flow_return || op->execute == flow_exit || op->execute == flow_trap;
  if (!leaves || op->guard != OP_NO_REGISTER) add(w, pc + 1);
  if (op->execute == flow_branch) add(w, op->target);
  if (op->execute != flow_branch_table) return;
  const uint32_t *targets = op->extra;
  for (int64_t i = 0; i < op->immediate; i++)
    add(w, targets[i]);
}

static bool leads_within(const struct function *f, uint32_t pc, reach_wanted *wanted, uint64_t what) {
  struct walk w = {.function = f, .seen = calloc(f->op_count, sizeof *w.seen)};
  w.left = calloc(f->op_count, sizeof *w.left);
  if (!w.seen || !w.left) die("out of memory for a report");
  bool found = false;
  add(&w, pc);
  while (w.count && !found) {
    uint32_t at = w.left[--w.count];
    found = f->ops[at].execute == flow_call || wanted(f, &f->ops[at], what);
    add_successors(&w, at);
  }
  free(w.seen);
  free(w.left);
  return found;
}

bool reach_may_lead(const struct frame *frame, uint32_t pc, reach_wanted *wanted, uint64_t what) {
  for (; frame; pc = frame->return_pc, frame = frame->caller)
    if (leads_within(frame->function, pc, wanted, what)) return true;
  return false;
}

static bool leaves(const struct function *f, const struct op *op, uint64_t what) {
  (void)what;
  const bool last = op == &f->ops[f->op_count - 1];
  return op->execute == flow_return || op->execute == flow_exit || op->execute == flow_trap ||
         (last && (op->execute != flow_branch || op->guard != OP_NO_REGISTER));
}

bool reach_may_leave(const struct frame *frame, uint32_t pc) {
  return leads_within(frame->function, pc, leaves, 0);
}

bool reach_is_barrier(const struct function *f, const struct op *op, uint64_t what) {
  if (op->execute != barrier_cta) return false;
  for (uint32_t i = 0; i < f->constant_count; i++)
    if (f->constants[i].offset == op->a) return f->constants[i].value == what;
  return true; // the number of the barrier is computed at run time
}

bool reach_is_op(const struct function *f, const struct op *op, uint64_t what) {
  (void)f;
  return (uint64_t)(uintptr_t)op == what;
}

bool reach_is_signal(const struct function *f, const struct op *op, uint64_t what) {
  (void)f;
  (void)what;
  const struct ptx_instruction *in = op->source;
  if (!in) return false;
  if (strcmp(in->opcode, "mbarrier") == 0)
    return ptx_has_modifier(in, "arrive") || ptx_has_modifier(in, "arrive_drop") ||
           ptx_has_modifier(in, "complete_tx");
  return ptx_has_modifier(in, "mbarrier") || ptx_has_modifier(in, "mbarrier::complete_tx::bytes");
}
