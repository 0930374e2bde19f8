// Loops of a function, and the registers that decide how they go on. A thread that comes back to a place with
// the same values in those, while no memory changes, comes back for ever, whatever it counts meanwhile.
#ifndef VIRTUAL_HOPPER_SCHEDULE_LOOP_H
#define VIRTUAL_HOPPER_SCHEDULE_LOOP_H

#include "virtual-hopper/machine/op.h"

struct loops; // of one function
struct loops *loops_find(const struct function *function);
void loops_destroy(struct loops *loops); // NULL is allowed
// The registers that decide, a bit each, in the loop that the op `pc` lies in. NULL: all of them may.
const uint64_t *loops_decide(struct loops *loops, uint32_t pc);

#endif
