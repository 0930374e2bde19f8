// wgmma's groups without products: nothing is ever in flight here, since wgmma.mma_async isn't supported.
#ifndef VIRTUAL_HOPPER_EXECUTE_WGMMA_H
#define VIRTUAL_HOPPER_EXECUTE_WGMMA_H

#include "virtual-hopper/machine/op.h"

op_execute wgmma_meet; // op->target: the register of the full mask

#endif
