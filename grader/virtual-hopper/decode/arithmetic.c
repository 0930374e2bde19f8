// In: an instruction and the tables of handlers that may execute it. Out: the op. Idea: each handler has a
// row with its name, its type and the shape of its operands. An instruction without a row is an error, so the
// decoder never guesses.
#include "virtual-hopper/decode/arithmetic.h"

#include <string.h>

static const struct arithmetic_handler *find(const struct arithmetic_handler *const tables[],
                                             const char *name, enum ptx_type type) {
  for (; *tables; tables++) {
    for (const struct arithmetic_handler *row = *tables; row->name; row++) {
      if (row->type == type && strcmp(row->name, name) == 0) return row;
    }
  }
  return NULL;
}

enum ptx_type arithmetic_bits(size_t bytes) {
  switch (bytes) {
  case 1: return PTX_B8;
  case 2: return PTX_B16;
  case 4: return PTX_B32;
  case 8: return PTX_B64;
  case 16: return PTX_B128;
  default: return PTX_TYPE_NONE;
  }
}

static enum ptx_type operand_type(char letter, enum ptx_type type) {
  switch (letter) {
  case 'u': return PTX_U32;
  case 'w': return arithmetic_bits(2 * ptx_type_size(type));
  case 'p': return PTX_PRED;
  default: return type;
  }
}

bool arithmetic_operand_count(struct decoder *d, const struct ptx_instruction *in, uint32_t count) {
  if (in->operand_count == count) return true;
  return decode_error(d, in, "it has %u operands and takes %u", in->operand_count, count);
}

bool arithmetic_decode_operands(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                                const char *shape, enum ptx_type type) {
  uint32_t count = (uint32_t)strlen(shape);
  uint32_t *const places[] = {&op->d, &op->a, &op->b, &op->c, &op->target};
  if (!arithmetic_operand_count(d, in, count)) return false;
  *places[0] = decode_destination(d, &in->operands[0], operand_type(shape[0], type));
  if (*places[0] == OP_NO_REGISTER) return decode_error(d, in, "it needs a register as its destination");
  for (uint32_t i = 1; i < count; i++) {
    *places[i] = decode_source(d, &in->operands[i], operand_type(shape[i], type));
    if (*places[i] == OP_NO_REGISTER) return decode_error(d, in, "operand %u can't be read", i + 1);
  }
  return true;
}

bool arithmetic_decode(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                       const struct arithmetic_handler *const tables[], const char *name,
                       enum ptx_type type) {
  const struct arithmetic_handler *row = find(tables, name, type);
  if (!row)
    return decode_error(d, in, "this device doesn't know %s with type .%s", name, ptx_type_name(type));
  op->execute = row->execute;
  return arithmetic_decode_operands(d, in, op, row->shape, type);
}

bool arithmetic_decode_as_written(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                                  const struct arithmetic_handler *const tables[]) {
  char name[ARITHMETIC_NAME_BYTES];
  struct modifiers modifiers = modifiers_of(in);
  enum ptx_type type = modifiers_take_type(&modifiers);
  if (type == PTX_TYPE_NONE) return decode_error(d, in, "it has no type");
  if (!modifiers_take_name(&modifiers, name, sizeof name))
    return decode_error(d, in, "it has too many modifiers");
  return modifiers_all_taken(d, &modifiers) && arithmetic_decode(d, in, op, tables, name, type);
}

void arithmetic_round(struct decoder *d, struct op *op, enum rounding mode) {
  if (mode == ROUND_NEAREST) return;
  struct rounded *rounded = decode_allocate(d, sizeof *rounded);
  *rounded = (struct rounded){op->execute, mode};
  op->extra = rounded;
  op->execute = warp_rounded;
}
