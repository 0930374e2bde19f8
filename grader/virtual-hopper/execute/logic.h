// The handlers of logic operations that are in no table.
#ifndef VIRTUAL_HOPPER_EXECUTE_LOGIC_H
#define VIRTUAL_HOPPER_EXECUTE_LOGIC_H

#include "virtual-hopper/machine/op.h"

op_execute warp_predicate_and, warp_predicate_or, warp_predicate_xor, warp_predicate_move,
    warp_lop3_predicate;
op_execute *warp_lop3(uint8_t table);

#endif
