// Finds what control can reach, whatever the data are. In: a place in the code. Out: whether control may
// reach a wanted instruction. One idea: every branch may go either way, and a call may do anything. So "no"
// is certain, and "yes" means "perhaps".
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/diagnose/internal.h"
#include "virtual-hopper/diagnose/way-out.h"
#include "virtual-hopper/execute/barrier.h"
#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/execute/mbarrier.h"

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

// ---- past a wait ------------------------------------------------------------------------------------------

// One function's ops, and a walk over them that never enters `stop`.
struct graph {
  const struct function *function;
  const struct op *stop;
};

// Marks in `seen` all ops that control can reach from behind the op at `pc`, without `stop`.
static void mark_after(const struct graph *g, uint32_t pc, bool *seen) {
  struct walk w = {.function = g->function, .seen = seen};
  w.left = calloc(g->function->op_count, sizeof *w.left);
  if (!w.left) die("out of memory for a report");
  add_successors(&w, pc);
  while (w.count) {
    const uint32_t at = w.left[--w.count];
    if (&g->function->ops[at] != g->stop) add_successors(&w, at);
  }
  free(w.left);
}

// Marks the ops from which control can come back to the op at `pc`, without `stop`: of those in `after`.
static void mark_loop(const struct graph *g, uint32_t pc, const bool *after, bool *loop) {
  const struct function *f = g->function;
  struct walk w = {.function = f, .seen = calloc(f->op_count, sizeof *w.seen)};
  w.left = calloc(f->op_count, sizeof *w.left);
  if (!w.seen || !w.left) die("out of memory for a report");
  for (bool grown = true; grown;) {
    grown = false;
    for (uint32_t i = f->op_count; i-- > 0;) {
      if (loop[i] || !after[i] || &f->ops[i] == g->stop) continue;
      add_successors(&w, i);
      while (w.count) {
        const uint32_t next = w.left[--w.count];
        w.seen[next] = false;
        grown |= !loop[i] && (next == pc || loop[next]);
        loop[i] |= next == pc || loop[next];
      }
    }
  }
  free(w.seen);
  free(w.left);
}

// The loop around a wait, for asking whether it asks for the same thing again.
struct turn {
  const struct function *function;
  const bool *loop;
};

static bool varies(const struct turn *t, const struct ptx_operand *operand, uint32_t depth);

// A result that depends on the operands alone.
static bool is_calculated(const struct ptx_instruction *in) {
  static const char *const opcodes[] = {"mov", "add", "sub", "mul", "mad", "shl", "shr",
                                        "and", "or",  "xor", "not", "cvt", "cvta"};
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
    if (strcmp(in->opcode, opcodes[i]) == 0) return true;
  return false;
}

static bool is_register(const struct ptx_operand *operand) {
  return operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_NOT ||
         operand->kind == PTX_OPERAND_NEGATED;
}

static bool names_register(const struct ptx_operand *operand, uint32_t index) {
  if (is_register(operand)) return operand->register_index == index;
  for (uint32_t i = 0; i < operand->count; i++)
    if (names_register(&operand->elements[i], index)) return true;
  return false;
}

// What a turn gives the register: something else than the turn before, perhaps.
static bool register_varies(const struct turn *t, uint32_t index, uint32_t depth) {
  enum { DEEPEST = 8 };
  for (uint32_t i = 0; i < t->function->op_count; i++) {
    const struct ptx_instruction *in = t->function->ops[i].source;
    if (!t->loop[i] || !in || !in->operand_count || !names_register(&in->operands[0], index)) continue;
    if (strcmp(in->opcode, "mbarrier") == 0 && !is_register(&in->operands[0])) continue;
    if (depth == DEEPEST || in->guard >= 0 || !is_calculated(in)) return true;
    for (uint32_t k = 1; k < in->operand_count; k++)
      if (varies(t, &in->operands[k], depth + 1)) return true;
  }
  return false;
}

static bool varies(const struct turn *t, const struct ptx_operand *operand, uint32_t depth) {
  if (is_register(operand)) return register_varies(t, operand->register_index, depth);
  for (uint32_t i = 0; i < operand->count; i++)
    if (varies(t, &operand->elements[i], depth)) return true;
  return false;
}

static bool ends(const struct op *op) {
  return op->execute == flow_return || op->execute == flow_exit;
}

// A loop that only asks again names the same barrier and the same parity in each turn. Any other loop with
// the wait in it is one that control may go round without `stop`.
static bool can_avoid(const struct graph *g, uint32_t pc) {
  const struct function *f = g->function;
  const struct ptx_instruction *in = f->ops[pc].source;
  bool *after = calloc(f->op_count, sizeof *after), *loop = calloc(f->op_count, sizeof *loop);
  if (!after || !loop) die("out of memory for a report");
  mark_after(g, pc, after);
  mark_loop(g, pc, after, loop);
  bool avoids = f->ops[pc].execute != execute_mbarrier_wait && after[pc];
  for (uint32_t i = 0; i < f->op_count; i++)
    avoids |= after[i] && &f->ops[i] != g->stop && ends(&f->ops[i]);
  const struct turn turn = {.function = f, .loop = loop};
  for (uint32_t k = 1; after[pc] && in && k < in->operand_count && k < 3 && !avoids; k++)
    avoids = varies(&turn, &in->operands[k], 0);
  free(after);
  free(loop);
  return avoids;
}

bool reach_must_pass(const struct frame *frame, const struct op *wait, const struct op *stop) {
  uint32_t pc = (uint32_t)(wait - frame->function->ops);
  for (; frame; pc = frame->return_pc - 1, frame = frame->caller) {
    const struct function *f = frame->function;
    if (pc >= f->op_count) return false;
    if (stop < f->ops || stop >= f->ops + f->op_count) continue;
    const struct graph g = {.function = f, .stop = stop};
    return !can_avoid(&g, pc);
  }
  return false;
}

// ---- the way out ------------------------------------------------------------------------------------------

// works: whether something may be done on the way, though not `op`.
static bool leads_out(const struct function *f, uint32_t pc, const struct op *op, bool works) {
  for (uint32_t steps = 0; pc < f->op_count && steps < f->op_count; steps++) {
    const struct op *at = &f->ops[pc];
    const bool branches = at->execute == flow_branch || at->execute == flow_branch_table || ends(at);
    if (branches && at->guard != OP_NO_REGISTER) return false;
    if (ends(at)) return true;
    if (branches ? at->execute != flow_branch : !works || at == op || at->execute == flow_call) return false;
    pc = branches ? at->target : pc + 1;
  }
  return false;
}

static const struct op *find_way_out(const struct function *f, const struct op *op, bool works) {
  const struct op *found = NULL;
  if (op < f->ops || op >= f->ops + f->op_count) return NULL;
  for (uint32_t i = 0; i + 1 < f->op_count; i++) {
    const struct op *at = &f->ops[i];
    const bool out = at->guard != OP_NO_REGISTER &&
                     (ends(at) || (at->execute == flow_branch && leads_out(f, at->target, op, works)));
    if (!out || !leads_within(f, i + 1, reach_is_op, (uint64_t)(uintptr_t)op)) continue;
    if (leads_within(f, (uint32_t)(op - f->ops), reach_is_op, (uint64_t)(uintptr_t)at))
      continue; // a loop's end
    if (found) return NULL;
    found = at;
  }
  return found;
}

static const struct op *way_out_before(const struct function *f, const struct op *op) {
  const struct op *straight = find_way_out(f, op, false);
  return straight ? straight : find_way_out(f, op, true);
}

const struct op *reach_way_out(const struct frame *frame, const struct op *op) {
  while (frame->caller)
    frame = frame->caller;
  return way_out_before(frame->function, op);
}

const struct op *way_out_of_cluster(const struct function *kernel) {
  const struct op *last = NULL;
  for (uint32_t i = 0; i < kernel->op_count; i++)
    if (kernel->ops[i].execute == barrier_cluster_wait) last = &kernel->ops[i];
  return last ? way_out_before(kernel, last) : NULL;
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
