// What the arithmetic families share: finding an operation's handler by name and type, and its operands by shape.
#ifndef VIRTUAL_HOPPER_DECODE_ARITHMETIC_H
#define VIRTUAL_HOPPER_DECODE_ARITHMETIC_H

#include "virtual-hopper/decode/modifiers.h"
#include "virtual-hopper/decode/op.h"
#include "virtual-hopper/warp/float.h"
#include "virtual-hopper/warp/lanes.h"

enum { ARITHMETIC_NAME_BYTES = 96 };

// Sets the op's handler to the one called `name` for `type` in one of the tables (a NULL-ended list) and decodes its operands.
// False after decode_error.
bool arithmetic_decode(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                       const struct arithmetic_handler *const tables[], const char *name, enum ptx_type type);
// The same for instructions whose name is everything but the type, in the order of the PTX ISA.
bool arithmetic_decode_as_written(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                                  const struct arithmetic_handler *const tables[]);
// The operands alone, for a handler that was found otherwise.
bool arithmetic_decode_operands(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                                const char *shape, enum ptx_type type);
// True when the instruction has that many operands; else decode_error.
bool arithmetic_operand_count(struct decoder *d, const struct ptx_instruction *in, uint32_t count);
// Makes the op run in a rounding mode.
void arithmetic_round(struct decoder *d, struct op *op, enum rounding mode);
// A bit-sized type of so many bytes.
enum ptx_type arithmetic_bits(size_t bytes);

#endif
