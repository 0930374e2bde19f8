// The functions of the logic family that other families call.
#ifndef VIRTUAL_HOPPER_DECODE_LOGIC_H
#define VIRTUAL_HOPPER_DECODE_LOGIC_H

#include "virtual-hopper/decode/decode.h"

decode_family decode_predicate_logic, decode_permute;

#endif
