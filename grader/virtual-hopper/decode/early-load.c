// Loads that nvcc has taken out of a branch or a loop. In: the op of an ordinary load. Out: for which lanes
// its value matters. One idea: in `x = first ? tile[0] : 0` nvcc lets every lane load, and lets a selp, or an
// and of two predicates, choose afterwards; or only lanes that enter a branch use what all have loaded before
// it. The program's text has no access in the other lanes, so none is judged. Where the choice depends on
// what is computed after the load, as in each turn of a loop, no lane is: better a miss than a false
// accusation.
#include <string.h>

#include "virtual-hopper/decode/access.h"
#include "virtual-hopper/execute/memory.h"

static bool is_register(const struct ptx_operand *operand, uint32_t index) {
  return operand->kind == PTX_OPERAND_REGISTER && operand->register_index == index;
}

// Nothing but its first operand comes of it.
static bool passes_on(const struct ptx_instruction *in) {
  static const char *const opcodes[] = {"add", "sub", "mul", "mad", "fma", "mov", "cvt", "setp", "and", "or",
                                        "xor", "not", "shl", "shr", "min", "max", "neg", "abs",  NULL};
  if (in->guard >= 0 || in->operand_count < 2 || in->operands[0].kind != PTX_OPERAND_REGISTER) return false;
  for (const char *const *opcode = opcodes; *opcode; opcode++)
    if (strcmp(in->opcode, *opcode) == 0) return true;
  return false;
}

// The predicate has the same value at the load as at the choice.
static bool is_known(struct decoder *d, const struct ptx_operand *predicate, uint32_t load) {
  if (predicate->kind != PTX_OPERAND_REGISTER && predicate->kind != PTX_OPERAND_NOT) return false;
  const struct register_use *use = &d->register_uses[predicate->register_index];
  return use->writes == 1 && use->writer < load;
}

// The instruction chooses between the register and something else. when: of the predicate, for the register.
static const struct ptx_operand *choice_at(const struct ptx_instruction *in, uint32_t index, bool *when) {
  if (in->guard >= 0) return NULL;
  if (strcmp(in->opcode, "selp") == 0 && in->operand_count == 4) {
    *when = is_register(&in->operands[1], index);
    return *when || is_register(&in->operands[2], index) ? &in->operands[3] : NULL;
  }
  *when = strcmp(in->opcode, "and") == 0;
  if (!ptx_has_modifier(in, "pred") || (!*when && strcmp(in->opcode, "or") != 0) || in->operand_count != 3)
    return NULL;
  return is_register(&in->operands[1], index)   ? &in->operands[2]
         : is_register(&in->operands[2], index) ? &in->operands[1]
                                                : NULL;
}

struct choice {
  struct decoder *d;
  uint32_t load;  // its instruction
  uint32_t reach; // no instruction before this one comes after the load: no loop leads back there
  struct load_condition *conditions;
  uint32_t count;
  bool may_move; // nvcc may have moved it: its address is constant
  bool later;    // some choice is not known at the load
};

// No load is moved over these.
static bool holds_loads(const struct ptx_instruction *in) {
  static const char *const opcodes[] = {"bar", "barrier", "mbarrier", "fence", "membar", "atom",
                                        "red", "cp",      "call",     "wgmma", NULL};
  for (const char *const *opcode = opcodes; *opcode; opcode++)
    if (strcmp(in->opcode, *opcode) == 0) return true;
  return false;
}

// The load may have stood at `at` in the program's text.
static bool may_come_from(const struct choice *c, uint32_t at) {
  if (!c->may_move) return false;
  for (uint32_t i = c->load + 1; i < at; i++)
    if (holds_loads(&c->d->source->instructions[i])) return false;
  return at > c->load;
}

// at: of the choice. Returns false when it says nothing about the load.
static bool add_choice(struct choice *c, const struct ptx_operand *predicate, bool when, uint32_t at) {
  if (!is_known(c->d, predicate, c->load)) return may_come_from(c, at) && (c->later = true);
  const struct load_condition add = {c->d->register_offsets[predicate->register_index],
                                     when != (predicate->kind == PTX_OPERAND_NOT)};
  for (uint32_t i = 0; i < c->count; i++)
    if (c->conditions[i].predicate == add.predicate && c->conditions[i].when == add.when) return true;
  if (c->count == ACCESS_MOST_CONDITIONS) return c->later = true;
  c->conditions[c->count++] = add;
  return true;
}

static int64_t target_of(struct decoder *d, uint32_t at) {
  const struct ptx_instruction *in = &d->source->instructions[at];
  const bool is_plain = strcmp(in->opcode, "bra") == 0 && in->operand_count == 1 && in->operands[0].name;
  return is_plain ? decode_label(d, in->operands[0].name) : -1;
}

// No branch leads into the part behind the branch `from`, up to `to`, from outside; none leads anywhere by a
// table.
static bool is_closed(struct decoder *d, uint32_t from, uint32_t to) {
  for (uint32_t i = 0; i < d->source->instruction_count; i++) {
    const int64_t target = target_of(d, i);
    if (strcmp(d->source->instructions[i].opcode, "brx") == 0) return false;
    if ((i <= from || i >= to) && target > from && target < to) return false;
  }
  return true;
}

// Some branch after the load may lead past the instruction.
static bool is_in_branch(const struct choice *c, uint32_t at) {
  for (uint32_t i = c->load + 1; i < at; i++)
    if (c->d->source->instructions[i].guard >= 0 && target_of(c->d, i) > at) return true;
  return false;
}

// The instruction stands behind a branch, after the load, by which other lanes go round it.
static bool is_behind_branch(struct choice *c, uint32_t at) {
  for (uint32_t i = at; i-- > c->load + 1;) {
    const struct ptx_instruction *in = &c->d->source->instructions[i];
    if (in->guard < 0) continue;
    const struct ptx_operand guard = {.kind = PTX_OPERAND_REGISTER, .register_index = (uint32_t)in->guard};
    const int64_t target = target_of(c->d, i);
    if (target > at && is_known(c->d, &guard, c->load) && is_closed(c->d, i, (uint32_t)target))
      return add_choice(c, &guard, in->guard_negated, i);
  }
  return false;
}

static bool names(const struct ptx_operand *operand, uint32_t index) {
  const bool is_one = operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_NOT ||
                      operand->kind == PTX_OPERAND_NEGATED;
  if (is_one && operand->register_index == index) return true;
  for (uint32_t i = 0; i < operand->count; i++)
    if (names(&operand->elements[i], index)) return true;
  return false;
}

static bool all_choose(struct choice *c, uint32_t index, int steps);

// Whatever comes of the register in this instruction is chosen from, sooner or later.
static bool chooses(struct choice *c, uint32_t at, uint32_t index, int steps) {
  const struct ptx_instruction *in = &c->d->source->instructions[at];
  bool when;
  const struct ptx_operand *predicate = choice_at(in, index, &when);
  // Both would have to be true.
  if (predicate && may_come_from(c, at) && is_in_branch(c, at)) return c->later = true;
  if (is_behind_branch(c, at)) return true;
  if (predicate) return add_choice(c, predicate, when, at);
  return passes_on(in) && in->operands[0].register_index != index && steps > 0 &&
         all_choose(c, in->operands[0].register_index, steps - 1);
}

static bool all_choose(struct choice *c, uint32_t index, int steps) {
  const struct ptx_function *f = c->d->source;
  const struct register_use *use = &c->d->register_uses[index];
  for (uint32_t i = c->reach; use->reads && i <= use->reader; i++) {
    const struct ptx_instruction *in = &f->instructions[i];
    if (in->guard >= 0 && (uint32_t)in->guard == index) return false;
    const bool writes_first = in->operand_count && is_register(&in->operands[0], index);
    for (uint32_t n = writes_first ? 1 : 0; n < in->operand_count; n++)
      if (names(&in->operands[n], index) && !chooses(c, i, index, steps)) return false;
  }
  return true;
}

// Whether it is worth a look at the whole function.
static bool may_choose(struct decoder *d, uint32_t index, int steps) {
  enum { MOST_READS = 16 };
  const struct register_use *use = &d->register_uses[index];
  if (!use->reads || use->reads > MOST_READS) return false;
  const struct ptx_instruction *reader = &d->source->instructions[use->reader];
  bool when;
  if (choice_at(reader, index, &when)) return true;
  return passes_on(reader) && steps > 0 && may_choose(d, reader->operands[0].register_index, steps - 1);
}

static uint32_t reach_of(struct decoder *d, uint32_t load) {
  uint32_t reach = load + 1;
  for (uint32_t i = load; i < d->source->instruction_count; i++) {
    const int64_t target = target_of(d, i);
    if (strcmp(d->source->instructions[i].opcode, "brx") == 0) return 0;
    if (target >= 0 && target < reach) reach = (uint32_t)target;
  }
  return reach;
}

// nvcc moves loads over branches where the address is constant: then it is that of a variable.
static bool has_constant_address(const struct ptx_instruction *in) {
  const struct ptx_operand *address = &in->operands[1];
  return address->kind == PTX_OPERAND_ADDRESS && address->count &&
         address->elements[0].kind == PTX_OPERAND_SYMBOL;
}

static bool may_be_moved(const struct decoder *d, const struct ptx_instruction *in, uint32_t index) {
  if (!has_constant_address(in)) return false;
  for (const struct ptx_instruction *at = in; at < d->source->instructions + d->register_uses[index].reader;
       at++)
    if (at->guard >= 0 && strcmp(at->opcode, "bra") == 0) return true;
  return false;
}

void decode_early_load(struct decoder *d, const struct ptx_instruction *in, struct access_plan *plan) {
  enum { MOST_STEPS = 4 };
  struct choice c = {
      .d = d, .load = (uint32_t)(in - d->source->instructions), .conditions = plan->conditions};
  if (plan->strength != ORDER_WEAK || in->guard >= 0 || in->operands[0].kind != PTX_OPERAND_REGISTER) return;
  const uint32_t index = in->operands[0].register_index;
  if (!may_choose(d, index, MOST_STEPS) && !may_be_moved(d, in, index)) return;
  c.may_move = has_constant_address(in);
  c.reach = reach_of(d, c.load);
  if (!all_choose(&c, index, MOST_STEPS)) return;
  plan->condition_count = (uint8_t)c.count;
  plan->chosen_later = c.later;
}
