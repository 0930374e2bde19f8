// Loads and stores as ops; op->extra is a struct access_plan.
#ifndef VIRTUAL_HOPPER_WARP_MEMORY_H
#define VIRTUAL_HOPPER_WARP_MEMORY_H

#include "virtual-hopper/warp/access.h"

op_execute memory_load;
op_execute memory_store;
op_execute memory_load_parameter; // of the kernel, at a constant place: op->immediate

#endif
