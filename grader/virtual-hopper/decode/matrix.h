// What the instructions of whole warps on matrices have in common when they are decoded.
#ifndef VIRTUAL_HOPPER_DECODE_MATRIX_H
#define VIRTUAL_HOPPER_DECODE_MATRIX_H

#include "virtual-hopper/decode/modifiers.h"
#include "virtual-hopper/warp/matrix.h"

// {r, ...} of exactly so many registers, of 64 bits if wide, else 32; a single one may stand without braces.
bool matrix_registers(struct decoder *d, const struct ptx_instruction *in, const struct ptx_operand *operand,
                      uint32_t count, bool wide, bool destination, uint32_t registers[]);
bool matrix_take_whole_warp(struct decoder *d, struct modifiers *m, struct op *op); // .sync.aligned

#endif
