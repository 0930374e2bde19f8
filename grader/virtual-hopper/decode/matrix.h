// Helpers for decoding the instructions in which a whole warp works on matrices.
#ifndef VIRTUAL_HOPPER_DECODE_MATRIX_H
#define VIRTUAL_HOPPER_DECODE_MATRIX_H

#include "virtual-hopper/decode/modifiers.h"
#include "virtual-hopper/execute/matrix.h"

extern const char *const matrix_element_names[]; // by enum mma_element, NULL at the end

// Decodes {r, ...} with exactly `count` registers, of 64 bits when `wide`, otherwise of 32. A single register
// may stand without braces.
bool matrix_registers(struct decoder *d, const struct ptx_instruction *in, const struct ptx_operand *operand,
                      uint32_t count, bool wide, bool destination, uint32_t registers[]);
// The operands sp-meta and sp-sel of a product with a sparse matrix A of this type and depth.
bool matrix_sparse_operands(struct decoder *d, const struct ptx_instruction *in,
                            const struct ptx_operand operands[2], enum mma_element type, uint32_t depth,
                            struct sparse_plan *sparse);
// Takes .sync.aligned, which must be there, and sets op->target to the mask of all lanes.
bool matrix_take_whole_warp(struct decoder *d, struct modifiers *m, struct op *op);
// .rn, .rz, .rm or .rp, which products of f64 may have.
enum rounding matrix_take_rounding(struct modifiers *m);

#endif
