// Rounding modes of floating-point operations.
#ifndef VIRTUAL_HOPPER_WARP_FLOAT_H
#define VIRTUAL_HOPPER_WARP_FLOAT_H

#include "virtual-hopper/decode/op.h"

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_NEAREST_AWAY }; // .rn .rz .rm .rp .rna

// op->extra of warp_rounded: runs `execute` in another rounding mode than to nearest (the last is no mode of the host).
struct rounded {
  op_execute *execute;
  enum rounding mode;
};
op_execute warp_rounded;

#endif
