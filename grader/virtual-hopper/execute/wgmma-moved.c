// In: an op, and its function's text. Out: whether a compiler has put it before a wait. One idea: what a
// compiler may move is arithmetic; so it is searched where its result first leaves the registers, and the
// lines of the source tell on which side of the wait it was written.
#include "virtual-hopper/execute/wgmma-moved.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/execute/atomic.h"
#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/execute/footprint.h"
#include "virtual-hopper/execute/matrix.h"
#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/execute/move.h"
#include "virtual-hopper/machine/program.h"

enum { PLACE_UNIT = 4, MOST_CHAIN = 16 };

// ---- where the result goes --------------------------------------------------------------------------------

struct taint {
  const uint8_t *marks; // by place / PLACE_UNIT
  uint32_t result;      // of the op, which doesn't count
  bool met;
};

static void find_taint(void *context, uint32_t place, uint32_t lane_bytes) {
  struct taint *taint = context;
  for (uint32_t at = place; at < place + (lane_bytes ? lane_bytes : PLACE_UNIT); at += PLACE_UNIT)
    taint->met = taint->met || (at != taint->result && taint->marks[at / PLACE_UNIT]);
}

static bool is_use(const struct op *op) {
  return op->execute == memory_store || op->execute == atomic_run || op->execute == matrix_store ||
         op->execute == wgmma_multiply || op->execute == flow_branch;
}

static uint8_t *marks_for(const struct function *function, const struct op *op) {
  uint8_t *marks = calloc(function->register_bytes / PLACE_UNIT + 1, 1);
  if (!marks) die("out of memory for the registers of products");
  if (op->d < function->register_bytes) marks[op->d / PLACE_UNIT] = 1;
  if (op->execute == warp_unpack_2x16) marks[op->target / PLACE_UNIT] = 1;
  return marks;
}

// Whether o uses what is marked; what it makes of it is marked, too.
static bool uses(const struct program *program, const struct function *function, const struct op *o,
                 uint8_t *marks) {
  const bool has_result = !is_use(o) && o->d < function->register_bytes;
  const bool again = has_result && (o->d == o->a || o->d == o->b || o->d == o->c);
  struct taint taint = {.marks = marks, .result = has_result && !again ? o->d : OP_NO_REGISTER};
  footprint_visit_op(&program->executors, o, find_taint, &taint);
  if (has_result) marks[o->d / PLACE_UNIT] = taint.met && o->execute != memory_load;
  return taint.met && is_use(o);
}

bool wgmma_is_used(const struct program *program, const struct function *function, const struct op *op) {
  if (is_use(op)) return true;
  uint8_t *marks = marks_for(function, op);
  bool used = false;
  const struct op *end = function->ops + function->op_count;
  for (const struct op *o = op + 1; o < end && !used && o->execute != wgmma_wait; o++)
    used = uses(program, function, o, marks);
  free(marks);
  return used;
}

// ---- the lines --------------------------------------------------------------------------------------------

// The places of the op in the source, the outermost one first; returns how many they are.
static uint32_t chain_of(const struct op *op, const struct ptx_location *chain[MOST_CHAIN]) {
  uint32_t count = 0;
  for (int32_t at = op->source ? op->source->location : -1; at >= 0 && count < MOST_CHAIN;
       at = op->module->locations[at].inlined_at)
    chain[count++] = &op->module->locations[at];
  for (uint32_t i = 0; i < count / 2; i++) {
    const struct ptx_location *kept = chain[i];
    chain[i] = chain[count - 1 - i];
    chain[count - 1 - i] = kept;
  }
  return count;
}

// Whether the source certainly has `one` on a line before that of `other`.
static bool is_before(const struct op *one, const struct op *other) {
  const struct ptx_location *a[MOST_CHAIN], *b[MOST_CHAIN];
  const uint32_t a_count = chain_of(one, a), b_count = chain_of(other, b);
  for (uint32_t i = 0; i < a_count && i < b_count; i++) {
    if (a[i]->file != b[i]->file || !a[i]->line || !b[i]->line) return false;
    if (a[i]->line != b[i]->line) return a[i]->line < b[i]->line;
    if (a[i]->column != b[i]->column) return false;
  }
  return false;
}

// Without a place of its own an instruction has that of the one before it.
static bool has_borrowed_place(const struct function *function, const struct op *op) {
  const int32_t location = op->source->location;
  for (uint32_t i = 0; i < function->op_count; i++) {
    const struct ptx_instruction *in = function->ops[i].source;
    if (in && in->location == location && strcmp(in->opcode, "wgmma") == 0) return true;
  }
  return false;
}

// ---- moved? -----------------------------------------------------------------------------------------------

static bool is_arithmetic(const struct op *op) {
  static const char *const opcodes[] = {"abs", "add",   "and",   "bfe",  "bfi",  "copysign", "cos",   "cvt",
                                        "div", "ex2",   "fma",   "lg2",  "lop3", "mad",      "max",   "min",
                                        "mov", "mul",   "mul24", "neg",  "not",  "or",       "prmt",  "rcp",
                                        "rem", "rsqrt", "sad",   "selp", "set",  "setp",     "shf",   "shl",
                                        "shr", "sin",   "slct",  "sqrt", "sub",  "tanh",     "testp", "xor"};
  if (!op->source || is_use(op) || op->execute == wgmma_move_sum) return false;
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
    if (strcmp(op->source->opcode, opcodes[i]) == 0) return true;
  return false;
}

struct sums {
  const uint8_t *is_sum;
  struct wgmma_moved *moved;
};

static void find_sum(void *context, uint32_t place, uint32_t lane_bytes) {
  struct sums *sums = context;
  struct wgmma_moved *m = sums->moved;
  for (uint32_t at = place; at < place + (lane_bytes ? lane_bytes : PLACE_UNIT); at += PLACE_UNIT)
    if (m->count < WGMMA_MOST_MOVED && sums->is_sum[at]) m->sums[m->count++] = at;
}

static bool adds_to(const struct op *op, uint32_t place) {
  const struct wgmma_plan *plan = op->extra;
  bool found = false;
  for (uint32_t i = 0; i < wgmma_sum_registers(plan) && !found; i++)
    found = plan->d[i] == place;
  return found;
}

// How many groups the text ends between the last product on this sum and the op; many: there is none.
static uint32_t groups_since(const struct function *function, const struct op *op, uint32_t place) {
  enum { MANY = 1 << 20 };
  uint32_t groups = 0;
  for (const struct op *o = op; o-- > function->ops;) {
    groups += o->execute == wgmma_commit;
    if (o->execute == wgmma_multiply && adds_to(o, place)) return groups;
  }
  return MANY;
}

// A branch back: is the first wait behind its target one that the source has before the op?
static bool is_behind_there(const struct function *function, const struct op *branch, const struct op *op) {
  if (branch->execute != flow_branch || &function->ops[branch->target] > branch) return false;
  const struct op *o = &function->ops[branch->target];
  while (o < branch && o->execute != wgmma_wait)
    o++;
  return o < branch && !is_before(op, o);
}

bool wgmma_is_moved(const struct program *program, const struct function *function, const struct op *op,
                    const uint8_t *is_sum, struct wgmma_moved *m) {
  struct sums sums = {is_sum, m};
  m->count = 0;
  // For a debugger each sum is put into local memory at once. The assembler lets each product end before the
  // next instruction then.
  const bool is_serial = op->module->is_debug && op->execute != wgmma_multiply;
  if (!is_serial && !is_arithmetic(op)) return false;
  footprint_visit_op(&program->executors, op, find_sum, &sums);
  if (!m->count || is_serial) return m->count > 0;
  const struct op *end = function->ops + function->op_count;
  uint32_t groups = groups_since(function, op, m->sums[0]);
  uint8_t *marks = marks_for(function, op);
  bool moved = false, used = false, behind = false;
  for (const struct op *o = op + 1; o < end && !used && !moved; o++) {
    used = uses(program, function, o, marks);
    groups += o->execute == wgmma_commit;
    behind = behind || is_behind_there(function, o, op);
    if (o->execute != wgmma_wait) continue;
    behind = behind || !is_before(op, o);
    moved = groups > (uint64_t)o->immediate;
  }
  free(marks);
  return moved && (behind || has_borrowed_place(function, op));
}
