// Decodes mov, PTX ISA 9.7.9.3 and 9.7.9.4: copies of registers, special registers and addresses of symbols;
// packing of a vector into a scalar, and unpacking.
#include "virtual-hopper/execute/move.h"

#include <string.h>

#include "virtual-hopper/decode/arithmetic.h"
#include "virtual-hopper/decode/logic.h"

static op_execute *move_of(size_t bytes) {
  return bytes == 16 ? warp_move128 : bytes == 8 ? warp_move64 : warp_move32;
}

// The elements of the vector together must have the size of the scalar. Each element is a register; as a
// source it may be any readable operand.
static bool vector_shape(struct decoder *d, const struct ptx_instruction *in,
                         const struct ptx_operand *vector, enum ptx_type type, struct move_vector *v) {
  v->scalar_bytes = (uint32_t)ptx_type_size(type);
  v->count = vector->count;
  if ((v->count != 2 && v->count != 4) || v->scalar_bytes < v->count)
    return decode_error(d, in, "a vector of %u elements can't be a .%s", v->count, ptx_type_name(type));
  v->element_bytes = v->scalar_bytes / v->count;
  return true;
}

static bool decode_pack(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                        enum ptx_type type) {
  struct move_vector v = {0};
  const struct ptx_operand *vector = &in->operands[1];
  if (!vector_shape(d, in, vector, type, &v)) return false;
  for (uint32_t n = 0; n < v.count; n++) {
    v.elements[n] = decode_source(d, &vector->elements[n], arithmetic_bits(v.element_bytes));
    if (v.elements[n] == OP_NO_REGISTER) return decode_error(d, in, "an element of the vector can't be read");
  }
  op->d = decode_destination(d, &in->operands[0], type);
  if (op->d == OP_NO_REGISTER) return decode_error(d, in, "it needs a register as its destination");
  op->a = v.elements[0];
  op->b = v.elements[1];
  op->execute = v.count == 2 && v.element_bytes == 2   ? warp_pack_2x16
                : v.count == 2 && v.element_bytes == 4 ? warp_pack_2x32
                                                       : warp_pack;
  if (op->execute == warp_pack) {
    struct move_vector *kept = decode_allocate(d, sizeof *kept);
    *kept = v;
    op->extra = kept;
  }
  return true;
}

static bool decode_unpack(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                          enum ptx_type type) {
  struct move_vector v = {0};
  const struct ptx_operand *vector = &in->operands[0];
  if (!vector_shape(d, in, vector, type, &v)) return false;
  op->a = decode_source(d, &in->operands[1], type);
  if (op->a == OP_NO_REGISTER) return false;
  for (uint32_t n = 0; n < v.count; n++)
    v.elements[n] = decode_destination(d, &vector->elements[n], arithmetic_bits(v.element_bytes));
  if (decode_failed(d)) return false;
  if (v.count == 2 && (v.element_bytes == 2 || v.element_bytes == 4)) {
    op->execute = v.element_bytes == 2 ? warp_unpack_2x16 : warp_unpack_2x32;
    op->d = v.elements[0] == OP_NO_REGISTER ? decode_temporary(d, 4) : v.elements[0];
    op->target = v.elements[1] == OP_NO_REGISTER ? decode_temporary(d, 4) : v.elements[1];
    return true;
  }
  struct move_vector *kept = decode_allocate(d, sizeof *kept);
  *kept = v;
  op->extra = kept;
  op->execute = warp_unpack;
  return true;
}

bool decode_move(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (strcmp(in->opcode, "prmt") == 0) return decode_permute(d, in, op);
  struct modifiers modifiers = modifiers_of(in);
  enum ptx_type type = modifiers_take_type(&modifiers);
  if (type == PTX_PRED) return decode_predicate_logic(d, in, op);
  if (!modifiers_all_taken(d, &modifiers) || !arithmetic_operand_count(d, in, 2)) return false;
  if (type == PTX_TYPE_NONE) return decode_error(d, in, "it has no type");
  if (in->operands[1].kind == PTX_OPERAND_VECTOR) return decode_pack(d, in, op, type);
  if (in->operands[0].kind == PTX_OPERAND_VECTOR) return decode_unpack(d, in, op, type);
  op->execute = move_of(ptx_type_size(type));
  op->a = decode_source(d, &in->operands[1], type);
  if (op->a == OP_NO_REGISTER) return false;
  op->d = decode_destination(d, &in->operands[0], type);
  return op->d != OP_NO_REGISTER || decode_error(d, in, "it needs a register as its destination");
}
