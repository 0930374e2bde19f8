// Decodes logic, shifts and byte permutation, PTX ISA 9.7.8, 9.7.9.7. Predicates are stored as masks, so they
// have handlers of their own.
#include "virtual-hopper/decode/logic.h"
#include "virtual-hopper/execute/logic.h"

#include <string.h>

#include "virtual-hopper/decode/arithmetic.h"

static const struct arithmetic_handler *const tables[] = {warp_logic_handlers, NULL};

static bool decode_predicate_source(struct decoder *d, const struct ptx_operand *operand, uint32_t *place,
                                    uint8_t *flags, uint8_t flag) {
  bool negated = false;
  *place = decode_predicate(d, operand, &negated);
  if (negated) *flags |= flag;
  return *place != OP_NO_REGISTER;
}

bool decode_predicate_logic(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const struct {
    const char *opcode;
    uint32_t operands;
    op_execute *execute;
  } operations[] = {{"and", 3, warp_predicate_and},
                    {"or", 3, warp_predicate_or},
                    {"xor", 3, warp_predicate_xor},
                    {"not", 2, warp_predicate_move},
                    {"mov", 2, warp_predicate_move}};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    if (strcmp(operations[i].opcode, in->opcode) != 0) continue;
    if (in->modifier_count != 1) return decode_error(d, in, "a modifier has no meaning on predicates");
    if (!arithmetic_operand_count(d, in, operations[i].operands)) return false;
    op->execute = operations[i].execute;
    op->d = decode_destination(d, &in->operands[0], PTX_PRED);
    if (op->d == OP_NO_REGISTER) return decode_error(d, in, "it needs a predicate as its destination");
    if (!decode_predicate_source(d, &in->operands[1], &op->a, &op->flags, 1)) return false;
    if (strcmp(in->opcode, "not") == 0) op->flags ^= 1;
    return in->operand_count == 2 || decode_predicate_source(d, &in->operands[2], &op->b, &op->flags, 2);
  }
  return decode_error(d, in, "this device doesn't know it on predicates");
}

// lop3{.BoolOp}.b32 d{|p}, a, b, c, table{, q}. With .BoolOp, one op writes the value to a register, and the
// next op computes the predicate from this value.
static bool decode_lop3(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const bool_ops[] = {"or", "and", NULL};
  struct modifiers modifiers = modifiers_of(in);
  enum ptx_type type = modifiers_take_type(&modifiers);
  int bool_op = modifiers_take_one_of(&modifiers, bool_ops);
  if (!modifiers_all_taken(d, &modifiers)) return false;
  if (type != PTX_B32) return decode_error(d, in, "its type must be .b32");
  if (!arithmetic_operand_count(d, in, bool_op >= 0 ? 6 : 5)) return false;
  const struct ptx_operand *table = &in->operands[4], *destination = &in->operands[0];
  if (table->kind != PTX_OPERAND_INTEGER || table->integer < 0 || table->integer > 255)
    return decode_error(d, in, "its table must be a number from 0 to 255");
  struct op *value = op, with_value = *op;
  if (bool_op >= 0) {
    if (destination->kind != PTX_OPERAND_PAIR)
      return decode_error(d, in, "with .%s it writes d|p", bool_ops[bool_op]);
    value = &with_value;
  }
  uint32_t *const places[] = {&value->a, &value->b, &value->c};
  for (int i = 0; i < 3; i++) {
    *places[i] = decode_source(d, &in->operands[i + 1], PTX_B32);
    if (*places[i] == OP_NO_REGISTER) return false;
  }
  value->execute = warp_lop3((uint8_t)table->integer);
  value->immediate = table->integer;
  value->d = decode_destination(d, bool_op >= 0 ? &destination->elements[0] : destination, PTX_B32);
  if (decode_failed(d)) return false;
  if (bool_op < 0)
    return value->d != OP_NO_REGISTER || decode_error(d, in, "it needs a register as its destination");
  if (value->d == OP_NO_REGISTER) value->d = decode_temporary(d, 4);
  *decode_emit(d) = with_value;
  op->execute = warp_lop3_predicate;
  op->a = with_value.d;
  op->flags = bool_op == 1 ? 4 : 0;
  op->d = decode_destination(d, &destination->elements[1], PTX_PRED);
  if (op->d == OP_NO_REGISTER) return decode_error(d, in, "it needs a predicate after the |");
  return decode_predicate_source(d, &in->operands[5], &op->b, &op->flags, 1);
}

bool decode_logic(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (strcmp(in->opcode, "lop3") == 0) return decode_lop3(d, in, op);
  if (decode_type(in, 0) == PTX_PRED) return decode_predicate_logic(d, in, op);
  return arithmetic_decode_as_written(d, in, op, tables);
}

// prmt.b32{.mode}
bool decode_permute(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  return arithmetic_decode_as_written(d, in, op, tables);
}
