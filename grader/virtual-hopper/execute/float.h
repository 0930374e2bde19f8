// Rounding modes of floating-point operations.
#ifndef VIRTUAL_HOPPER_EXECUTE_FLOAT_H
#define VIRTUAL_HOPPER_EXECUTE_FLOAT_H

#include "virtual-hopper/machine/op.h"

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_NEAREST_AWAY }; // .rn .rz .rm .rp .rna

// op->extra of warp_rounded, which runs `execute` in a rounding mode other than to nearest. The host has no
// mode for the last one (.rna).
struct rounded {
  op_execute *execute;
  enum rounding mode;
};
op_execute warp_rounded;
// Sets the mode in which the host rounds from here on; who sets one sets ROUND_NEAREST afterwards.
void float_round(enum rounding mode);

#endif
