// What the logic family does for others, and its handlers that are in no table.
#ifndef VIRTUAL_HOPPER_DECODE_LOGIC_H
#define VIRTUAL_HOPPER_DECODE_LOGIC_H

#include "virtual-hopper/decode/op.h"

decode_family decode_predicate_logic, decode_permute;

op_execute warp_predicate_and, warp_predicate_or, warp_predicate_xor, warp_predicate_move,
    warp_lop3_predicate;
op_execute *warp_lop3(uint8_t table);

#endif
