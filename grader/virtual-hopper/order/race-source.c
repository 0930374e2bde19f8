// What the program's text says of an access to global memory (race.h). In: its op. Out: whether it is of a
// kind that old and sound code uses between blocks. One idea: a register that is only compared decides which
// way the thread goes, and either way may be right; one that is computed with must hold the right value.
#include <string.h>

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/order/race-source.h"
#include "virtual-hopper/order/race.h"
#include "virtual-hopper/ptx/ptx.h"

bool race_is_coherent(const struct op *op) {
  const struct ptx_instruction *in = op->source;
  return in && (ptx_has_modifier(in, "cg") || ptx_has_modifier(in, "cv") || ptx_has_modifier(in, "wt"));
}

// ---- atomics that leave what they find --------------------------------------------------------------------
//
// Old code reads a flag by an atomic that changes nothing: it adds 0, say, or takes the larger of the flag
// and 0.

enum neutral { NEUTRAL_NO, NEUTRAL_YES, NEUTRAL_UNKNOWN };

// As bits of the atomic's type. A flag is taken not to be negative.
static bool is_neutral(const struct ptx_instruction *in, uint64_t integer) {
  const bool is_wide = ptx_has_modifier(in, "b64") || ptx_has_modifier(in, "u64") ||
                       ptx_has_modifier(in, "s64") || ptx_has_modifier(in, "f64");
  const bool is_signed = ptx_has_modifier(in, "s32") || ptx_has_modifier(in, "s64");
  const uint64_t all = is_wide ? UINT64_MAX : UINT32_MAX, most = all >> 1, value = integer & all;
  if (ptx_has_modifier(in, "add") && (ptx_has_modifier(in, "f32") || ptx_has_modifier(in, "f64")))
    return (value & most) == 0;
  if (ptx_has_modifier(in, "add") || ptx_has_modifier(in, "or") || ptx_has_modifier(in, "xor"))
    return value == 0;
  if (ptx_has_modifier(in, "and")) return value == all;
  if (ptx_has_modifier(in, "max")) return value == 0 || (is_signed && value > most);
  if (ptx_has_modifier(in, "min")) return value == (is_signed ? most : all);
  return false;
}

static enum neutral how_neutral(const struct op *op, const struct ptx_operand *value);

// Whatever is written to the register. Code for a debugger calls a function with the value as its parameter:
// what that is can't be read here.
static enum neutral neutral_register(const struct op *op, uint32_t index) {
  const struct ptx_function *f = race_function_of(op);
  enum neutral found = NEUTRAL_NO;
  for (uint32_t i = 0; f && i < f->instruction_count; i++) {
    const struct ptx_instruction *in = &f->instructions[i];
    if (in->operand_count < 2 || !race_names_register(&in->operands[0], index)) continue;
    if (strcmp(in->opcode, "ld") == 0 && ptx_has_modifier(in, "param") && op->module->is_debug)
      return NEUTRAL_UNKNOWN;
    if (strcmp(in->opcode, "mov") != 0 || in->operands[1].kind == PTX_OPERAND_REGISTER) return NEUTRAL_NO;
    found = how_neutral(op, &in->operands[1]);
    if (found == NEUTRAL_NO) return found;
  }
  return found;
}

static enum neutral how_neutral(const struct op *op, const struct ptx_operand *value) {
  if (value->kind == PTX_OPERAND_REGISTER) return neutral_register(op, value->register_index);
  const bool is_number = value->kind == PTX_OPERAND_INTEGER || value->kind == PTX_OPERAND_FLOAT;
  return is_number && is_neutral(op->source, (uint64_t)value->integer) ? NEUTRAL_YES : NEUTRAL_NO;
}

static bool leaves_value(const struct op *op) {
  const struct ptx_instruction *in = op->source;
  const uint32_t at = strcmp(in->opcode, "atom") == 0 ? 2 : 1; // after the result and the address
  return in->operand_count > at && how_neutral(op, &in->operands[at]) != NEUTRAL_NO;
}

bool race_accumulates(const struct op *op) {
  const struct ptx_instruction *in = op->source;
  return in && !ptx_has_modifier(in, "exch") && !ptx_has_modifier(in, "cas") && !leaves_value(op);
}

static bool is_one_atomic(const struct op *op) {
  const struct ptx_instruction *in = op ? op->source : NULL;
  return in && (strcmp(in->opcode, "atom") == 0 || strcmp(in->opcode, "red") == 0) &&
         !ptx_has_modifier(in, "f16x2") && !ptx_has_modifier(in, "bf16x2") && !leaves_value(op);
}

bool race_sizes_differ(const struct op *a, const struct op *b) {
  return a && b && a->width != b->width && is_one_atomic(a) && is_one_atomic(b);
}

bool race_is_narrow(const struct op *op) {
  const struct ptx_instruction *in = op->source;
  return in && (ptx_has_modifier(in, "cta") || ptx_has_modifier(in, "cluster"));
}

const struct ptx_function *race_function_of(const struct op *op) {
  const struct ptx_module *m = op->module;
  for (uint32_t f = 0; m && f < m->function_count; f++) {
    const struct ptx_function *function = &m->functions[f];
    if (function->instructions && op->source >= function->instructions &&
        op->source < function->instructions + function->instruction_count)
      return function;
  }
  return NULL;
}

bool race_names_register(const struct ptx_operand *operand, uint32_t index) {
  switch (operand->kind) {
  case PTX_OPERAND_REGISTER:
  case PTX_OPERAND_NOT:
  case PTX_OPERAND_NEGATED: return operand->register_index == index;
  default: break;
  }
  for (uint32_t i = 0; i < operand->count; i++)
    if (race_names_register(&operand->elements[i], index)) return true;
  return false;
}

static bool reads_register(const struct ptx_instruction *in, uint32_t index) {
  const bool all = strcmp(in->opcode, "st") == 0 || strcmp(in->opcode, "red") == 0;
  for (uint32_t i = all ? 0 : 1; i < in->operand_count; i++)
    if (race_names_register(&in->operands[i], index)) return true;
  return false;
}

// True when all that becomes of the register is a comparison: its value decides which way the thread goes.
static bool only_decides(const struct ptx_function *f, uint32_t index, int depth) {
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const struct ptx_instruction *in = &f->instructions[i];
    if (!reads_register(in, index) || strcmp(in->opcode, "setp") == 0) continue;
    const bool passes_on =
        strcmp(in->opcode, "and") == 0 || strcmp(in->opcode, "cvt") == 0 || strcmp(in->opcode, "mov") == 0;
    if (!passes_on || depth == 0 || in->operands[0].kind != PTX_OPERAND_REGISTER ||
        !only_decides(f, in->operands[0].register_index, depth - 1))
      return false;
  }
  return true;
}

bool race_is_atomic(const struct op *op) {
  const char *opcode = op && op->source ? op->source->opcode : NULL;
  if (!opcode || (*opcode != 'a' && *opcode != 'r')) return false; // asked for each of many races
  return strcmp(opcode, "atom") == 0 || strcmp(opcode, "red") == 0;
}

bool race_result_unused(const struct op *op) {
  const struct ptx_instruction *in = op->source;
  if (strcmp(in->opcode, "red") == 0) return true;
  const struct ptx_function *f = in->operand_count > 0 ? race_function_of(op) : NULL;
  if (!f) return false;
  if (in->operands[0].kind != PTX_OPERAND_REGISTER) return in->operands[0].kind == PTX_OPERAND_SINK;
  for (uint32_t i = 0; i < f->instruction_count; i++)
    if (reads_register(&f->instructions[i], in->operands[0].register_index)) return false;
  return true;
}

bool race_is_glance(const struct op *op) {
  const struct ptx_instruction *in = op->source;
  const struct ptx_function *f = in && strcmp(in->opcode, "ld") == 0 ? race_function_of(op) : NULL;
  return f && in->operand_count > 0 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
         only_decides(f, in->operands[0].register_index, 3);
}

// ---- a value that is never compared -----------------------------------------------------------------------

enum { MOST_DERIVED = 32 };
struct derived { // registers whose value depends on what was loaded
  uint32_t registers[MOST_DERIVED], count;
  bool overflow;
};

static void derive(struct derived *d, const struct ptx_operand *operand) {
  for (uint32_t i = 0; i < operand->count; i++)
    derive(d, &operand->elements[i]);
  if (operand->kind != PTX_OPERAND_REGISTER) return;
  for (uint32_t i = 0; i < d->count; i++)
    if (d->registers[i] == operand->register_index) return;
  d->overflow |= d->count == MOST_DERIVED;
  if (!d->overflow) d->registers[d->count++] = operand->register_index;
}

bool race_is_one_of(const char *opcode, const char *const *list) {
  for (; *list; list++)
    if (strcmp(opcode, *list) == 0) return true;
  return false;
}

// An address that was read is no data either: whoever follows it has tried it as a rule.
bool race_is_only_data(const struct op *op) {
  static const char *const deciding[] = {"setp", "set", "slct", "vote", "match", "ld", "call", "testp", NULL};
  static const char *const ending[] = {"st", "red", "atom", NULL};
  const struct ptx_instruction *load = op->source;
  const struct ptx_function *f = load && strcmp(load->opcode, "ld") == 0 ? race_function_of(op) : NULL;
  struct derived d = {.count = 0};
  if (!f || load->operand_count == 0) return false;
  derive(&d, &load->operands[0]);
  for (uint32_t k = 0; k < d.count && !d.overflow; k++) {
    for (uint32_t i = 0; i < f->instruction_count; i++) {
      const struct ptx_instruction *in = &f->instructions[i];
      if (!reads_register(in, d.registers[k]) || race_is_one_of(in->opcode, ending)) continue;
      if (race_is_one_of(in->opcode, deciding)) return false;
      if (in->operand_count > 0) derive(&d, &in->operands[0]);
    }
  }
  return d.count > 0 && !d.overflow;
}

// ---- a number raised by a load and a store ----------------------------------------------------------------

static bool same_operand(const struct ptx_operand *a, const struct ptx_operand *b) {
  if (a->kind != b->kind || a->register_index != b->register_index || a->integer != b->integer ||
      a->count != b->count || (a->name != b->name && (!a->name || !b->name || strcmp(a->name, b->name) != 0)))
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (!same_operand(&a->elements[i], &b->elements[i])) return false;
  return true;
}

// The only instruction that reads the register; NULL: there are several, or none.
static const struct ptx_instruction *only_reader(const struct ptx_function *f, uint32_t index) {
  const struct ptx_instruction *found = NULL;
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    if (!reads_register(&f->instructions[i], index)) continue;
    if (found) return NULL;
    found = &f->instructions[i];
  }
  return found;
}

static bool is_written_once(const struct ptx_function *f, uint32_t index) {
  uint32_t writers = 0;
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const struct ptx_instruction *in = &f->instructions[i];
    writers += in->operand_count > 0 && strcmp(in->opcode, "st") != 0 &&
               race_names_register(&in->operands[0], index);
  }
  return writers == 1;
}

const struct ptx_instruction *race_store_of_sum(const struct op *load) {
  const struct ptx_instruction *in = load->source;
  const struct ptx_function *f = in && strcmp(in->opcode, "ld") == 0 ? race_function_of(load) : NULL;
  if (!f || in->operand_count != 2 || in->operands[0].kind != PTX_OPERAND_REGISTER ||
      !is_written_once(f, in->operands[0].register_index))
    return NULL;
  const struct ptx_instruction *sum = only_reader(f, in->operands[0].register_index);
  if (!sum || (strcmp(sum->opcode, "add") != 0 && strcmp(sum->opcode, "sub") != 0) ||
      sum->operands[0].kind != PTX_OPERAND_REGISTER || !is_written_once(f, sum->operands[0].register_index))
    return NULL;
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const struct ptx_instruction *store = &f->instructions[i];
    if (strcmp(store->opcode, "st") == 0 && store->operand_count == 2 &&
        same_operand(&store->operands[0], &in->operands[1]) &&
        race_names_register(&store->operands[1], sum->operands[0].register_index))
      return store;
  }
  return NULL;
}
