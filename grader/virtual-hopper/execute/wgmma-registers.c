// In: ops of warps that multiply. Out: faults. One idea: the registers that any product of a function uses
// are few and known before it runs. They get numbers, and each op a list of those that it touches, which is
// empty for nearly all ops.
#include "virtual-hopper/execute/wgmma-registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/execute/atomic.h"
#include "virtual-hopper/execute/footprint.h"
#include "virtual-hopper/execute/matrix.h"
#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/execute/move.h"
#include "virtual-hopper/execute/wgmma-moved.h"
#include "virtual-hopper/execute/wgmma.h"
#include "virtual-hopper/machine/program.h"
#include "virtual-hopper/rules/fault-causes.h"

enum { PLACE_UNIT = 4, MOST_TOUCHED = 64 };

struct touched { // by an op: numbers of registers
  // the first `written` ones are written, the `read` ones behind them read; nothing is known of the others
  uint16_t count, written, read;
  uint16_t *registers;
  bool is_move;
  uint16_t from, to; // of a move into a register with a number: numbers plus one; 0: none
};

struct function_registers {
  uint32_t count;   // 0: the function has no products
  uint16_t *number; // by place / PLACE_UNIT: plus one; 0: none
  struct touched *ops;
};

struct wgmma_registers {
  const struct program *program;
  struct function_registers functions[]; // [program->function_count]
};

struct product_register { // of a warp
  // what was moved here: an accumulator, and its product's group; 0: none that was in flight
  const struct op *moved;
  uint64_t moved_group;
  uint64_t group;           // plus one, of the last product that uses it; 0: none
  const struct op *product; // that one
  const struct op *written; // by a thread since the last fence; NULL: not
  bool is_sum;
};

struct warp_products {
  const struct frame *frame;
  uint64_t waited;          // groups before it are done
  const struct op *said;    // the product that was last told of a register in flight
  struct wgmma_wait leaves; // the last wait, if it left groups; else op is NULL
  bool fenced, fenced_since_wait;
  uint32_t count;
  struct product_register registers[];
};

// ---- the launch ------------------------------------------------------------------------------------------

static void *some(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) die("out of memory for the registers of products");
  return memory;
}

static void number_place(struct function_registers *f, uint32_t place) {
  uint16_t *number = &f->number[place / PLACE_UNIT];
  if (!*number) *number = (uint16_t)++f->count;
}

static bool is_move32(const struct op *op) {
  return op->execute == warp_move32 || op->execute == wgmma_move_sum;
}

enum { INTO = 1, OUT_OF = 2 }; // what is moved into a product's register, or out of a sum

static bool spread(const struct op *op, uint8_t *marks) {
  if (!is_move32(op) || op->d == OP_NO_REGISTER) return false;
  uint8_t *to = &marks[op->d / PLACE_UNIT], *from = &marks[op->a / PLACE_UNIT];
  const uint8_t into = *to & INTO & ~*from, out_of = *from & OUT_OF & ~*to;
  *from |= into;
  *to |= out_of;
  return into || out_of;
}

// Compilers give a sum another name before they use it, and make a value under another name before it becomes
// a register of a product. So what moves carry into products' registers, or out of sums, has its number, too.
static void number_moved(struct function_registers *f, const struct function *function) {
  const uint32_t places = function->register_bytes / PLACE_UNIT + 1;
  uint8_t *marks = some(places, 1);
  for (uint32_t i = 0; i < function->op_count; i++) {
    const struct wgmma_plan *plan = function->ops[i].extra;
    if (function->ops[i].execute != wgmma_multiply) continue;
    for (uint32_t k = 0; k < wgmma_sum_registers(plan); k++)
      marks[plan->d[k] / PLACE_UNIT] |= INTO | OUT_OF;
    for (uint32_t k = 0; plan->a_in_registers && k < WGMMA_A_REGISTERS; k++)
      marks[plan->a[k] / PLACE_UNIT] |= INTO;
  }
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < function->op_count; i++)
      more = spread(&function->ops[i], marks) || more;
  }
  for (uint32_t place = 0; place < places; place++)
    if (marks[place]) number_place(f, place * PLACE_UNIT);
  free(marks);
}

static void number_registers(struct function_registers *f, const struct function *function) {
  for (uint32_t i = 0; i < function->op_count; i++) {
    if (function->ops[i].execute != wgmma_multiply) continue;
    if (!f->number) f->number = some(function->register_bytes / PLACE_UNIT + 1, sizeof *f->number);
    const struct wgmma_plan *plan = function->ops[i].extra;
    for (uint32_t k = 0; k < wgmma_sum_registers(plan); k++)
      number_place(f, plan->d[k]);
    for (uint32_t k = 0; plan->a_in_registers && k < WGMMA_A_REGISTERS; k++)
      number_place(f, plan->a[k]);
  }
}

struct finder {
  const struct function_registers *f;
  uint16_t found[MOST_TOUCHED];
  uint32_t count, register_bytes;
};

static void find_place(void *context, uint32_t place, uint32_t lane_bytes) {
  struct finder *finder = context;
  for (uint32_t at = place; at < place + (lane_bytes ? lane_bytes : PLACE_UNIT); at += PLACE_UNIT) {
    const uint16_t number = finder->f->number[at / PLACE_UNIT];
    bool known = !number || finder->count == MOST_TOUCHED;
    for (uint32_t i = 0; i < finder->count && !known; i++)
      known = finder->found[i] == number;
    if (!known) finder->found[finder->count++] = number;
  }
}

static void find_written(struct finder *finder, const struct op *op) {
  const uint32_t bytes = PLACE_UNIT;
  if (op->execute == memory_load || op->execute == memory_load_parameter) {
    const struct access_plan *plan = op->extra;
    for (uint32_t i = 0; i < op->count; i++)
      if (plan->registers[i] != OP_NO_REGISTER) find_place(finder, plan->registers[i], plan->storage);
  } else if (op->execute == atomic_run) {
    const struct atomic_plan *plan = op->extra;
    for (uint32_t i = 0; i < op->count && plan->has_result; i++)
      if (plan->destinations[i] != OP_NO_REGISTER)
        find_place(finder, plan->destinations[i], plan->access.storage);
  } else if (op->execute == matrix_load) {
    const struct matrix_plan *plan = op->extra;
    for (uint32_t i = 0; i < plan->count; i++)
      if (plan->rows.registers[i] != OP_NO_REGISTER) find_place(finder, plan->rows.registers[i], bytes);
  } else if (op->execute != memory_store && op->d != OP_NO_REGISTER) {
    find_place(finder, op->d, bytes);
  }
}

static bool is_move(const struct op *op) {
  return !op->source || strcmp(op->source->opcode, "mov") == 0;
}

static void swap(uint16_t *one, uint16_t *other) {
  const uint16_t kept = *one;
  *one = *other;
  *other = kept;
}

// Brings those of `all` that are in `some_of_them` to the place `from`; returns how many they are.
static uint16_t bring(struct finder *all, uint32_t from, const struct finder *some_of_them) {
  uint32_t end = from;
  for (uint32_t i = 0; i < some_of_them->count; i++)
    for (uint32_t k = end; k < all->count; k++)
      if (all->found[k] == some_of_them->found[i]) {
        swap(&all->found[k], &all->found[end++]);
        break;
      }
  return (uint16_t)(end - from);
}

// The usual places of operands are read, where they aren't written.
static void find_read(struct finder *finder, const struct op *op) {
  const uint32_t places[] = {op->a, op->b, op->c};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (places[i] < finder->register_bytes) find_place(finder, places[i], PLACE_UNIT);
}

static void find_touched(const struct program *program, const struct function_registers *f,
                         const struct function *function, const struct op *op, struct touched *touched) {
  if (op->source && strcmp(op->source->opcode, "wgmma") == 0) return;
  touched->is_move = is_move(op);
  if (is_move32(op) && touched->is_move) {
    touched->to = op->d == OP_NO_REGISTER ? 0 : f->number[op->d / PLACE_UNIT];
    touched->from = f->number[op->a / PLACE_UNIT];
    return;
  }
  struct finder all = {.f = f}, written = all, read = {.f = f, .register_bytes = function->register_bytes};
  footprint_visit_op(&program->executors, op, find_place, &all);
  if (!all.count) return;
  // An op of which nothing is known has d as its result only if it names it.
  find_written(&written, op);
  touched->written = bring(&all, 0, &written); // only what the footprint has, too
  find_read(&read, op);
  touched->read = op->execute == memory_store ? (uint16_t)all.count : bring(&all, touched->written, &read);
  touched->count = (uint16_t)all.count;
  touched->registers = some(all.count, sizeof *touched->registers);
  for (uint32_t i = 0; i < all.count; i++)
    touched->registers[i] = (uint16_t)(all.found[i] - 1);
}

struct wgmma_registers *wgmma_registers_begin(const struct program *program) {
  if (!program->uses_products) return NULL;
  struct wgmma_registers *r = some(1, sizeof *r + program->function_count * sizeof *r->functions);
  r->program = program;
  for (uint32_t i = 0; i < program->function_count; i++) {
    const struct function *function = program->functions[i];
    struct function_registers *f = &r->functions[function->index];
    number_registers(f, function);
    if (!f->count) continue;
    f->ops = some(function->op_count, sizeof *f->ops);
    number_moved(f, function);
    for (uint32_t k = 0; k < function->op_count; k++)
      find_touched(program, f, function, &function->ops[k], &f->ops[k]);
  }
  return r;
}

void wgmma_registers_end(struct wgmma_registers *r) {
  for (uint32_t i = 0; r && i < r->program->function_count; i++) {
    struct function_registers *f = &r->functions[i];
    for (uint32_t k = 0; f->ops && k < r->program->functions[i]->op_count; k++)
      free(f->ops[k].registers);
    free(f->ops);
    free(f->number);
  }
  free(r);
}

// ---- a warp ----------------------------------------------------------------------------------------------

void wgmma_registers_forget(struct warp *w) {
  free(w->products);
  w->products = NULL;
}

// The warp's state, which belongs to the frame that multiplied last; NULL: that is another one.
static struct warp_products *state_of(const struct warp *w) {
  return w->products && w->products->frame == w->splits[0].frame ? w->products : NULL;
}

static struct warp_products *make_state(struct warp *w) {
  struct warp_products *s = state_of(w);
  if (s) return s;
  const struct frame *frame = w->splits[0].frame;
  const struct function_registers *f = &w->launch->products->functions[frame->function->index];
  const bool fenced = w->products && w->products->fenced;
  const uint64_t waited = w->products ? w->products->waited : 0;
  const struct wgmma_wait leaves = w->products ? w->products->leaves : (struct wgmma_wait){0};
  free(w->products);
  s = w->products = some(1, sizeof *s + f->count * sizeof *s->registers);
  s->frame = frame;
  s->count = f->count;
  s->fenced = fenced;
  s->waited = waited;
  s->leaves = leaves;
  return s;
}

static bool in_flight(const struct warp_products *s, const struct product_register *r) {
  return r->group > s->waited;
}

// The product is in a group that the warp has waited for with too large an N.
static void blame_wait(struct warp *w, const struct product_register *r, struct fault *f) {
  const struct wgmma_wait *wait = &w->products->leaves;
  if (!wait->op || r->group > wait->closed) return;
  const size_t used = strlen(f->message);
  struct fault_place *place = &f->related[f->related_count++].place;
  machine_place(place, w->block, wait->op, warp_thread(w, 0));
  snprintf(f->related[f->related_count - 1].role, sizeof f->related[0].role, "waits, and leaves groups");
  snprintf(f->message + used, sizeof f->message - used,
           " The last wait of its warp leaves the newest %u group%s, and this product is in %s.", wait->left,
           wait->left == 1 ? "" : "s", wait->left == 1 ? "it" : "one of them");
  snprintf(f->remedy, sizeof f->remedy,
           "Give that wait a smaller N: with wgmma_wait_until_pending<0>() it leaves none.");
  f->edit = (int)f->related_count;
}

static void report_use(struct warp *w, const struct op *op, const struct product_register *r, bool writes) {
  struct fault fault = {.rule = RULE_REGISTER_IN_FLIGHT, .severity = FAULT_ERROR};
  const bool in_no_group = r->group > wgmma_closed_groups(w);
  snprintf(fault.message, sizeof fault.message,
           "%s still belongs to a product that nobody has waited for: %s %s",
           r->is_sum ? "This accumulator" : "This register of A",
           !r->is_sum ? "the product may read what it holds now, or then."
           : writes   ? "the product will overwrite what is written here, or add to it."
                      : "what is read here may be the sum, or a part of it, or what was there before.",
           in_no_group ? "The product is in no group yet, so no wait is for it."
                       : "Only wgmma.wait_group for its group gives the register back.");
  if (in_no_group && writes)
    snprintf(fault.remedy, sizeof fault.remedy,
             "Write the register before the first product, with wgmma_fence() between the two. To change it "
             "between two products, wait for the first: wgmma_commit_group(), then "
             "wgmma_wait_until_pending<0>(); and wgmma_fence() again before the second.");
  else if (in_no_group)
    snprintf(fault.remedy, sizeof fault.remedy,
             "Close the group, wgmma_commit_group(), after the products and before the wait.");
  snprintf(fault.role, sizeof fault.role,
           writes ? "writes a register of a product" : "reads a register of a product");
  fault.cause = fault_cause(SUBJECT_GROUP, "", 0);
  fault.names_culprit = in_no_group;
  fault.related_count = 1;
  machine_place(&fault.related[0].place, w->block, r->product, warp_thread(w, 0));
  snprintf(fault.related[0].role, sizeof fault.related[0].role, "multiplies with it");
  if (!in_no_group) blame_wait(w, r, &fault);
  warp_fault_each(w, op, &fault);
}

// The register gets another name, and stays the product's under it. from: plus one; 0: it has no number.
static void move(struct warp_products *s, uint16_t from, uint16_t to) {
  static const struct product_register nothing;
  const struct product_register *r = from ? &s->registers[from - 1] : &nothing;
  struct product_register *d = &s->registers[to - 1];
  const bool sum = r->is_sum && in_flight(s, r);
  d->moved = sum ? r->product : r->moved;
  d->moved_group = sum ? r->group : r->moved_group;
  d->written = r->written;
}

static void forget(struct product_register *r) {
  r->moved_group = 0;
  r->written = NULL;
}

// ---- before an op ----------------------------------------------------------------------------------------

static bool is_read(const struct touched *t, uint32_t i) {
  return i >= t->written && i < t->written + t->read;
}

// A register with a pair of halves is taken apart before anything is computed with them.
static bool takes_apart(const struct op *op) {
  return op->execute == warp_unpack_2x16;
}

// Returns whether the op may not touch its register number i.
static bool is_reported(struct warp *w, const struct op *op, const struct touched *t, uint32_t i) {
  const struct warp_products *s = w->products;
  struct product_register r = s->registers[t->registers[i]];
  const bool renamed = !in_flight(s, &r); // is it the other name of one?
  if (renamed && (!is_read(t, i) || r.moved_group <= s->waited)) return false;
  if (renamed || t->is_move) {
    if (!wgmma_is_used(w->launch->products->program, w->splits[0].frame->function, op)) return false;
  }
  if (renamed) {
    r.product = r.moved;
    r.is_sum = true;
  }
  report_use(w, op, &r, i < t->written);
  return true;
}

void wgmma_registers_before(struct warp *w, const struct op *op) {
  const struct frame *frame = w->splits[0].frame;
  const struct function_registers *f = &w->launch->products->functions[frame->function->index];
  if (!f->count) return;
  const struct touched *t = &f->ops[op - frame->function->ops];
  if (!t->to && !t->count) return;
  struct warp_products *s = make_state(w);
  if (t->to) move(s, t->from, t->to);
  for (uint32_t i = 0; i < t->count; i++) {
    struct product_register *r = &s->registers[t->registers[i]];
    if (t->is_move) {
      if (takes_apart(op) && is_read(t, i) && is_reported(w, op, t, i)) return;
      if (!in_flight(s, r)) forget(r);
      continue;
    }
    if (op->execute != wgmma_run_moved && is_reported(w, op, t, i)) return;
    if (!is_read(t, i)) forget(r);
    if (i < t->written) r->written = op;
  }
}

static void report_no_fence(struct warp *w, const struct op *op, const struct op *written) {
  struct fault fault = {.rule = RULE_WGMMA_FENCE, .severity = FAULT_ERROR};
  snprintf(fault.role, sizeof fault.role, "multiplies");
  snprintf(fault.message, sizeof fault.message,
           written
               ? "A register of this product was written after the warp's last wgmma.fence, so the product "
                 "may still find the old value in it."
               : "A warp needs a wgmma.fence before its first product: what it has written to the "
                 "registers isn't ordered before the product otherwise.");
  if (written) {
    fault.related_count = 1;
    machine_place(&fault.related[0].place, w->block, written, warp_thread(w, 0));
    snprintf(fault.related[0].role, sizeof fault.related[0].role, "writes that register");
  }
  warp_fault_each(w, op, &fault);
}

static void forget_written(struct warp_products *s) {
  for (uint32_t i = 0; i < s->count; i++)
    s->registers[i].written = NULL;
}

static bool same_sums(const struct op *one, const struct op *other) {
  const struct wgmma_plan *a = one->extra, *b = other->extra;
  return a->columns == b->columns && a->sum_type == b->sum_type;
}

// A register belongs to a product that is under way. Only products of one shape may add to the same
// accumulators, and any number of products may read the same A.
static void check_shared(struct warp *w, struct warp_products *s, uint16_t number, bool is_sum,
                         const struct op *op) {
  struct product_register r = s->registers[number - 1];
  if (!is_sum && r.moved_group > s->waited) {
    r.product = r.moved;
    r.group = r.moved_group;
    r.is_sum = true;
  }
  if (!in_flight(s, &r) || s->said == op) return;
  if (r.is_sum == is_sum && (!is_sum || same_sums(r.product, op))) return;
  report_use(w, op, &r, is_sum);
  s->said = op;
}

static void issue_register(struct warp_products *s, uint16_t number, bool is_sum, const struct op *op,
                           uint64_t group, const struct op **written) {
  struct product_register *r = &s->registers[number - 1];
  r->is_sum = is_sum;
  if (r->written && !*written) *written = r->written;
  r->written = NULL;
  r->group = group + 1;
  r->product = op;
}

void wgmma_registers_issue(struct warp *w, const struct op *op, uint64_t group) {
  struct warp_products *s = make_state(w);
  const struct function_registers *f = &w->launch->products->functions[s->frame->function->index];
  const struct wgmma_plan *plan = op->extra;
  const struct op *written = NULL; // what writes one of them
  s->said = NULL;
  for (uint32_t i = 0; i < wgmma_sum_registers(plan); i++)
    check_shared(w, s, f->number[plan->d[i] / PLACE_UNIT], true, op);
  for (uint32_t i = 0; plan->a_in_registers && i < WGMMA_A_REGISTERS; i++)
    check_shared(w, s, f->number[plan->a[i] / PLACE_UNIT], false, op);
  for (uint32_t i = 0; i < wgmma_sum_registers(plan); i++)
    issue_register(s, f->number[plan->d[i] / PLACE_UNIT], true, op, group, &written);
  for (uint32_t i = 0; plan->a_in_registers && i < WGMMA_A_REGISTERS; i++)
    issue_register(s, f->number[plan->a[i] / PLACE_UNIT], false, op, group, &written);
  // Compilers move arithmetic behind a fence that the source has after it, and ptxas knows: so any fence
  // since the last wait will do, but by the letter. For a debugger each register is read from local memory
  // right before the product, behind any fence of the source; the assembler adds one of its own then.
  if ((s->fenced_since_wait && !w->launch->strict) || op->module->is_debug) written = NULL;
  if (s->fenced && !written) return;
  report_no_fence(w, op, s->fenced ? written : NULL);
  forget_written(s); // one report for one missing fence
  s->fenced = true;
}

void wgmma_registers_fence(struct warp *w) {
  struct warp_products *s = make_state(w);
  s->fenced = s->fenced_since_wait = true;
  forget_written(s);
}

void wgmma_registers_wait(struct warp *w, uint64_t end, const struct wgmma_wait *wait) {
  struct warp_products *s = make_state(w);
  s->leaves = *wait;
  if (!wait->left) s->leaves.op = NULL;
  if (end <= s->waited) return;
  s->waited = end;
  s->fenced_since_wait = false;
}
