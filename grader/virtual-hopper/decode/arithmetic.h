// Helpers of the arithmetic families: they find the handler of an operation by its name and type, and decode
// the operands by their shape.
#ifndef VIRTUAL_HOPPER_DECODE_ARITHMETIC_H
#define VIRTUAL_HOPPER_DECODE_ARITHMETIC_H

#include "virtual-hopper/decode/decode.h"
#include "virtual-hopper/decode/modifiers.h"
#include "virtual-hopper/execute/float.h"
#include "virtual-hopper/execute/lanes.h"

enum { ARITHMETIC_NAME_BYTES = 96 };

// Searches the tables (a list that ends with NULL) for the handler with this name and type, sets it as the
// op's handler and decodes the operands. Returns false after decode_error.
bool arithmetic_decode(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                       const struct arithmetic_handler *const tables[], const char *name, enum ptx_type type);
// Does the same for an instruction whose handler is named after the opcode and all modifiers except the type,
// in the order of the PTX ISA.
bool arithmetic_decode_as_written(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                                  const struct arithmetic_handler *const tables[]);
// Decodes only the operands. For callers that have found the handler in another way.
bool arithmetic_decode_operands(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                                const char *shape, enum ptx_type type);
// Returns true when the instruction has `count` operands; otherwise returns false after decode_error.
bool arithmetic_operand_count(struct decoder *d, const struct ptx_instruction *in, uint32_t count);
// Makes the op run in this rounding mode.
void arithmetic_round(struct decoder *d, struct op *op, enum rounding mode);
// Returns the .b type of this size; PTX_TYPE_NONE when no .b type has it.
enum ptx_type arithmetic_bits(size_t bytes);

#endif
