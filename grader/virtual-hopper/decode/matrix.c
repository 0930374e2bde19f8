// Decodes ldmatrix, stmatrix and movmatrix, PTX ISA 9.7.14.5.15 to .17. Only the forms of sm_90 are decoded:
// 8x8 matrices of 16-bit elements.
#include <string.h>

#include "virtual-hopper/decode/access.h"
#include "virtual-hopper/decode/matrix.h"
#include "virtual-hopper/decode/modifiers.h"
#include "virtual-hopper/execute/sparse.h"

const char *const matrix_element_names[] = {[MMA_F16] = "f16",   [MMA_BF16] = "bf16",
                                            [MMA_TF32] = "tf32", [MMA_F32] = "f32",
                                            [MMA_F64] = "f64",   [MMA_E4M3] = "e4m3",
                                            [MMA_E5M2] = "e5m2", [MMA_S32] = "s32",
                                            [MMA_S8] = "s8",     [MMA_U8] = "u8",
                                            [MMA_S4] = "s4",     [MMA_U4] = "u4",
                                            [MMA_B1] = "b1",     NULL};

bool matrix_registers(struct decoder *d, const struct ptx_instruction *in, const struct ptx_operand *operand,
                      uint32_t count, bool wide, bool destination, uint32_t registers[]) {
  const struct ptx_operand *elements = operand->kind == PTX_OPERAND_VECTOR ? operand->elements : operand;
  uint32_t given = operand->kind == PTX_OPERAND_VECTOR ? operand->count : 1;
  if (given != count) return decode_error(d, in, "it takes %u registers here, not %u", count, given);
  enum ptx_type type = wide ? PTX_B64 : PTX_B32;
  for (uint32_t i = 0; i < count; i++)
    registers[i] =
        destination ? decode_destination(d, &elements[i], type) : decode_source(d, &elements[i], type);
  return !decode_failed(d);
}

bool matrix_sparse_operands(struct decoder *d, const struct ptx_instruction *in,
                            const struct ptx_operand operands[2], enum mma_element type, uint32_t depth,
                            struct sparse_plan *sparse) {
  const uint32_t selectors = sparse_selectors(type, depth);
  sparse->metadata = decode_source(d, &operands[0], PTX_B32);
  if (decode_failed(d)) return false;
  if (operands[1].kind != PTX_OPERAND_INTEGER || operands[1].integer >= selectors)
    return decode_error(d, in, "the sparsity selector of this shape is a constant from 0 to %u",
                        selectors - 1);
  sparse->selector = (uint32_t)operands[1].integer;
  return true;
}

bool matrix_take_whole_warp(struct decoder *d, struct modifiers *m, struct op *op) {
  if (!modifiers_take(m, "sync") || !modifiers_take(m, "aligned"))
    return decode_error(d, m->in, "%s needs .sync.aligned", m->in->opcode);
  op->target = decode_constant(d, UINT32_MAX, 4);
  return true;
}

// {.x1, .x2, .x4}{.trans}{.shared{::cta}}.b16
static bool decode_rows(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                        struct modifiers *m) {
  static const char *const counts[] = {"x1", "x2", "x4", NULL}, *const spaces[] = {"shared", "shared::cta",
                                                                                   NULL};
  struct matrix_plan *plan = decode_allocate(d, sizeof *plan);
  const bool load = strcmp(in->opcode, "ldmatrix") == 0;
  int count = modifiers_take_one_of(m, counts);
  if (count < 0) return decode_error(d, in, "one of .x1, .x2 and .x4 is wanted");
  plan->count = 1u << count;
  plan->transposed = modifiers_take(m, "trans");
  op->space = modifiers_take_one_of(m, spaces) < 0 ? PTX_SPACE_NONE : PTX_SHARED;
  op->width = MATRIX_ROW_BYTES;
  op->extra = plan;
  op->execute = load ? matrix_load : matrix_store;
  plan->rows.bytes = MATRIX_ROW_BYTES;
  if (!modifiers_all_taken(d, m)) return false;
  if (in->operand_count != 2) return decode_error(d, in, "it takes 2 operands");
  return matrix_registers(d, in, &in->operands[load ? 0 : 1], plan->count, false, load,
                          plan->rows.registers) &&
         access_address(d, &in->operands[load ? 1 : 0], op, &plan->rows);
}

bool decode_matrix(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers m = modifiers_of(in);
  if (!matrix_take_whole_warp(d, &m, op)) return false;
  if (!modifiers_take(&m, "m8n8") || !modifiers_take(&m, "b16"))
    return decode_error(d, in, "sm_90 has the form .m8n8 with .b16 alone; the others need sm_100a");
  if (strcmp(in->opcode, "movmatrix") != 0) return decode_rows(d, in, op, &m);
  if (!modifiers_take(&m, "trans")) return decode_error(d, in, "movmatrix needs .trans");
  op->execute = matrix_move;
  return modifiers_all_taken(d, &m) &&
         (in->operand_count == 2 || decode_error(d, in, "it takes 2 operands")) &&
         matrix_registers(d, in, &in->operands[0], 1, false, true, &op->d) &&
         matrix_registers(d, in, &in->operands[1], 1, false, false, &op->a);
}

enum rounding matrix_take_rounding(struct modifiers *m) {
  static const char *const names[] = {"rn", "rz", "rm", "rp", NULL}; // as in enum rounding
  const int mode = modifiers_take_one_of(m, names);
  return mode < 0 ? ROUND_NEAREST : (enum rounding)mode;
}
