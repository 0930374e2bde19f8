// The trace: one line for every instruction that a warp executes.
#ifndef VIRTUAL_HOPPER_MACHINE_TRACE_H
#define VIRTUAL_HOPPER_MACHINE_TRACE_H

#include "virtual-hopper/machine/op.h"

// Call just before the op is executed. Only when launch->trace is set.
void trace_op(const struct warp *w, const struct op *op);

#endif
