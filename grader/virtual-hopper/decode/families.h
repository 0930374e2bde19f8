// Which family decodes an instruction.
#ifndef VIRTUAL_HOPPER_DECODE_FAMILIES_H
#define VIRTUAL_HOPPER_DECODE_FAMILIES_H

#include "virtual-hopper/decode/decode.h"

// Returns NULL when no family knows the opcode.
decode_family *decode_family_find(const struct ptx_instruction *in);

// For tests: returns the opcode of row `n` of the table and writes the modifier that the row requires (NULL:
// none). Returns NULL after the last row.
const char *decode_family_entry(uint32_t n, const char **modifier);

#endif
