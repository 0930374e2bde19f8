// Decodes the instructions that change the program counter inside a function: bra, brx.idx, ret, exit, trap,
// brkpt. PTX ISA 9.7.12, 9.7.19.
#include <string.h>

#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/execute/flow.h"

int64_t decode_label(struct decoder *d, const char *name) {
  uint32_t i;
  if (!name_index_find(&d->label_names, name, &i)) return -1;
  return d->source->labels[i].instruction;
}

void decode_fix_target(struct decoder *d, uint32_t op, uint32_t *slot, uint32_t instruction) {
  d->fixups = decode_grow(d->fixups, &d->fixup_capacity, d->fixup_count, sizeof *d->fixups);
  d->fixups[d->fixup_count++] = (struct target_fixup){op, slot, instruction};
}

// bra{.uni} label;
static bool decode_bra(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const allowed[] = {"uni", NULL};
  if (!decode_allowed(d, in, allowed)) return false;
  if (in->operand_count != 1 || in->operands[0].kind != PTX_OPERAND_SYMBOL)
    return decode_error(d, in, "a branch needs a label");
  int64_t target = decode_label(d, in->operands[0].name);
  if (target < 0) return decode_error(d, in, "no label `%s` in this function", in->operands[0].name);
  op->execute = flow_branch;
  decode_fix_target(d, d->op_count, NULL, (uint32_t)target);
  return true;
}

// Decodes a table once; all branches that use the table share the result.
static bool decode_table(struct decoder *d, const struct ptx_instruction *in,
                         const struct ptx_branch_targets *table, uint32_t **targets) {
  if (table->count > DECODE_MOST_TARGETS - d->table_entries)
    return decode_error(d, in, "the function's tables have more than %u branch targets", DECODE_MOST_TARGETS);
  d->table_entries += table->count;
  *targets = decode_allocate(d, table->count * sizeof **targets);
  for (uint32_t i = 0; i < table->count; i++) {
    int64_t target = decode_label(d, table->labels[i]);
    if (target < 0) return decode_error(d, in, "no label `%s` in this function", table->labels[i]);
    decode_fix_target(d, 0, &(*targets)[i], (uint32_t)target);
  }
  return true;
}

// brx.idx{.uni} index, table;
static bool decode_brx(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (in->operand_count != 2 || in->operands[1].kind != PTX_OPERAND_SYMBOL)
    return decode_error(d, in, "brx.idx needs an index and a table");
  uint32_t i;
  if (!name_index_find(&d->table_names, in->operands[1].name, &i) || !d->source->targets[i].count)
    return decode_error(d, in, "no table of branch targets `%s` in this function", in->operands[1].name);
  const struct ptx_branch_targets *table = &d->source->targets[i];
  if (!d->table_targets[i] && !decode_table(d, in, table, &d->table_targets[i])) return false;
  op->a = decode_source(d, &in->operands[0], PTX_U32);
  op->extra = d->table_targets[i];
  op->immediate = table->count;
  op->execute = flow_branch_table;
  return true;
}

bool decode_branch(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (strcmp(in->opcode, "bra") == 0) return decode_bra(d, in, op);
  if (strcmp(in->opcode, "brx") == 0) return decode_brx(d, in, op);
  if (strcmp(in->opcode, "ret") == 0)
    op->execute = d->function->is_entry ? flow_exit : flow_return;
  else if (strcmp(in->opcode, "exit") == 0)
    op->execute = flow_exit;
  else if (strcmp(in->opcode, "trap") == 0)
    op->execute = flow_trap;
  else if (strcmp(in->opcode, "brkpt") == 0)
    op->execute = flow_breakpoint;
  else
    return decode_error(d, in, "this device doesn't know the branch");
  return true;
}
