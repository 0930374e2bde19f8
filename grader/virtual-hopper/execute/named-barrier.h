// What is wrong with an arrival at a barrier of the block that counts its threads.
#ifndef VIRTUAL_HOPPER_EXECUTE_NAMED_BARRIER_H
#define VIRTUAL_HOPPER_EXECUTE_NAMED_BARRIER_H

#include "virtual-hopper/machine/machine.h"

// Call before the arrival is counted. expected: threads; 0: all of the block.
void named_barrier_judge(struct warp *w, const struct op *op, uint32_t lanes, uint32_t id, uint32_t expected);

#endif
