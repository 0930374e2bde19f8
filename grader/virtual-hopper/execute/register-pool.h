// setmaxnreg: the registers of a block, given back and taken by its warps. PTX ISA 9.1, 9.7.19.5.
#ifndef VIRTUAL_HOPPER_EXECUTE_REGISTER_POOL_H
#define VIRTUAL_HOPPER_EXECUTE_REGISTER_POOL_H

#include "virtual-hopper/machine/op.h"

struct block;

enum register_pool_kind { REGISTER_POOL_INC, REGISTER_POOL_DEC };
op_execute register_pool_set; // kind; immediate: the count

// Registers of each of a warp's threads that nobody has. A warp that has ended keeps its own.
uint32_t register_pool_free(const struct block *b);
// All threads have left the block: judges whether whole warpgroups have executed each setmaxnreg.
void register_pool_end(struct block *b);
// Somebody waits for registers for ever. True: warps of a warpgroup have ended without the setmaxnreg that
// others of it executed, which is reported.
bool register_pool_explains(struct block *b);

#endif
