// Where in the host's code a launch or a failed call comes from, and kernels' names as C++ writes them.
#ifndef VIRTUAL_HOPPER_COMMAND_CALLERS_H
#define VIRTUAL_HOPPER_COMMAND_CALLERS_H

#include "virtual-hopper/rules/fault.h"

// Fills in host and signature of every fault; a fault without a place gets that of the first caller with a
// line.
void callers_resolve(struct fault_report *report);

#endif
