// Loads and stores as ops; op->extra is a struct access_plan.
#ifndef VIRTUAL_HOPPER_WARP_MEMORY_H
#define VIRTUAL_HOPPER_WARP_MEMORY_H

#include "virtual-hopper/warp/access.h"

op_execute memory_load;
op_execute memory_store;
op_execute memory_load_parameter; // of the kernel, at a constant place: op->immediate

// Adds an access to what was observed.
void memory_count_bytes(struct warp *w, const struct op *op, const struct access *a, uint32_t bytes,
                        bool write);

#endif
