// discard.L2 as an op; op->extra is a struct access_plan of DISCARD_BYTES.
#ifndef VIRTUAL_HOPPER_EXECUTE_DISCARD_H
#define VIRTUAL_HOPPER_EXECUTE_DISCARD_H

#include "virtual-hopper/execute/access.h"

enum { DISCARD_BYTES = 128 };

op_execute memory_discard;

#endif
