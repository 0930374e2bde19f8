// Which registers are live (live.h): the usual backward data-flow analysis over a function's ops. One idea: a
// register wrongly taken for live only prevents a proof. So in case of doubt a register counts as read, and
// not as written. But one that nothing has written on any way to an op holds no value there: libcu++'s
// try_wait_for() reads such a register, whose place in the frame another one uses until then.
#include "virtual-hopper/schedule/live.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/execute/flow.h"

enum { MOST_WORK = 256 << 20 }; // words, of an analysis of one function

struct live {
  const struct function *function;
  size_t words;    // of a set
  uint64_t *sets;  // [op_count][words]: the live registers before each op; NULL: take all
  uint64_t *fresh; // [words]
};

// Operand 0 is written and nothing else is, in all running lanes; or it is an address, as in mbarrier.init.
bool live_writes_first(const struct ptx_instruction *in) {
  static const char *const writers[] = {
      "add",  "sub",      "mul",          "mad",        "fma",      "min",        "max",   "and",
      "or",   "xor",      "not",          "shl",        "shr",      "setp",       "set",   "selp",
      "mov",  "cvt",      "ld",           "atom",       "neg",      "abs",        "cvta",  "div",
      "rem",  "lop3",     "popc",         "clz",        "bfe",      "shf",        "sad",   "rcp",
      "vote", "mapa",     "cnot",         "mbarrier",   "bfi",      "bfind",      "brev",  "prmt",
      "slct", "mul24",    "mad24",        "ex2",        "lg2",      "sqrt",       "rsqrt", "sin",
      "cos",  "copysign", "createpolicy", "getctarank", "isspacep", "activemask", NULL};
  for (const char *const *name = writers; *name; name++)
    if (strcmp(in->opcode, *name) == 0) return true;
  return false;
}

static void set_bit(uint64_t *set, uint32_t index, bool value) {
  if (value)
    set[index / 64] |= 1ull << index % 64;
  else
    set[index / 64] &= ~(1ull << index % 64);
}

static void visit_operand(uint64_t *set, const struct ptx_operand *operand, bool written) {
  bool is_register = operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_NOT ||
                     operand->kind == PTX_OPERAND_NEGATED;
  if (is_register) set_bit(set, operand->register_index, !written);
  bool addressing = operand->kind == PTX_OPERAND_ADDRESS || operand->kind == PTX_OPERAND_TENSOR;
  for (uint32_t i = 0; i < operand->count; i++)
    visit_operand(set, &operand->elements[i], written && !addressing);
}

static void add_set(const struct live *l, uint64_t *to, uint32_t pc) {
  if (pc >= l->function->op_count) return;
  for (size_t i = 0; i < l->words; i++)
    to[i] |= l->sets[pc * l->words + i];
}

// The live registers after an op: those before any op that may follow.
static void add_successors(const struct live *l, uint64_t *to, uint32_t pc) {
  const struct op *op = &l->function->ops[pc];
  bool leaves = op->execute == flow_branch || op->execute == flow_branch_table ||
                op->execute == flow_return || op->execute == flow_exit || op->execute == flow_trap;
  if (!leaves || op->guard != OP_NO_REGISTER) add_set(l, to, pc + 1);
  if (op->execute == flow_branch) add_set(l, to, op->target);
  if (op->execute != flow_branch_table) return;
  const uint32_t *targets = op->extra;
  for (int64_t i = 0; i < op->immediate; i++)
    add_set(l, to, targets[i]);
}

// One instruction may have become several ops: its results are written when the last of them ends.
static bool is_last(const struct function *f, uint32_t pc) {
  return pc + 1 == f->op_count || f->ops[pc + 1].source != f->ops[pc].source;
}

// True when the set before the op has grown.
static bool pass(struct live *l, uint32_t pc) {
  const struct ptx_instruction *in = l->function->ops[pc].source;
  memset(l->fresh, 0, l->words * sizeof *l->fresh);
  add_successors(l, l->fresh, pc);
  bool writes = in && in->guard < 0 && live_writes_first(in);
  if (writes && in->operand_count && is_last(l->function, pc))
    visit_operand(l->fresh, &in->operands[0], true);
  for (uint32_t k = writes; in && k < in->operand_count; k++)
    visit_operand(l->fresh, &in->operands[k], false);
  if (in && in->guard >= 0) set_bit(l->fresh, (uint32_t)in->guard, true);
  uint64_t *set = &l->sets[pc * l->words];
  bool grown = false;
  for (size_t i = 0; i < l->words; i++) {
    grown = grown || (l->fresh[i] & ~set[i]);
    set[i] |= l->fresh[i];
  }
  return grown;
}

// Returns the words that one pass reads and writes; UINT64_MAX: more than MOST_WORDS.
static uint64_t work_of_pass(const struct function *f, size_t words) {
  enum { MOST_WORDS = 8 << 20 };
  uint64_t sets = f->op_count;
  for (uint32_t pc = 0; pc < f->op_count && sets <= MOST_WORDS; pc++)
    if (f->ops[pc].execute == flow_branch_table) sets += (uint64_t)f->ops[pc].immediate;
  return sets > MOST_WORDS || sets * words > MOST_WORDS ? UINT64_MAX : sets * words;
}

// Returns false when the sets are not complete after more work than a function of usual size needs.
static bool complete(struct live *l, uint64_t work) {
  bool grown = true;
  for (uint64_t done = 0; grown; done += work) {
    if (done > MOST_WORK) return false;
    grown = false;
    for (uint32_t pc = l->function->op_count; pc-- > 0;)
      grown = pass(l, pc) || grown;
  }
  return true;
}

// Adds to `sets` what may have been written before each op that may follow this one. True: one has grown.
static bool spread(const struct live *l, uint64_t *sets, const uint64_t *after, uint32_t pc) {
  if (pc >= l->function->op_count) return false;
  bool grown = false;
  for (size_t i = 0; i < l->words; i++) {
    uint64_t *set = &sets[pc * l->words + i];
    grown = grown || (after[i] & ~*set);
    *set |= after[i];
  }
  return grown;
}

static bool pass_forward(const struct live *l, uint64_t *sets, uint32_t pc) {
  const struct op *op = &l->function->ops[pc];
  const struct ptx_instruction *in = op->source;
  memcpy(l->fresh, &sets[pc * l->words], l->words * sizeof *l->fresh);
  for (uint32_t k = 0; in && k < in->operand_count; k++)
    visit_operand(l->fresh, &in->operands[k], false);
  bool grown = spread(l, sets, l->fresh, pc + 1);
  if (op->execute == flow_branch) grown = spread(l, sets, l->fresh, op->target) || grown;
  const uint32_t *targets = op->extra;
  for (int64_t i = 0; op->execute == flow_branch_table && i < op->immediate; i++)
    grown = spread(l, sets, l->fresh, targets[i]) || grown;
  return grown;
}

// Takes out of the sets what nothing has written on any way there. In case of doubt a register counts as
// written: each one that an instruction names, and whatever a function may have been handed.
static void drop_unwritten(struct live *l, uint64_t work) {
  if (!l->function->is_entry) return;
  const size_t words = l->function->op_count * l->words;
  uint64_t *sets = calloc(words, sizeof *sets), done = 0;
  if (!sets) die("out of memory for a proof");
  bool grown = true;
  for (; grown && done <= MOST_WORK; done += work) {
    grown = false;
    for (uint32_t pc = 0; pc < l->function->op_count; pc++)
      grown = pass_forward(l, sets, pc) || grown;
  }
  for (size_t i = 0; i < words && !grown; i++)
    l->sets[i] &= sets[i];
  free(sets);
}

struct live *live_find(const struct function *f) {
  struct live *l = calloc(1, sizeof *l);
  if (!l) die("out of memory for a proof");
  *l = (struct live){.function = f, .words = f->source->register_count / 64 + 1};
  const uint64_t work = work_of_pass(f, l->words);
  if (work == UINT64_MAX) return l;
  l->sets = calloc((size_t)f->op_count * l->words, sizeof *l->sets);
  l->fresh = calloc(l->words, sizeof *l->fresh);
  if (!l->sets || !l->fresh) die("out of memory for a proof");
  if (complete(l, work)) {
    drop_unwritten(l, work);
  } else {
    free(l->sets);
    l->sets = NULL;
  }
  return l;
}

void live_destroy(struct live *l) {
  if (!l) return;
  free(l->sets);
  free(l->fresh);
  free(l);
}

static uint32_t bytes_of(enum ptx_type type) {
  size_t bytes = ptx_type_size(type);
  return type == PTX_PRED ? 0 : bytes <= 4 ? 4 : (uint32_t)bytes;
}

void live_each(const struct live *l, uint32_t pc, const uint64_t *among, live_visit *visit, void *context) {
  const struct function *f = l->function;
  if (pc >= f->op_count) return;
  for (uint32_t r = 0; r < f->source->register_count; r++)
    if ((!l->sets || l->sets[pc * l->words + r / 64] >> r % 64 & 1) &&
        (!among || among[r / 64] >> r % 64 & 1))
      visit(context, f->register_places[r], bytes_of(f->source->registers[r].type));
}
