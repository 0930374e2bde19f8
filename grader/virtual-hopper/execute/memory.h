// Loads and stores as ops; op->extra is a struct access_plan.
#ifndef VIRTUAL_HOPPER_EXECUTE_MEMORY_H
#define VIRTUAL_HOPPER_EXECUTE_MEMORY_H

#include "virtual-hopper/execute/access.h"

op_execute memory_load;
op_execute memory_store;
op_execute memory_load_parameter; // loads a kernel parameter at a constant offset, op->immediate

// Adds the cycles that an access of shared memory takes, and loses to bank conflicts, to the observed
// counters.
void memory_count_cycles(struct warp *w, const struct op *op, struct access *a, uint32_t bytes);
// Notes an access of `bytes` of buffers that the program was handed, if it is the largest so far.
void memory_keep_handed(struct warp *w, const struct op *op, const struct access *a, uint64_t bytes,
                        bool write);
// Adds the bytes of an access to the observed counters, and its cycles in shared memory.
void memory_count_bytes(struct warp *w, const struct op *op, struct access *a, uint32_t bytes, bool write);

#endif
