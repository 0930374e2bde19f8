// Loops that wait by weak loads. In: the op of a load of global memory. Out: whether ptxas may take the loop
// around it away, or load once before it. One idea: a weak load finds what the thread itself has left there
// (PTX ISA 8.7.1: otherwise it is a data race), so a loop of nothing but arithmetic and such loads from one
// place either ends at once or never, and nvcc takes it to end. What lies between the first and the last
// instruction of the loop must all be of that kind: fences, barriers, sleep, stores and relaxed or acquiring
// loads keep a loop alive, and so may inner loops. Other ways out don't, nor do plain or volatile loads of
// something else, clocks and other special registers: what comes before the first branch is loaded once,
// before the loop. With -G, -Xptxas -O0 or -O1 ptxas leaves all loops as they are (SASS of CUDA 13.0: 13
// loops that ran on an H100, 24 more that were read).
#include <string.h>

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/order/race-source.h"
#include "virtual-hopper/order/race.h"
#include "virtual-hopper/ptx/ptx.h"

static bool is_load_without(const struct ptx_instruction *in, const char *const *modifiers) {
  if (strcmp(in->opcode, "ld") != 0) return false;
  for (uint32_t i = 0; i < in->modifier_count; i++)
    if (race_is_one_of(in->modifiers[i], modifiers)) return false;
  return true;
}

static bool is_weak_load(const struct ptx_instruction *in) {
  static const char *const others[] = {"volatile", "relaxed", "acquire", "mmio", NULL};
  return is_load_without(in, others);
}

static bool has_special(const struct ptx_instruction *in) { // a clock, say
  for (uint32_t i = 0; i < in->operand_count; i++)
    if (in->operands[i].kind == PTX_OPERAND_SPECIAL) return true;
  return false;
}

// Nothing but its result comes of it, and that only of its operands.
static bool is_plain(const struct ptx_instruction *in) {
  static const char *const arithmetic[] = {"add",  "sub", "mul", "mad",  "mov", "cvt", "cvta", "setp",
                                           "selp", "and", "or",  "xor",  "not", "shl", "shr",  "min",
                                           "max",  "abs", "neg", "lop3", "bfe", "bra", NULL};
  static const char *const synchronising[] = {"relaxed", "acquire", "mmio", NULL};
  return is_load_without(in, synchronising) || race_is_one_of(in->opcode, arithmetic);
}

struct loop {
  const struct ptx_function *function;
  uint32_t first, last; // instructions
};

static bool is_written_in(const struct loop *l, uint32_t index) {
  for (uint32_t i = l->first; i <= l->last; i++) {
    const struct ptx_instruction *in = &l->function->instructions[i];
    if (in->operand_count > 0 && race_names_register(&in->operands[0], index)) return true;
  }
  return false;
}

// The address is the same in every round.
static bool stays(const struct loop *l, const struct ptx_operand *address) {
  if (address->kind == PTX_OPERAND_REGISTER && is_written_in(l, address->register_index)) return false;
  for (uint32_t i = 0; i < address->count; i++)
    if (!stays(l, &address->elements[i])) return false;
  return true;
}

// Whether a branch of the loop depends on the register, through at most `depth` other ones.
static bool decides(const struct loop *l, uint32_t index, int depth) {
  for (uint32_t i = l->first; i <= l->last; i++) {
    const struct ptx_instruction *in = &l->function->instructions[i];
    if (strcmp(in->opcode, "bra") == 0 && in->guard >= 0 && (uint32_t)in->guard == index) return true;
    for (uint32_t k = 1; depth > 0 && k < in->operand_count; k++)
      if (race_names_register(&in->operands[k], index) && in->operands[0].kind == PTX_OPERAND_REGISTER &&
          in->operands[0].register_index != index && decides(l, in->operands[0].register_index, depth - 1))
        return true;
  }
  return false;
}

static uint32_t target_of(const struct ptx_function *f, const struct ptx_instruction *branch) {
  if (strcmp(branch->opcode, "bra") != 0 || branch->operand_count == 0 || !branch->operands[0].name)
    return UINT32_MAX;
  for (uint32_t i = 0; i < f->label_count; i++)
    if (strcmp(f->labels[i].name, branch->operands[0].name) == 0) return f->labels[i].instruction;
  return UINT32_MAX;
}

// No branch from elsewhere leads into the loop, other than from before it to its start: no larger loop begins
// at the same place, as where two flags are asked, or a lock is looked at before it is tried.
static bool stands_alone(const struct loop *l) {
  for (uint32_t i = 0; i < l->function->instruction_count; i++) {
    const uint32_t target = target_of(l->function, &l->function->instructions[i]);
    if (i >= l->first && i <= l->last) continue;
    if (target >= l->first && target <= l->last && (target != l->first || i > l->last)) return false;
  }
  return true;
}

// Nothing but plain instructions, one after the other in every round: branches lead to the next round or out
// of the loop, and none comes before the load. Where another loop stands inside, ptxas may keep the load.
static bool does_only_wait(const struct loop *l, uint32_t load) {
  for (uint32_t i = l->first; i <= l->last; i++) {
    const struct ptx_instruction *in = &l->function->instructions[i];
    if (!is_plain(in)) return false;
    if (strcmp(in->opcode, "bra") != 0) continue;
    const uint32_t target = target_of(l->function, in);
    if (i < load || target == UINT32_MAX || (target != l->first && target <= l->last)) return false;
  }
  return stands_alone(l);
}

// Some number that is compared is so large that it is a limit of time, and no number of glances.
static bool has_time_limit(const struct loop *l) {
  enum { MANY_ROUNDS = 1 << 16 };
  for (uint32_t i = l->first; i <= l->last; i++) {
    const struct ptx_instruction *in = &l->function->instructions[i];
    for (uint32_t n = 1; strcmp(in->opcode, "setp") == 0 && n < in->operand_count; n++)
      if (in->operands[n].kind == PTX_OPERAND_INTEGER &&
          (in->operands[n].integer >= MANY_ROUNDS - 1 || in->operands[n].integer <= 1 - MANY_ROUNDS))
        return true;
  }
  return false;
}

// A clock, or a volatile load of something else, may end the loop, too.
static bool may_give_up(const struct loop *l, const struct ptx_instruction *in) {
  const bool asks = has_special(in) || (strcmp(in->opcode, "ld") == 0 && !is_weak_load(in));
  return asks && decides(l, in->operands[0].register_index, 6);
}

// So may a count of rounds, say: something that one round hands on to the next.
static bool is_bounded(const struct loop *l) {
  const bool has_limit = has_time_limit(l);
  for (uint32_t i = l->first; i <= l->last; i++) {
    const struct ptx_instruction *in = &l->function->instructions[i];
    if (in->operand_count == 0 || in->operands[0].kind != PTX_OPERAND_REGISTER) continue;
    if (may_give_up(l, in)) return true;
    if (has_limit) continue;
    const uint32_t written = in->operands[0].register_index;
    for (uint32_t k = l->first; k <= i; k++)
      for (uint32_t n = 1; n < l->function->instructions[k].operand_count; n++)
        if (race_names_register(&l->function->instructions[k].operands[n], written) && decides(l, written, 4))
          return true;
  }
  return false;
}

static enum race_poll poll_of(const struct ptx_function *f, uint32_t load) {
  const struct ptx_instruction *in = &f->instructions[load];
  if (in->operand_count != 2 || in->operands[0].kind != PTX_OPERAND_REGISTER) return RACE_POLL_NONE;
  for (uint32_t i = load + 1; i < f->instruction_count; i++) {
    if (!is_plain(&f->instructions[i])) return RACE_POLL_NONE;
    const struct loop l = {f, target_of(f, &f->instructions[i]), i};
    if (l.first > load) continue;
    if (does_only_wait(&l, load) && stays(&l, &in->operands[1]) &&
        decides(&l, in->operands[0].register_index, 4))
      return is_bounded(&l) ? RACE_POLL_BOUNDED : RACE_POLL_ENDLESS;
  }
  return RACE_POLL_NONE;
}

enum race_poll race_weak_poll(const struct op *op) {
  const struct ptx_instruction *in = op->source;
  if (!in || !op->module || op->module->is_debug || op->module->keeps_loops || !is_weak_load(in))
    return RACE_POLL_NONE;
  const struct ptx_function *f = race_function_of(op);
  return f ? poll_of(f, (uint32_t)(in - f->instructions)) : RACE_POLL_NONE;
}
