// Which family decodes an instruction.
#ifndef VIRTUAL_HOPPER_DECODE_FAMILIES_H
#define VIRTUAL_HOPPER_DECODE_FAMILIES_H

#include "virtual-hopper/decode/op.h"

// NULL: no family knows the opcode.
decode_family *decode_family_find(const struct ptx_instruction *in);

#endif
