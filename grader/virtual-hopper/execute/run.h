// A warp's turn.
#ifndef VIRTUAL_HOPPER_EXECUTE_RUN_H
#define VIRTUAL_HOPPER_EXECUTE_RUN_H

#include "virtual-hopper/machine/machine.h"

uint32_t warp_run(struct warp *w, uint32_t slice); // returns the number of executed ops

#endif
